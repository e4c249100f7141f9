"""What the browser gets: Argilla's pages, with nothing from elsewhere in them."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

__all__ = ["ProjectPages", "Sealed", "UnknownPagesError", "mend", "policy"]

#: The style sheets fetch their fonts from a server of somebody else's; the browser has others.
_FONTS = re.compile(r"@import url\((?:\\?[\"'])?https://fonts\.googleapis\.com[^)]*\);?")
_SUFFIXES = {".css", ".js", ".html"}
#: Slips of the pen on pages that raters see.
_SLIPS = (("Your have no", "You have no"),)
#: A field's text is put into the page as if it were HTML: a tag in it would vanish, or run.
_AS_HTML = re.compile(r"innerHTML:(\w+)\._s\(\1\.fieldText\)")
_AS_TEXT = r"textContent:\1._s(\1.fieldText)"
#: And one that looks like HTML throughout is shown in a frame of its own.
_IN_A_FRAME = re.compile(r"(\w+)\.isHTML\?(\w+\(\"Sandbox\",\{attrs:\{content:\1\.fieldText)")
_NEVER = r"!1?\2"
_SCRIPT = re.compile(r"<script>(.+?)</script>", re.DOTALL)
#: Styles stand in the pages too; whatever is fetched comes from here, and no script that isn't
#: part of the pages runs.
_POLICY = (
    "default-src 'self'; script-src 'self' {scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; "
    "worker-src 'self' blob:; connect-src 'self'; frame-src 'self' blob: data:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # A push to another server has to escape what this one shows as it is.
    (b"x-isogloss-plain-texts", b"1"),
)
#: Descriptions of the API with scripts from elsewhere; nobody needs them here.
_DOCS = re.compile(r"/(api/v1/)?(docs|redoc|openapi\.json)(/|$)")

#: The address of a data set's pages.
_PROJECT = re.compile(r"/dataset/([^/]+)")
_NO_PROJECT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No such project</title>
<style>
:root { color-scheme: light dark; }
body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto; padding: 1rem; }
</style>
</head>
<body>
<h1>There is no such project here</h1>
<p>The link may be incomplete, or the project was taken away. Your answers to other projects are
safe. See <a href="/">your projects</a>, or ask the person who sent you the link.</p>
</body>
</html>
"""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def mend(folder: Path) -> int:
    """Takes out of the pages what would ask other machines, and rights their slips.

    Args:
        folder: The copy of the pages that this server serves.

    Returns:
        How many files were changed.

    Raises:
        UnknownPagesError: If the pages are not the ones this was written for: then a text might
            run as a script.
    """
    changed = fields = frames = 0
    for path in folder.rglob("*"):
        if path.suffix not in _SUFFIXES or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        mended = _FONTS.sub("", text)
        for wrong, right in _SLIPS:
            mended = mended.replace(wrong, right)
        mended, number = _AS_HTML.subn(_AS_TEXT, mended)
        fields += number
        mended, number = _IN_A_FRAME.subn(_NEVER, mended)
        frames += number
        if mended != text:
            path.write_text(mended, encoding="utf-8")
            changed += 1
    if not (fields and frames):
        raise UnknownPagesError("no place was found where the pages show a text")
    return changed


def policy(folder: Path) -> str:
    """What the browser may load and run: files of this server, and the scripts in its pages."""
    hashes = {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for path in folder.rglob("*.html")
        for script in _SCRIPT.findall(path.read_text(encoding="utf-8"))
    }
    return _POLICY.format(scripts=" ".join(f"'sha256-{one}'" for one in sorted(hashes)))


class UnknownPagesError(Exception):
    """The pages are not the ones that this package knows."""


class Sealed:
    """Answers only to its own names, and tells the browser to ask nobody else.

    A page of somebody else's whose name was pointed at this machine gets no answer.

    Args:
        app: What answers.
        hosts: The names this server is called by, without ports; ``*`` allows any.
        policy: What the browser may load and run (:func:`policy`).
    """

    def __init__(self, app: App, *, hosts: Iterable[str], policy: str) -> None:
        self.app = app
        self._headers = ((b"content-security-policy", policy.encode()), *_HEADERS)
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sealed(message: Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._headers]
            await send(message)

        if _DOCS.match(scope["path"]):
            await _say(sealed, 404, "text/plain", "This server has no pages about its API.\n")
            return
        if self._known(scope):
            await self.app(scope, receive, sealed)
            return
        await _say(sealed, 421, "text/plain", "This server does not go by that name.\n")

    def _known(self, scope: Scope) -> bool:
        if "*" in self._hosts:
            return True
        host = next((value for name, value in scope["headers"] if name == b"host"), b"")
        name = host.decode("latin-1").lower()
        return re.sub(r":\d+$", "", name).strip("[]") in self._hosts


class ProjectPages:
    """Mends what goes wrong when a project's page is opened by its address, or loaded again.

    A project that isn't there has one page that says so: Argilla's would ask for each of its
    parts, and complain of each of them. And what is pending is numbered from the first item
    that isn't answered: after three answers and a reload, page 4 of 2 would tell a rater that
    nothing is left.

    Args:
        app: What answers.
        known: Whether there is a data set of that id.
    """

    def __init__(self, app: App, *, known: Callable[[str], Awaitable[bool]]) -> None:
        self.app = app
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        asked = _PROJECT.match(scope["path"]) if scope["type"] == "http" else None
        if asked is None:
            await self.app(scope, receive, send)
        elif not await self._known(asked[1].replace("-", "").lower()):
            await _say(send, 404, "text/html; charset=utf-8", _NO_PROJECT)
        elif (first := _first_pending(scope)) is not None:
            head = [(b"location", first), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 307, "headers": head})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self.app(scope, receive, send)


def _first_pending(scope: Scope) -> bytes | None:
    """The address of the first pending item, if the one asked for is another."""
    asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    named = dict(asked)
    if named.get("status") != "pending" or named.get("page", "1") == "1":
        return None
    query = urlencode([(name, "1" if name == "page" else value) for name, value in asked])
    return f"{quote(scope['path'])}?{query}".encode("latin-1")


async def _say(send: Send, status: int, kind: str, text: str) -> None:
    body = text.encode()
    head = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})

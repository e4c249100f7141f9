"""A way to an Argilla server, ours or anybody's, and its failures in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import AnnotationError, OptionError, ServiceError
from .home import open_home

__all__ = ["KEY_VARIABLE", "Connection", "connect"]

#: Where the key of a hosted server comes from.
KEY_VARIABLE = "ARGILLA_API_KEY"
_OTHER_KEY = f"set {KEY_VARIABLE} to an owner's key"
#: Items of one page of a list; more is refused by the server.
_PAGE = 1000
_SECONDS = 120
#: Of a connection that isn't taken; more of them keep a person waiting for the message.
_RETRIES = 2


class Connection:
    """Requests to one server, as one user.

    Args:
        url: Its address.
        key: The user's key.
        remedy: What to do if the server refuses the key.

    Attributes:
        url: Its address, without a slash at the end.
        client: Argilla's own client.
    """

    def __init__(self, url: str, key: str, *, remedy: str = _OTHER_KEY) -> None:
        import argilla
        from argilla._exceptions import ArgillaAPIError

        self.url = url.rstrip("/")
        self._remedy = remedy
        with self.failures():
            try:
                self.client = argilla.Argilla(
                    api_url=self.url, api_key=key, timeout=_SECONDS, retries=_RETRIES
                )
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                # It asks who the key's user is, and takes whatever comes for the answer.
                raise _another_service(self.url) from error
            except ArgillaAPIError as error:
                if error.status_code < 400 or error.status_code == 404:
                    raise _another_service(self.url) from error
                raise

    def __repr__(self) -> str:
        return f"Connection({self.url!r})"

    def request(self, method: str, path: str, **options: Any) -> Any:
        """Sends one request to the API; gives its answer, from JSON.

        Args:
            method: HTTP's.
            path: After ``/api/v1``.
            options: What httpx takes: ``json``, ``params``.

        Raises:
            ServiceError: If the server can't be reached, refuses, or fails.
        """
        with self.failures():
            answer = self.client.http_client.request(method, f"/api/v1{path}", **options)
            answer.raise_for_status()
            try:
                return answer.json() if answer.content else None
            except ValueError as error:
                raise _another_service(self.url) from error

    def failures(self) -> AbstractContextManager[None]:
        """What goes wrong inside becomes a ServiceError."""
        return _failures(self.url, self._remedy)

    def records(self, dataset: str, *, responses: bool = False) -> Iterator[dict[str, Any]]:
        """All records of a data set, page by page.

        Raises:
            ServiceError: If records come or go meanwhile, so that a page could miss one.
        """
        seen: set[str] = set()
        total = None
        while total is None or len(seen) < total:
            params: dict[str, Any] = {"limit": _PAGE, "offset": len(seen)}
            if responses:
                params["include"] = "responses"
            page = self.request("GET", f"/datasets/{dataset}/records", params=params)
            fresh = [item for item in page["items"] if item["id"] not in seen]
            if len(fresh) < len(page["items"]) or (not fresh and page["total"] > len(seen)):
                raise ServiceError(
                    "records came or went while they were read",
                    where=self.url,
                    remedy="run the same command again",
                )
            total = page["total"]
            seen.update(item["id"] for item in fresh)
            yield from fresh


def connect(*, home: Path | None = None, url: str | None = None) -> Connection:
    """Connects to the embedded server of a home folder, or to a hosted one.

    Args:
        home: The embedded server's folder; by default the usual one.
        url: The address of a hosted server, whose key is in the environment.

    Raises:
        AnnotationError: If no server runs in the folder.
        OptionError: If the key is missing, or key or address can't be one.
        ServiceError: If the server can't be reached, or refuses the key.
    """
    if url is not None:
        if home is not None:
            raise OptionError(
                "a hosted server has no folder here", where="--home", remedy="leave it or --url out"
            )
        key = os.environ.get(KEY_VARIABLE, "").strip()
        if not key:
            raise OptionError(
                f"no key: {KEY_VARIABLE} is not set", where="--url", remedy="set it to an owner's"
            )
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise OptionError(
                f"what {KEY_VARIABLE} has is no key: there are other signs in it than in any",
                where="--url",
                remedy="set it to an owner's, without line breaks",
            )
        if not _is_address(url):
            raise OptionError(
                f"{url!r} is no address", where="--url", remedy="give one with https://"
            )
        return Connection(url, key)
    opened = open_home(home)
    running = opened.running_url()
    if running is None:
        raise AnnotationError(
            "no server runs in this folder",
            where=str(opened.folder),
            remedy="start it in another terminal: isogloss annotate serve",
        )
    return Connection(running, opened.api_key, remedy="stop the server and start it again")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and url.isprintable()


@contextmanager
def _failures(url: str, remedy: str) -> Iterator[None]:
    """Turns what goes wrong on the way into one line; no key is in it."""
    import httpx
    from argilla._exceptions import ArgillaAPIError, ArgillaCredentialsError

    try:
        yield
    except ArgillaCredentialsError:
        raise _refused_key(url, remedy) from None
    except httpx.HTTPStatusError as error:
        raise _status(url, remedy, error.response.status_code, error.response.text) from None
    except ArgillaAPIError as error:
        raise _status(url, remedy, error.status_code, str(error)) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ServiceError(
            f"the server can't be reached ({str(error) or type(error).__name__})",
            where=url,
            remedy="check that it runs and that the address is right; nothing was lost",
        ) from None


def _refused_key(url: str, remedy: str) -> ServiceError:
    return ServiceError("the server refuses the key", where=url, remedy=remedy)


def _another_service(url: str) -> ServiceError:
    return ServiceError(
        "what answers there is no Argilla",
        where=url,
        remedy="give the address that its first page has in a browser",
    )


def _status(url: str, remedy: str, status: int, text: str) -> ServiceError:
    if status == 401:
        return _refused_key(url, remedy)
    if status == 403:
        return ServiceError(
            "the key's user may not do this", where=url, remedy="use the key of an owner"
        )
    return ServiceError(
        f"the server answered {status}: {text[:300]}",
        where=url,
        remedy="run the same command again; what was done before is kept",
    )

"""How an OpenAI-compatible server is reached: its address, its key, proxies, trust."""

from __future__ import annotations

import os
import ssl
from base64 import b64encode
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import certifi

from ..errors import ModelError
from .config import ModelSettings, has_query, is_url

__all__ = [
    "address",
    "basic",
    "key_of",
    "openai_identity",
    "proxy_of",
    "trusted",
    "without_credentials",
]

_DEFAULT_URL = "https://api.openai.com/v1"


def address(settings: ModelSettings) -> str:
    """Where the server is.

    Raises:
        ModelError: If that is no address.
    """
    url = settings.base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL
    if has_query(url):
        raise ModelError(
            "the address of the server has a query or a fragment, which can't be sent",
            where=without_credentials(url),
            remedy="leave out what begins with ? or # in OPENAI_BASE_URL",
        )
    if not is_url(url):
        raise ModelError(
            "the address of the server is no http:// or https:// URL",
            where=without_credentials(url) if url.startswith("http") else url,
            remedy="mend base_url in isogloss.toml or OPENAI_BASE_URL",
        )
    return url


def key_of(model: str, settings: ModelSettings) -> str:
    """The key from the environment, or "none" for a server without keys.

    Raises:
        ModelError: If there is none though one is needed, or it is no key.
    """
    key = os.environ.get(settings.key_variable) if settings.key_variable else "none"
    if not key:
        raise ModelError(
            f"the environment variable {settings.key_variable} has no key",
            where=f"openai:{model}",
            remedy=f'set it, or name another one with key_variable under [models."openai:{model}"] '
            "in isogloss.toml",
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError(
            f"the key in {settings.key_variable} has a space, a line end or another sign that no "
            "key has",
            where=f"openai:{model}",
            remedy="set it again, without what was copied along with it",
        )
    return key


def proxy_of(url: str) -> str | None:
    """The proxy that the environment names for a URL.

    aiohttp's ``trust_env`` would look it up in a thread for every request, and refuse to
    send the key to a host that has a password in ``.netrc``.

    Raises:
        ModelError: If it is no HTTP proxy.
    """
    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not is_url(proxy):
        raise ModelError(
            "the environment names a proxy that is no http:// or https:// URL",
            where=url,
            remedy=f"mend {parts.scheme.upper()}_PROXY or ALL_PROXY, or set NO_PROXY",
        )
    return proxy


def trusted() -> ssl.SSLContext:
    """What the system trusts; certifi too, for a Python that doesn't find the system's list."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def basic(url: str) -> dict[str, str] | None:
    """The header for user and password in the URL, for servers without a key."""
    parts = urlsplit(url)
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}


def without_credentials(url: str) -> str:
    """The URL without user, password and query, as it may stand in a journal.

    Example:
        >>> without_credentials("https://me:secret@models.example/v1?key=secret")
        'https://models.example/v1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def openai_identity(model: str, url: str) -> dict[str, Any]:
    """What can change an answer beside the request."""
    return {"backend": "openai", "base_url": without_credentials(url), "model": model}

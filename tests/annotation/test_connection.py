"""Addresses and keys that lead to no Argilla: one line each, and no key in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from isogloss.annotation.connection import KEY_VARIABLE, Connection, connect
from isogloss.errors import IsoglossError, OptionError, ServiceError

KEY = "a-key-of-an-owner"
ME = (
    b'{"id": "8c2a7a1e-3c0f-4c4e-9a0e-0d0f3b1f0001", "username": "owner", "role": "owner", '
    b'"first_name": "o", "api_key": "k", "inserted_at": "2026-03-01T12:00:00", '
    b'"updated_at": "2026-03-01T12:00:00"}'
)
#: Status and body by the first part of the path.
PAGES = {
    "page": (200, b"<!doctype html><title>Somebody's page</title>"),
    "list": (200, b"[1, 2]"),
    "text": (200, b'"hello"'),
    "table": (200, b'{"username": ["nobody"]}'),
    "null": (200, b"null"),
    "bytes": (200, b"\xff\xfe{"),
    "gone": (404, b"<h1>404</h1>"),
    "moved": (301, b""),
}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.split("/")[1]
        if name == "later":
            name = "page"
            status, body = (200, ME) if self.path.endswith("/me") else PAGES["page"]
        else:
            status, body = PAGES.get(name, (401, b"{}"))
        self.send_response(status)
        self.send_header("Location", "https://example.org/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def line(error: IsoglossError) -> str:
    said = str(error)
    assert "\n" not in said
    assert KEY not in said
    return said


@pytest.mark.parametrize("name", PAGES)
def test_what_is_no_argilla_is_told(url: str, name: str) -> None:
    with pytest.raises(ServiceError) as told:
        connect(url=f"{url}/{name}")
    assert f"{url}/{name}: what answers there is no Argilla" in line(told.value)


def test_what_is_none_after_all_is_told(url: str) -> None:
    connection = connect(url=f"{url}/later")
    with pytest.raises(ServiceError) as told:
        connection.request("GET", "/users")
    assert "what answers there is no Argilla" in line(told.value)


@pytest.mark.parametrize(
    "wrong",
    ["http://[::bad", "http://", "http:///foo", "http://host:port", "http://a:99999", "host:6900",
     "ftp://host", "http://a\nb", "", "http://[v1.x]"],
)  # fmt: skip
def test_what_is_no_address_is_told(wrong: str) -> None:
    with pytest.raises((OptionError, ServiceError)) as told:
        connect(url=wrong)
    line(told.value)
    if wrong != "http://[v1.x]":
        assert isinstance(told.value, OptionError)
        assert "is no address" in str(told.value)


@pytest.mark.parametrize("key", [f"{KEY}\nX-Other: 1", f"{KEY}ü", f"{KEY} {KEY}", f"{KEY}\x07"])
def test_what_is_no_key_is_told_without_it(
    key: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    with pytest.raises(OptionError) as told:
        connect(url=url)
    assert f"what {KEY_VARIABLE} has is no key" in line(told.value)


def test_what_helps_against_a_refused_key_depends_on_where_it_is_from(url: str) -> None:
    with pytest.raises(ServiceError) as told:
        connect(url=url)
    assert line(told.value) == (
        f"error[service]: {url}: the server refuses the key. Set {KEY_VARIABLE} to an owner's key."
    )
    with pytest.raises(ServiceError) as told:
        Connection(url, KEY, remedy="stop the server and start it again")
    assert line(told.value).endswith("refuses the key. Stop the server and start it again.")

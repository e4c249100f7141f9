"""What goes over the wire: what openai's own client would send, to nobody else."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from isogloss.errors import ModelError
from isogloss.models.asker import Session
from isogloss.models.chat import ChatRequest, Fault, Reply, Sampling
from isogloss.models.config import ModelSettings
from isogloss.models.openai_chat import openai_asker
from isogloss.tests.models.conftest import KEY, question
from isogloss.tests.stub.server import completion

pytestmark = pytest.mark.slow

PATH = "/v1/chat/completions"
SCHEMA = {"type": "object", "properties": {"translation": {"type": "string"}}}
FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
}


@dataclass(slots=True)
class Recorder:
    """A server that keeps what it was sent; ``redirects`` sends a path elsewhere."""

    url: str = ""
    got: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    redirects: dict[str, str] = field(default_factory=dict)


@contextmanager
def recording() -> Iterator[Recorder]:
    recorder = Recorder()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            recorder.got.append((self.path, headers, body))
            there = recorder.redirects.get(self.path)
            data = b"" if there else json.dumps(completion("", "We was late", body)).encode()
            self.send_response(307 if there else 200)
            if there:
                self.send_header("Location", there)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        recorder.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield recorder
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with recording() as started:
        yield started


@pytest.fixture
def other() -> Iterator[Recorder]:
    with recording() as started:
        yield started


def ask(
    url: str, session: Session, request: ChatRequest | None = None, **settings: Any
) -> Reply | Fault:
    model = openai_asker("stub", ModelSettings(base_url=url, timeout=10.0, **settings))
    with model.open(session):
        return model.ask([request or question("We was late")])[0]


USER = {"role": "user", "content": "We was late"}
SYSTEM = {"role": "system", "content": "Translate."}
COMMON = {"model": "stub", "temperature": 0.0, "top_p": 1.0, "max_tokens": 20}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("request_", "called"),
    [
        (
            question("We was late"),
            {**COMMON, "messages": [SYSTEM, USER], "seed": 0},
        ),
        (
            question("We was late", schema=SCHEMA, repeat=2),
            {**COMMON, "messages": [SYSTEM, USER], "seed": 2, "response_format": FORMAT},
        ),
        (
            ChatRequest(
                "test",
                "",
                (("user", "Nå då 😀"), ("assistant", "Nu då"), ("user", "We was late")),
                Sampling(7, 0.7, 0.9, top_k=40, repetition_penalty=1.1, seed=None),
            ),
            {
                "model": "stub",
                "messages": [
                    {"role": "user", "content": "Nå då 😀"},
                    {"role": "assistant", "content": "Nu då"},
                    USER,
                ],
                "temperature": 0.7,
                "top_p": 0.9,
                "max_tokens": 7,
                "extra_body": {"top_k": 40, "repetition_penalty": 1.1},
            },
        ),
    ],
    ids=["plain", "schema", "sampling"],
)
@pytest.mark.parametrize("base", ["/v1", "/v1/"])
def test_the_same_is_sent_as_openais_client_sends(
    recorder: Recorder, session: Session, request_: ChatRequest, called: dict[str, Any], base: str
) -> None:
    from openai import AsyncOpenAI

    async def theirs() -> None:
        async with AsyncOpenAI(api_key=KEY, base_url=recorder.url + base, max_retries=0) as client:
            await client.chat.completions.create(**called)

    assert isinstance(ask(recorder.url + base, session, request_), Reply)
    asyncio.run(theirs())
    (path, headers, body), (path_theirs, headers_theirs, body_theirs) = recorder.got
    assert path == path_theirs == PATH
    assert body == body_theirs
    for name in ("authorization", "content-type"):
        assert headers[name] == headers_theirs[name]


def test_a_redirect_is_followed(recorder: Recorder, session: Session) -> None:
    recorder.redirects[PATH] = "/v2/chat/completions"
    assert isinstance(ask(f"{recorder.url}/v1", session), Reply)
    (_, headers, body), (path, headers_then, body_then) = recorder.got
    assert path == "/v2/chat/completions"
    assert body_then == body
    assert headers_then["authorization"] == headers["authorization"] == f"Bearer {KEY}"


def test_the_key_is_not_sent_on_to_another_server(
    recorder: Recorder, other: Recorder, session: Session
) -> None:
    recorder.redirects[PATH] = f"{other.url}/v1/chat/completions"
    assert isinstance(ask(f"{recorder.url}/v1", session), Reply)
    [(_, headers, _)] = other.got
    assert "authorization" not in headers
    assert KEY not in str(headers)


def test_a_circle_of_redirects_ends(recorder: Recorder, session: Session) -> None:
    recorder.redirects[PATH] = PATH
    with pytest.raises(Exception, match="has not answered anything"):
        ask(f"{recorder.url}/v1", session, attempts=1)
    assert len(recorder.got) <= 20


def test_a_password_in_netrc_takes_no_place_of_the_key(
    recorder: Recorder, session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password planted\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert isinstance(ask(f"{recorder.url}/v1", session), Reply)
    assert recorder.got[0][1]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_the_proxy_of_the_environment_is_used(
    recorder: Recorder,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    scheme: str,
) -> None:
    monkeypatch.setenv(variable, recorder.url.replace("http://", f"{scheme}me:p%40ss@"))
    assert isinstance(ask("http://models.invalid/v1", session), Reply)
    [(path, headers, _)] = recorder.got
    assert path == "http://models.invalid/v1/chat/completions"
    assert headers["proxy-authorization"] == "Basic bWU6cEBzcw=="
    assert headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("exempt", ["127.0.0.1", "*", "localhost,127.0.0.1"])
def test_no_proxy_is_asked_for_what_needs_none(
    recorder: Recorder, session: Session, monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", exempt)
    assert isinstance(ask(f"{recorder.url}/v1", session), Reply)


@pytest.mark.parametrize("proxy", ["socks5://me:planted@127.0.0.1:1080", "http://me:planted@x:y"])
def test_a_proxy_that_can_not_be_used_is_a_users_mistake(
    session: Session, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ModelError, match="proxy") as caught:
        ask("http://models.invalid/v1", session)
    assert "planted" not in str(caught.value)


def test_a_proxy_that_is_not_there_is_an_unreachable_server(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:planted@127.0.0.1:1")
    with pytest.raises(Exception, match="can't be reached") as caught:
        ask("http://models.invalid/v1", session, attempts=1)
    assert "planted" not in str(caught.value)

"""An OpenAI-compatible server that behaves badly on purpose, for tests and benchmarks.

    python tests/stub/server.py --port-file FILE --log FILE [--latency 0.2] [--faults]

It translates by swapping a few words, so that the same text always gets the same answer.
With ``--faults`` a text decides by its hash what goes wrong, once or always; with
``--named-faults`` a text's first word does: ``once:429``, ``always:length``,
``always:status-503``. The log has a line per request with the time, the text's hash, and
what was done. ``--plain`` ignores a schema, as some servers do; ``--without seed`` refuses a
parameter; ``--refuse`` refuses every request; ``--outage 60:90`` is down for the 60th to the
89th request.

Completions are those of ``toy.py``: with ``--style`` tokens are printed as some server would, and
``--begin`` is put before every text. More named faults of theirs: ``null``, ``none`` and
``content`` (no log-probabilities), ``no-echo``, ``short``, ``words``, ``offsets``, ``other``,
``hole``. ``--always NAME`` is the fault of every text.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.tests.stub.toy import echoed, likeliest

SWAPS = {"ain't": "is not", "finna": "about to", "gon": "going to", "nothing": "anything"}
#: Faults of the first attempt; the second is answered.
ONCE = ("429", "500", "cut", "dead", "hang", "bad-json", "empty")
#: Faults that stay.
ALWAYS = ("refusal", "refusal-text", "length", "content_filter", "http-400")
KEY = "sk-planted-0123456789"


def translated(text: str) -> str:
    """What the server answers for a text: some words swapped, either way."""
    words = text.split(" ")
    return " ".join(SWAPS.get(word.lower(), word) for word in words)


def hash_of(messages: list[dict[str, str]]) -> str:
    """By which a test finds the same request in the journal."""
    return hashlib.sha256(json.dumps([m["content"] for m in messages]).encode()).hexdigest()


class Server:
    """Keeps count of attempts per request and logs them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.attempts: dict[str, int] = {}
        self.in_flight = 0
        self.count = 0
        self.log = open(options.log, "a", buffering=1)  # noqa: SIM115 - open while it serves

    def fault_of(self, text: str, attempt: int) -> str:
        if self.options.always:
            return str(self.options.always)
        when, _, name = text.partition(" ")[0].partition(":")
        if self.options.named_faults and when in ("once", "always"):
            return name if when == "always" or attempt == 1 else ""
        if not self.options.faults:
            return ""
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        if number % 12 == 0:
            return ONCE[number // 12 % len(ONCE)] if attempt == 1 else ""
        if number % 40 == 1:
            return ALWAYS[number // 40 % len(ALWAYS)]
        return ""

    def is_down(self) -> bool:
        first, _, end = self.options.outage.partition(":")
        return bool(first) and int(first) <= self.count < int(end or 1 << 60)

    def refusal(self, asked: dict[str, Any]) -> bytes:
        """What is said of a request that is refused as it is; nothing for others."""
        if self.options.refuse:
            return error("System role not supported")
        for name in self.options.without:
            if name in asked:
                use = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                return error(f"Unsupported parameter: '{name}' is not supported.{use}")
        return b""

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # Killed clients go away in the midst.
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    lines = head.decode("latin-1").split("\r\n")
                    headers = {
                        name.lower(): value.strip()
                        for name, _, value in (line.partition(":") for line in lines[1:] if line)
                    }
                    body = await reader.readexactly(int(headers.get("content-length", 0)))
                    if not await self.serve(headers, body, writer):
                        break
                    await writer.drain()
        finally:
            writer.close()

    async def serve(
        self, headers: dict[str, str], body: bytes, writer: asyncio.StreamWriter
    ) -> bool:
        options = self.options
        if headers.get("authorization") != options.authorization:
            self.log.write(json.dumps({"at": time.time(), "done": "401"}) + "\n")
            send(writer, 401, error("Incorrect API key provided"))
            return True
        asked = json.loads(body)
        if asked.get("model") != "stub":
            send(writer, 404, error(f"The model {asked.get('model')} does not exist"))
            return True
        self.count += 1
        if self.is_down():
            self.log.write(json.dumps({"at": time.time(), "done": "503"}) + "\n")
            send(writer, 503, error("The server is overloaded"))
            return True
        if refusal := self.refusal(asked):
            self.log.write(json.dumps({"at": time.time(), "done": "400"}) + "\n")
            send(writer, 400, refusal)
            return True
        if options.plain:
            asked.pop("response_format", None)
        if options.no_schema and "response_format" in asked:
            send(writer, 400, error("response_format is not supported"))
            return True
        messages = asked.get("messages") or [{"content": asked["prompt"]}]
        text = messages[-1]["content"]
        key = hashlib.sha256(body).hexdigest()[:16]
        self.attempts[key] = attempt = self.attempts.get(key, 0) + 1
        fault = self.fault_of(text, attempt)
        self.in_flight += 1
        entry = {"at": time.time(), "key": key, "attempt": attempt, "fault": fault}
        entry["asked"] = hash_of(messages)
        if "prompt" in asked:
            entry["prompt"] = text
        self.log.write(json.dumps(entry | {"in_flight": self.in_flight}) + "\n")
        try:
            await asyncio.sleep(options.latency)
            return await self.reply(fault, text, asked, writer)
        finally:
            self.in_flight -= 1

    async def reply(
        self, fault: str, text: str, asked: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        wait = str(self.options.retry_after)
        if fault == "429":
            send(writer, 429, error("Rate limit reached"), {"Retry-After": wait})
        elif fault in ("500", "http-400"):
            send(writer, 500 if fault == "500" else 400, error("The server had an error"))
        elif fault.startswith("status-"):
            send(writer, int(fault.removeprefix("status-")), error("The server had an error"))
        elif fault.startswith("echo"):  # echo95: the header after 95 dots
            dots = "." * int(fault.removeprefix("echo") or 0)
            send(writer, 500, error(f"Bad header {dots}{self.options.authorization}"))
        elif fault == "hang":
            await asyncio.sleep(60)
            return False
        elif fault == "dead":
            return False
        else:
            if "prompt" in asked:
                answer = text_completion(fault, asked, self.options)
            else:
                answer = completion(fault, text, asked)
            data = json.dumps(answer).encode()
            if fault == "cut":
                writer.write(header(200, len(data)) + data[: len(data) // 2])
                return False
            writer.write(header(200, len(data)) + data)
        return True


def completion(fault: str, text: str, asked: dict[str, Any]) -> dict[str, Any]:
    answer = translated(text.rsplit("\n", 1)[-1])
    content: str | None = answer
    if "response_format" in asked:
        content = json.dumps({"translation": answer})
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
    finish = "stop"
    if fault == "bad-json":
        message["content"] = (content or "")[:-3]
    elif fault == "empty":
        message["content"] = ""
    elif fault == "refusal":
        message |= {"content": None, "refusal": "I can't help with that."}
    elif fault == "refusal-text":
        refusal = "I'm sorry, but I can't help with that."
        message["content"] = (
            json.dumps({"translation": refusal}) if "response_format" in asked else refusal
        )
    elif fault in ("length", "content_filter"):
        finish = fault
        message["content"] = (content or "")[: len(content or "") // 2]
    logprobs = None
    if asked.get("logprobs") and fault != "null":
        top = [{"token": t, "logprob": p} for t, p in likeliest(text, asked["top_logprobs"])]
        if fault == "words":
            top[0]["logprob"] = "likely"
        logprobs = {"content": [{**top[0], "top_logprobs": top}]}
    read = sum(len(m["content"]) for m in asked["messages"]) // 4
    written = len(content or "") // 4 + 1
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "stub-2025-01-01",
        "system_fingerprint": "fp_stub",
        "choices": [
            {"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        },
    }


def text_completion(
    fault: str, asked: dict[str, Any], options: argparse.Namespace
) -> dict[str, Any]:
    """A completion of one token; the prompt is echoed if that is asked."""
    prompt = asked["prompt"]
    end = " then" if asked["max_tokens"] else ""
    logprobs = echoed(prompt, style=options.style, begin=options.begin, end=end)
    count = len(logprobs["tokens"]) - bool(end)
    usage = {"prompt_tokens": count, "completion_tokens": 1, "total_tokens": count + 1}
    if fault == "no-echo" or not asked.get("echo"):
        logprobs = {name: values[-1:] for name, values in logprobs.items()}
    elif fault == "short":
        logprobs["token_logprobs"].pop()
    elif fault == "words":
        logprobs["token_logprobs"][1] = "likely"
    elif fault == "offsets":
        logprobs["text_offset"] = [7 * offset + 3 for offset in logprobs["text_offset"]]
    elif fault == "other":
        logprobs["tokens"] = [token.upper() for token in logprobs["tokens"]]
    elif fault == "hole":
        logprobs["token_logprobs"][-2] = None
    choice = {"index": 0, "text": prompt + end, "finish_reason": "length", "logprobs": logprobs}
    if fault == "null" or not asked.get("logprobs"):
        choice["logprobs"] = None
    elif fault == "content":  # as some chat servers have it
        choice["logprobs"] = {"content": [{"token": end, "logprob": -1.0}]}
    elif fault == "none":
        del choice["logprobs"]
    return {"object": "text_completion", "model": "stub-2025-01-01", "choices": [choice],
            **({} if options.no_usage else {"usage": usage})}  # fmt: skip


def error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()


def header(status: int, length: int, more: dict[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in (more or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def send(
    writer: asyncio.StreamWriter, status: int, data: bytes, more: dict[str, str] | None = None
) -> None:
    writer.write(header(status, len(data), more) + data)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port-file", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--no-schema", action="store_true")
    parser.add_argument("--named-faults", action="store_true")
    parser.add_argument("--retry-after", type=float, default=0.2)
    parser.add_argument("--authorization", default=f"Bearer {KEY}")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--refuse", action="store_true")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--outage", default="")
    parser.add_argument("--always", default="")
    parser.add_argument("--style", default="replace")
    parser.add_argument("--begin", default="")
    parser.add_argument("--no-usage", action="store_true")
    return parser.parse_args(arguments)


async def main() -> None:
    options = parse()
    server = Server(options)
    listening = await asyncio.start_server(server.connection, "127.0.0.1", 0, backlog=512)
    port_file = Path(options.port_file)
    port_file.with_suffix(".tmp").write_text(str(listening.sockets[0].getsockname()[1]))
    os.replace(port_file.with_suffix(".tmp"), port_file)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())

"""The embedded annotation server with 20,000 items, and with twenty raters at once.

Prints push in records/s, a rater's next-item request and search (medians), the server's
memory, and whether every label of twenty raters was kept. Its peer in the same run is what an
engine without an index of its own would do: read every record and look for the words in Python.

    python benchmarks/bench_annotation.py [ITEMS]
"""

from __future__ import annotations

import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
from isogloss.annotation.connection import Connection
from isogloss.annotation.home import Home, open_home
from isogloss.annotation.items import Item, Items
from isogloss.annotation.project_files import project_for
from isogloss.annotation.push import Pushed, push
from isogloss.annotation.server_project import find
from isogloss.annotation.serving import TOOL, serving
from isogloss.tools import install

RATERS = [f"rater{number:02d}" for number in range(20)]
LABELS = 50
REQUESTS = 100
PROJECT = project_for("realaae")
_WORDS = (
    "we they folks cousin auntie been be done ain't cooking working driving laughing waiting "
    "kitchen porch bus store church ball game music dinner every night today tomorrow always "
    "because when before after good late early nice cold rain summer school team song"
).split()
_SIDES = ("dialect", "standard", "back")
_PENDING = {
    "filters": {
        "and": [
            {
                "type": "terms",
                "scope": {"entity": "response", "property": "status"},
                "values": ["pending"],
            }
        ]
    }
}


class _Quiet:
    def phase(self, label: str, total: int | None) -> None: ...

    def advance(self, done: int, rows: int) -> None: ...


def made_items(number: int) -> Items:
    """Items of three texts of some fifteen words each, all different."""

    def text(at: int, side: int) -> str:
        chosen = [_WORDS[(at * 7 + side * 3 + place * place * (at % 11 + 1)) % len(_WORDS)]
                  for place in range(14)]  # fmt: skip
        return " ".join([*chosen, f"number{at}"])

    made = [
        Item(
            id=f"{at:018d}",
            fields={name: text(at, side) for side, name in enumerate(_SIDES)},
            prefilled={},
            stratum="evaluation",
            author=None,
            sha256=f"{at:064x}",
        )
        for at in range(number)
    ]
    return Items(items=tuple(made), rows=number, left_out={}, sample={})


def median_ms(call: Callable[[], object], number: int = REQUESTS) -> tuple[float, float]:
    """Median and worst time of a call, in milliseconds."""
    times = []
    for _ in range(number):
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times), max(times)


def signed_in(url: str, name: str, password: str | None) -> httpx.Client:
    """A rater's client."""
    client = httpx.Client(base_url=url, timeout=120)
    answer = client.post("/api/v1/token", data={"username": name, "password": password})
    answer.raise_for_status()
    client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
    return client


def search(client: httpx.Client, dataset: str, body: Any, *, limit: int = 10) -> Any:
    """What the page asks for when a rater goes on."""
    answer = client.post(
        f"/api/v1/me/datasets/{dataset}/records/search",
        params={"include": ["responses", "suggestions"], "offset": 0, "limit": limit},
        json=body,
    )
    answer.raise_for_status()
    return answer.json()


def scan(home: Home, words: list[str]) -> int:
    """The peer: every record's texts read and searched in Python, as an index-free engine would."""
    wanted = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in words]
    with closing(sqlite3.connect(home.database)) as connection:
        texts = connection.execute("SELECT fields FROM records")
        return sum(all(one.search(text) for one in wanted) for (text,) in texts)


def twenty_raters(url: str, dataset: str, pushed: Pushed, home: Home) -> None:
    """All raters answer at once, each 50 items; then everything that was answered is counted."""
    questions = [question.name for question in PROJECT.questions]
    clients = {one.name: signed_in(url, one.name, one.password) for one, _ in pushed.raters}
    accepted: Counter[str] = Counter()
    refused: list[str] = []
    times: list[float] = []

    def rate(name: str) -> None:
        client = clients[name]
        found = search(client, dataset, _PENDING, limit=LABELS)["items"]
        for one in found:
            began = time.perf_counter()
            answer = client.post(
                f"/api/v1/records/{one['record']['id']}/responses",
                json={
                    "values": {question: {"value": "yes"} for question in questions},
                    "status": "submitted",
                },
            )
            times.append(time.perf_counter() - began)
            if answer.is_success:
                accepted[name] += 1
            else:
                refused.append(f"{answer.status_code} {answer.text[:80]}")

    began = time.perf_counter()
    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(rate, clients))
    seconds = time.perf_counter() - began
    with closing(sqlite3.connect(home.database)) as connection:
        kept, different = connection.execute(
            "SELECT count(*), count(DISTINCT record_id || user_id) FROM responses"
        ).fetchone()
    sent = sum(accepted.values())
    print(
        f"{len(clients)} raters x {LABELS} labels: {sent} accepted, {len(refused)} refused, {kept} "
        f"kept, {kept - different} double, {sent / seconds:.0f}/s, median "
        f"{statistics.median(times) * 1000:.0f} ms, worst {max(times) * 1000:.0f} ms"
    )
    for line in refused[:3]:
        print("  refused:", line)


def main(number: int) -> None:
    """Runs everything against one server."""
    environment = install(TOOL)
    with tempfile.TemporaryDirectory() as folder:
        home = open_home(Path(folder) / "home", make=True)
        began = time.perf_counter()
        with serving(home, environment, port=0) as served:
            print(f"start with migration: {time.perf_counter() - began:.1f} s")
            process = psutil.Process(served.process.pid)
            owner = Connection(served.url, home.api_key)

            def pushing(items: Items) -> Pushed:
                return push(
                    owner, PROJECT, items, raters=RATERS, min_raters=3, progress=_Quiet(),
                    made=lambda _rater: None,
                )  # fmt: skip

            # Accounts are made by the first push: twenty slow hashes of passwords.
            first, rest = made_items(1), made_items(number)
            pushed = pushing(first)
            began = time.perf_counter()
            pushing(rest)
            seconds = time.perf_counter() - began
            rate = (number - 1) / seconds
            print(f"push: {number - 1:,} records in {seconds:.1f} s, {rate:.0f}/s")

            dataset = find(owner, PROJECT.name)[0].dataset
            rater, _ = pushed.raters[0]
            client = signed_in(served.url, rater.name, rater.password)
            middle, worst = median_ms(lambda: search(client, dataset, _PENDING))
            print(f"next item: median {middle:.0f} ms, worst {worst:.0f} ms of {REQUESTS}")
            for words in (["porch"], ["been", "working"], ["number777"], ["nobodysaidthis"]):
                body = {**_PENDING, "query": {"text": {"q": " ".join(words)}}}
                found = search(client, dataset, body)["total"]
                middle, worst = median_ms(partial(search, client, dataset, body), 20)
                peer, _ = median_ms(partial(scan, home, words), 3)
                print(
                    f"search {' '.join(words)!r} ({found:,} found): median {middle:.0f} ms, worst "
                    f"{worst:.0f} ms; a scan alone {peer:.0f} ms, {peer / middle:.1f}x"
                )
            twenty_raters(served.url, dataset, pushed, home)
            print(f"server memory: {process.memory_info().rss / 2**20:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)

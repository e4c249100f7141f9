"""Scoring through a server: where no request can succeed, after a kill, and what is kept secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import IsoglossError, ModelError, ServiceError
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import Score, ScoreRequest, load_scorer, openai_scorer
from isogloss.tests.models.conftest import KEY, StartStub
from isogloss.tests.models.scoring.test_openai_scorer import scorer

MANY = [ScoreRequest(f"bus {n}", (" late", " early")) for n in range(40)]
KILLED = """
import sys
from pathlib import Path
from isogloss.corpus.journal import Journal
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import ScoreRequest, load_scorer
config = Config(models={"openai:stub": ModelSettings(base_url=sys.argv[1], concurrency=4)})
with Journal(Path(sys.argv[2])) as journal:
    scorer = load_scorer("openai:stub", config=config)
    asked = [ScoreRequest(f"bus {n}", (" late", " early")) for n in range(40)]
    print([score.to_json() for score in scorer.score(asked, journal)])
"""


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_scorer, "_FIRST_PAUSE", 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["journal-committed:3", "journal-before-commit:9"])
def test_a_killed_run_goes_on_and_asks_nothing_twice(
    near: StartStub, tmp_path: Path, at: str
) -> None:
    server = near("--latency", "0.01")
    path = tmp_path / "j"

    def run(**more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", KILLED, server.url, str(path)]
        environment = {**os.environ, **more}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert run(ISOGLOSS_KILL_AT=at).returncode < 0
    with Journal(path) as journal:
        kept = {
            json.loads(row[0])["prompt"]
            for row in journal._connection.execute("SELECT request FROM answers WHERE kind='echo'")
        }
    assert 0 < len(kept) < 80
    whole = run()
    assert whole.returncode == 0, whole.stderr
    asked = Counter(str(entry["prompt"]) for entry in server.requests())
    assert len(asked) == 80
    assert {prompt for prompt, count in asked.items() if count > 1}.isdisjoint(kept)
    sent = len(server.requests())
    assert run().stdout == whole.stdout
    assert len(server.requests()) == sent
    with Journal(tmp_path / "other") as journal:
        scores = scorer(server).score(MANY, journal)
    assert str([score.to_json() for score in scores if isinstance(score, Score)]) + "\n" == (
        whole.stdout
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--without", "echo"), "'echo' is not supported"),
        (("--without", "logprobs"), "'logprobs' is not supported"),
        (("--always", "null"), ""),
        (("--always", "none"), ""),
        (("--always", "no-echo"), ""),
        (("--always", "content"), ""),
    ],
)
def test_a_server_without_logprobs_of_prompts_stops_the_run_at_its_first_answer(
    near: StartStub, journal: Journal, options: tuple[str, str], said: str
) -> None:
    server = near(*options, "--latency", "0.05")
    with pytest.raises(ServiceError) as caught:
        scorer(server, concurrency=4).score(MANY, journal)
    line = str(caught.value)
    assert "\n" not in line
    assert "the server gives no log-probabilities of the prompt" in line
    assert "vLLM" in line
    assert "hf:" in line
    assert said in line
    assert len(server.requests()) <= 4
    assert (journal.summary().answers, journal.summary().failures) == ({}, {})


def test_a_wrong_key_stops_at_once(
    near: StartStub, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = near("--latency", "0.05")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-wrong")
    with pytest.raises(ServiceError, match="the key is not accepted") as caught:
        scorer(server, concurrency=4).score(MANY, journal)
    assert "planted" not in str(caught.value)
    assert len(server.requests()) <= 4
    assert (journal.summary().answers, journal.summary().failures) == ({}, {})


def test_no_key_is_a_users_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="has no key"):
        load_scorer("openai:stub")


@pytest.mark.parametrize("name", ["openai:", "openai", "other:stub"])
def test_no_model_of_that_name_can_score(name: str) -> None:
    with pytest.raises(ModelError, match="openai:MODEL"):
        load_scorer(name)


def test_a_server_that_is_not_there_stops_the_run(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings = ModelSettings(base_url="http://127.0.0.1:1/v1")
    model = load_scorer("openai:stub", config=Config(models={"openai:stub": settings}))
    with pytest.raises(ServiceError, match="can't be reached"):
        model.score(MANY, journal)
    assert journal.summary().failures == {}


def test_an_outage_stops_the_run_and_what_came_is_kept(near: StartStub, journal: Journal) -> None:
    server = near("--outage", "20")
    with pytest.raises(IsoglossError, match="stopped answering"):
        scorer(server, concurrency=4, attempts=2).score(MANY, journal)
    [(_, (count, *_))] = journal.summary().answers.items()
    assert count == 19
    server.options.outage = ""
    scores = scorer(server, concurrency=4).score(MANY, journal)
    assert all(isinstance(score, Score) for score in scores)
    answered = [entry for entry in server.requests() if "prompt" in entry]
    assert len(answered) == 80


def test_key_and_password_get_into_no_journal_and_no_log(
    near: StartStub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    server = near("--named-faults", "--authorization", "Basic bWU6cEBzcw==")
    url = server.url.replace("http://", "http://me:p%40ss@")
    path = tmp_path / "j"
    asked = [ScoreRequest("bus", (" late",)), ScoreRequest("always:echo95 bus", (" late",))]
    settings = ModelSettings(base_url=url, key_variable="", attempts=2)
    with Journal(path) as journal:
        model = load_scorer("openai:stub", config=Config(models={"openai:stub": settings}))
        found = model.score(asked, journal)
    assert [isinstance(one, Score) for one in found] == [True, False]
    for kept in (path.read_bytes(), repr(found).encode(), caplog.text.encode()):
        assert b"bWU6" not in kept
        assert b"p%40ss" not in kept
        assert b"p@ss" not in kept
    assert "p%40ss" not in str(model.identity)
    key = near("--named-faults")
    with Journal(tmp_path / "k") as journal:
        found = scorer(key, attempts=2).score(asked, journal)
    assert [isinstance(one, Score) for one in found] == [True, False]
    for kept in ((tmp_path / "k").read_bytes(), repr(found).encode(), caplog.text.encode()):
        assert KEY[:6].encode() not in kept

"""load_translator: the name decides the backend, and a wrong name is answered with a hint."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from isogloss.errors import IsoglossError, ModelError, OptionError
from isogloss.models.asker import Session
from isogloss.models.config import Config, ModelSettings
from isogloss.models.translator import BACKENDS, Estimate, load_translator

DIALECT, STANDARD = "african-american-english", "standard-american-english"


@pytest.mark.parametrize("name", ["rules:", "rules:aae", "rules"])
def test_the_rules_translate_without_anything(name: str, session: Session) -> None:
    translator = load_translator(name)
    with translator.open(session):
        answers = translator.translate(["She finna leave", ""], source=DIALECT, target=STANDARD)
    assert len(answers) == 2
    assert answers[0].text != "She finna leave"
    assert translator.estimate(["x"], source=DIALECT, target=STANDARD) == Estimate()
    assert "not fit for research" in str(translator.describe()["note"])


def test_the_role_says_who_translates_and_the_option_overrules_it() -> None:
    config = Config(roles={"translator": "rules:aae"})
    assert load_translator(None, config=config).describe()["backend"] == "rules"
    with pytest.raises(ModelError, match="backend 'none'"):
        load_translator("none:x", config=config)


@pytest.mark.parametrize("config", [None, Config(), Config(roles={"judge": "rules:"})])
def test_without_a_name_the_backends_are_listed(config: Config | None) -> None:
    with pytest.raises(OptionError, match="rules:, openai:, hf:"):
        load_translator(None, config=config)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opnai:gpt", "did you mean openai:"),
        ("rule:", "did you mean rules:"),
        ("zzz:x", "backends are rules:, openai:, hf:"),
        ("gpt-4o-mini", "written backend:name"),
        ("openai:", "write openai:NAME"),
        ("hf:", "write hf:NAME"),
        ("hf", "write hf:NAME"),
        ("rules:scots", "no rules named 'scots'"),
        ("hf:/no/such/folder", "no such folder"),
    ],
)
def test_a_wrong_name_is_answered_with_what_to_write(name: str, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_translator(name)
    assert said.lower() in str(caught.value).lower()
    assert "\n" not in str(caught.value)


def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no config\.json"):
        load_translator(f"hf:{tmp_path}")


@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_key_is_named_by_its_variable(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    config = Config(models={"openai:m": ModelSettings(key_variable="MY_KEY")})
    with pytest.raises(IsoglossError, match="MY_KEY has no key"):
        load_translator("openai:m", config=config)


def test_an_openai_model_is_described_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-1")
    url = "https://me:sk-planted-2@models.example/v1/"
    config = Config(models={"openai:m": ModelSettings(base_url=url)})
    described = dict(load_translator("openai:m", config=config).describe())
    assert described["base_url"] == "https://models.example/v1"
    assert (described["backend"], described["model"]) == ("openai", "m")
    assert "planted" not in str(described)


def test_a_backend_is_imported_when_it_is_asked_for(isogloss_modules: set[str]) -> None:
    assert isogloss_modules & {"torch", "transformers", "openai"} == set()


@pytest.fixture
def isogloss_modules() -> set[str]:
    """Modules that a fresh process has after loading the rules."""
    import subprocess

    program = (
        "import sys\nfrom isogloss.models import load_translator\nload_translator('rules:')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_estimates_add_up_and_an_unknown_cost_stays_unknown() -> None:
    one, two = Estimate(1, 10, 5, 0.5, "EUR"), Estimate(2, 20, 10, 1.0, "EUR")
    assert one + two == Estimate(3, 30, 15, 1.5, "EUR")
    assert Estimate() + one == one
    assert (one + Estimate(1, 1, 1, None)).cost is None
    assert set(BACKENDS) == {"rules", "openai", "hf"}

"""Scores through a completions endpoint: equal to those of the model behind it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.corpus.journal import Journal
from isogloss.errors import BudgetError, ModelError, OptionError
from isogloss.models.budget import Limits
from isogloss.models.chat import Reply
from isogloss.models.config import Config, ModelSettings
from isogloss.models.scoring import Fault, Score, Scorer, ScoreRequest, load_scorer, openai_scorer
from isogloss.models.session import Session
from isogloss.tests.models.conftest import StartStub, Stub
from isogloss.tests.models.scoring.tiny_models import known
from isogloss.tests.stub.toy import STYLES, echoed, logprobs, tokenized

pytestmark = pytest.mark.slow

REQUESTS = [
    ScoreRequest("We was so", (" late", " early that day")),
    ScoreRequest("He ain't, ", ("going nowhere", "here")),
    ScoreRequest("Das Café", (" schließt", " is zua 😊 heit")),
    ScoreRequest("We was so", (" late", " glad")),
]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_scorer, "_FIRST_PAUSE", 0.01)


def scorer(server: Stub, **settings: Any) -> Scorer:
    values: dict[str, Any] = {"base_url": server.url, "attempts": 3, "timeout": 0.5, **settings}
    return load_scorer(
        "openai:stub", config=Config(models={"openai:stub": ModelSettings(**values)})
    )


def expected(context: str, continuation: str) -> list[float]:
    """The toy model's own log-probabilities, where the boundary is one of its tokens' too."""
    bare = context.rstrip()
    behind = len(tokenized(bare))
    return logprobs(context + continuation)[behind:]


def named(fault: str) -> ScoreRequest:
    return ScoreRequest(f"{fault} We was", (" late", " early"))


@pytest.mark.parametrize("begin", ["", "<s>"])
@pytest.mark.parametrize("style", STYLES)
def test_scores_are_the_models_own(
    near: StartStub, journal: Journal, style: str, begin: str
) -> None:
    server = near("--style", style, "--begin", begin)
    scores = scorer(server).score(REQUESTS, journal)
    for request, score in zip(REQUESTS, scores, strict=True):
        assert isinstance(score, Score)
        assert isinstance(request.context, str)
        space = len(request.context) - len(request.context.rstrip())
        tokens = len(tokenized(request.context.rstrip()))
        same = score.context_tokens - bool(begin)
        # Where the print leaves it in doubt, the context is shorter.
        assert (same, score.shortened) == (tokens, 0) or (style == "ignore" and same < tokens)
        for one, continuation in zip(score.scored, request.continuations, strict=True):
            assert list(one.logprobs) == logprobs(request.context + continuation)[same:]
            assert one.characters == len(continuation) + space
            assert one.bytes == len(continuation.encode()) + space
    # The text that two requests have in common was asked once.
    assert len(server.requests()) == 7


def test_a_token_across_the_boundary_shortens_the_context_of_all(
    near: StartStub, journal: Journal
) -> None:
    request = ScoreRequest("They going", (" to church", " home"))
    [score] = scorer(near("--begin", "<s>")).score([request], journal)
    assert isinstance(score, Score)
    assert (score.context_tokens, score.shortened) == (2, 1)
    church, home = (one.logprobs for one in score.scored)
    assert list(church) == logprobs("They going to church")[1:]
    assert list(home) == logprobs("They going home")[1:]
    assert len(church) == len(home) == 2


def test_the_first_token_has_no_probability_unless_something_stands_before_it(
    near: StartStub, journal: Journal
) -> None:
    request = ScoreRequest("", ("We was",))
    [without] = scorer(near()).score([request], journal)
    [behind] = scorer(near("--begin", "<s>")).score([request], journal)
    assert isinstance(without, Score)
    assert isinstance(behind, Score)
    assert math.isnan(without.scored[0].logprobs[0])
    assert math.isnan(without.scored[0].total)
    assert list(behind.scored[0].logprobs) == logprobs("We was")
    assert (without.context_tokens, behind.context_tokens) == (0, 1)


def test_a_null_in_a_continuation_is_no_number(near: StartStub, journal: Journal) -> None:
    server = near("--named-faults")
    [score] = scorer(server).score([named("always:hole")], journal)
    assert isinstance(score, Score)
    assert [math.isnan(one.total) for one in score.scored] == [True, True]
    [again] = scorer(server).score([named("always:hole")], journal)
    assert repr(again) == repr(score)
    assert len(server.requests()) == 2


def test_offsets_of_a_server_are_not_believed(near: StartStub, journal: Journal) -> None:
    request = named("always:offsets")
    [score] = scorer(near("--named-faults")).score([request], journal)
    assert isinstance(score, Score)
    assert list(score.scored[0].logprobs) == logprobs("always:offsets We was late")[-1:]


def test_a_server_that_does_not_count_tokens_is_read_too(near: StartStub, journal: Journal) -> None:
    [score] = scorer(near("--no-usage")).score(REQUESTS[:1], journal)
    assert isinstance(score, Score)
    assert list(score.scored[0].logprobs) == expected("We was so", " late")


TEXTS = st.text(alphabet="ab \n,é😊ส", min_size=1, max_size=12)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(STYLES), st.booleans())
def test_boundaries_hold_for_any_text(
    context: str, continuations: list[str], style: str, counted: bool
) -> None:
    context = context.rstrip()
    replies = []
    for continuation in continuations:
        prompt = context + continuation
        said = echoed(prompt, style=style, begin="<s>")
        count = len(said["tokens"]) - 1 if counted else None
        text = {"tokens": said["tokens"], "logprobs": said["token_logprobs"]}
        replies.append((prompt, Reply(json.dumps(text | {"prompt_tokens": count}))))
    score = openai_scorer._score(context, continuations, replies)
    if isinstance(score, Fault):  # it isn't clear where the text ends
        assert not counted
        return
    same = score.context_tokens - 1
    for continuation, one in zip(continuations, score.scored, strict=True):
        assert list(one.logprobs) == logprobs(context + continuation)[same:]
        assert one.tokens > 0
        head = tokenized(context + continuation)[:same]
        assert context.encode().startswith(b"".join(head))


ONCE = ("429", "500", "status-503", "cut", "dead", "hang", "short", "words")


def test_a_fault_that_passes_ends_as_a_score(near: StartStub, journal: Journal) -> None:
    server = near("--named-faults", "--retry-after", "0.05")
    model = scorer(server)
    asked = [REQUESTS[0], *(named(f"once:{fault}") for fault in (*ONCE, "null", "none"))]
    model.score(asked[:1], journal)
    scores = model.score(asked, journal)
    for request, score in zip(asked, scores, strict=True):
        assert isinstance(score, Score)
        assert list(score.scored[0].logprobs) == expected(str(request.context), " late")
    assert len(server.requests()) == 2 + 4 * (len(asked) - 1)
    assert journal.summary().failures == {}


FAULTS = {
    # fault: reason, attempts
    "429": ("http_429", 3),
    "500": ("http_500", 3),
    "status-400": ("http_400", 1),
    "cut": ("connection", 3),
    "dead": ("connection", 3),
    "hang": ("timeout", 3),
    "null": ("no_logprobs", 3),
    "no-echo": ("no_logprobs", 3),
    "short": ("invalid_logprobs", 3),
    "words": ("invalid_logprobs", 3),
    "other": ("misaligned", 1),
}


@pytest.mark.slow
def test_a_fault_that_stays_ends_as_a_failure_with_its_reason(
    near: StartStub, journal: Journal
) -> None:
    server = near("--named-faults", "--retry-after", "0.05")
    model = scorer(server)
    for number, (fault, (reason, attempts)) in enumerate(FAULTS.items()):
        other = ScoreRequest(f"bus {number}", (" late",))
        found, fine = model.score([named(f"always:{fault}"), other], journal)
        assert isinstance(fine, Score), fault
        assert isinstance(found, Fault), fault
        assert (found.reason, found.attempts) == (reason, attempts), fault
        assert known(model, [named(f"always:{fault}")], journal) == [
            Fault(reason, found.detail, attempts)
        ]
    sent = len(server.requests())
    asked = [named(f"always:{fault}") for fault in FAULTS]
    again = scorer(server).score(asked, journal)
    assert [one.reason for one in again if isinstance(one, Fault)] == [
        r for r, _ in FAULTS.values()
    ]
    assert len(server.requests()) == sent
    failed = journal.summary().failures
    assert failed["openai:stub", "score", "misaligned"] == 1
    assert failed["openai:stub", "score", "no_logprobs"] == 2


def test_what_has_failed_is_asked_again_when_that_is_wanted(
    near: StartStub, journal: Journal
) -> None:
    server = near("--named-faults")
    asked = [ScoreRequest("once:status-400 bus", (" late",)), REQUESTS[0]]
    first = scorer(server, attempts=1).score(asked, journal)
    assert [type(one) for one in first] == [Fault, Score]
    sent = len(server.requests())
    session = Session(journal, Limits(), retry_failed=True)
    again = scorer(server, attempts=1).score(asked, session)
    assert [type(one) for one in again] == [Score, Score]
    assert len(server.requests()) == sent + 1
    assert journal.summary().failures == {}


def test_tokens_are_booked_once_and_limited(near: StartStub, journal: Journal) -> None:
    server = near()
    scorer(server, input_price=1.0, output_price=2.0).score(REQUESTS, journal)
    prompts = {str(entry["prompt"]) for entry in server.requests()}
    read = sum(len(tokenized(prompt)) for prompt in prompts)
    cost, tokens = journal.spent()
    assert tokens == read + len(prompts)
    assert cost == pytest.approx((read + 2 * len(prompts)) / 1e6)
    session = Session(journal, Limits(max_tokens=tokens + 40))
    with pytest.raises(BudgetError):
        scorer(server).score([ScoreRequest("bus", (f" {n}",)) for n in range(20)], session)
    assert journal.spent()[1] <= tokens + 40


def test_tokens_of_another_text_stop_a_run_that_has_nothing_else(
    near: StartStub, journal: Journal
) -> None:
    with pytest.raises(ModelError, match="no boundary can be found"):
        scorer(near("--named-faults")).score([named("always:other")], journal)
    assert journal.summary().failures == {}


def test_a_chat_is_asked_as_plain_text(near: StartStub, journal: Journal) -> None:
    chat = ScoreRequest((("user", "We was"),), ("late",))
    plain = ScoreRequest("We was\n\nAnswer:", (" late",))
    first, second = scorer(near()).score([chat, plain], journal)
    assert isinstance(first, Score)
    assert first == second


def test_chats_and_cut_contexts_are_users_mistakes(near: StartStub, journal: Journal) -> None:
    server = near()
    chat = ScoreRequest((("user", "We was"),), (" late",))
    config = Config(models={"openai:stub": ModelSettings(base_url=server.url)})
    asked = load_scorer("openai:stub", config=config, chat="on")
    with pytest.raises(OptionError, match="raw text"):
        asked.score([REQUESTS[0], chat], journal)
    with pytest.raises(OptionError, match="cut"):
        load_scorer("openai:stub", config=config, overlong="cut")
    assert not server.log.read_text()

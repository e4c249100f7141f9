"""The chat translator: what a model may say, and what of it becomes a translation."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from isogloss.models.asker import Asker, Session
from isogloss.models.budget import Budget
from isogloss.models.chat import ChatRequest, Deliver, Fault, Price, Reply
from isogloss.models.chat_translator import ChatTranslator
from isogloss.models.prompts import translation_prompts
from isogloss.models.translator import Translation
from isogloss.tests.models.test_asker import IDENTITY, Fake

DIALECT, STANDARD = "african-american-english", "standard-american-english"
Say = Callable[[ChatRequest], Reply | Fault]


class Model(Fake):
    """Says what a function makes of each request."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self.say, self.requests = say, list[ChatRequest]()

    def answer(self, requests: Sequence[ChatRequest], deliver: Deliver, budget: Budget) -> None:  # noqa: ARG002
        self.requests += requests
        for index, request in enumerate(requests):
            deliver(index, self.say(request)).result(timeout=10)


def translator(model: Model, *, structured: bool, price: Price | None = None) -> ChatTranslator:
    asker = Asker(lambda: model, "fake:m", IDENTITY, price)
    return ChatTranslator(asker, translation_prompts("realaae"), structured=structured)


def translate(
    say: Say, texts: list[str], session: Session, *, structured: bool = False
) -> list[Translation]:
    model = translator(Model(say), structured=structured)
    with model.open(session):
        return model.translate(texts, source=DIALECT, target=STANDARD)


def as_json(text: str) -> str:
    return json.dumps({"translation": text})


@pytest.mark.parametrize("structured", [False, True])
def test_the_request_has_the_rules_one_example_and_the_text(structured: bool) -> None:
    model = translator(Model(lambda _: Reply("x")), structured=structured)
    request, other = model.requests(
        ["She late", "He late"], source=DIALECT, target=STANDARD, plain=not structured
    )
    prompt = translation_prompts("realaae").direction(DIALECT, STANDARD)
    assert request.system.startswith(prompt.system)
    assert [role for role, _ in request.messages] == ["user", "assistant", "user"]
    assert request.messages[-1] == ("user", "She late")
    assert request.messages[0][1] == prompt.example_source
    wanted = as_json(prompt.example_target) if structured else prompt.example_target
    assert json.dumps(request.messages[1][1]) == json.dumps(wanted)
    assert (request.schema is not None) == structured
    assert request.sampling.temperature == 0
    assert (request.system, request.schema) == (other.system, other.schema)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (Reply("We were late"), Translation("We were late")),
        (Reply(" We were\n late \n"), Translation("We were late")),
        (Fault("length", "cut"), Translation(None, "length", "cut")),
        (Fault("http_500"), Translation(None, "http_500")),
    ],
)
def test_plain_answers(said: Reply | Fault, wanted: Translation, session: Session) -> None:
    assert translate(lambda _: said, ["We was late"], session) == [wanted]


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (as_json(" We were late\n"), "stop"),
        ('{"translation": ""}', "empty"),
        ('{"translation": " "}', "empty"),
        ('{"translation": 5}', "invalid_json"),
        ('{"text": "We were late"}', "invalid_json"),
        ("We were late", "invalid_json"),
    ],
)
def test_structured_answers(said: str, finish: str, session: Session) -> None:
    answer = translate(lambda _: Reply(said), ["We was late"], session, structured=True)[0]
    assert answer.finish == finish
    assert answer.text == ("We were late" if finish == "stop" else None)


def no_schema(request: ChatRequest) -> Reply | Fault:
    if request.schema is not None:
        return Fault("unsupported_schema", "the server takes no JSON schema")
    return Reply(f"{request.messages[-1][1]}!")


def test_a_server_without_schemas_is_asked_for_text_and_the_journal_remembers(
    session: Session,
) -> None:
    for run in range(2):
        model = Model(no_schema)
        chat = translator(model, structured=True)
        with chat.open(session):
            for texts in (["a", "b"], ["c"]):
                answers = chat.translate(texts, source=DIALECT, target=STANDARD)
                assert answers == [Translation(f"{text}!") for text in texts]
        probes = [request for request in model.requests if request.schema is not None]
        assert len(probes) == (1 if run == 0 else 0)
        assert len(model.requests) == (4 if run == 0 else 0)


@pytest.mark.parametrize("reason", ["timeout", "length", "refusal"])
def test_a_first_answer_that_tells_nothing_settles_nothing(reason: str, session: Session) -> None:
    def say(request: ChatRequest) -> Reply | Fault:
        if request.messages[-1][1] == "a":
            return Fault(reason)
        return no_schema(request)

    answers = translate(say, ["a", "b", "c"], session, structured=True)
    assert answers[1:] == [Translation("b!"), Translation("c!")]


def test_no_texts_ask_nothing(session: Session) -> None:
    model = Model(no_schema)
    with (chat := translator(model, structured=True)).open(session):
        assert chat.translate([], source=DIALECT, target=STANDARD) == []
    assert model.requests == []


@pytest.mark.parametrize("price", [None, Price(1.0, 2.0, "EUR")])
def test_the_estimate_grows_with_the_texts_and_knows_no_price_it_was_not_told(
    price: Price | None,
) -> None:
    chat = translator(Model(no_schema), structured=True, price=price)
    one, ten = (
        chat.estimate(["We was late to the bus"] * n, source=DIALECT, target=STANDARD)
        for n in (1, 10)
    )
    assert (one.calls, ten.calls) == (1, 10)
    assert ten.input_tokens > 9 * one.input_tokens > 900
    assert ten.output_tokens > one.output_tokens > 0
    assert one.cost == (None if price is None else price.of(one.input_tokens, one.output_tokens))


def test_what_the_journal_has_is_not_estimated_again(session: Session) -> None:
    def say(request: ChatRequest) -> Reply | Fault:
        text = request.messages[-1][1]
        return Fault("length") if text == "b" else Reply(as_json(f"{text}!"))

    sides = {"source": DIALECT, "target": STANDARD}
    chat = translator(Model(say), structured=True)
    with chat.open(session):
        assert chat.estimate(["a", "b", "c"], **sides).calls == 3
        chat.translate(["a", "b"], **sides)
    again = translator(Model(say), structured=True)
    assert again.estimate(["a", "b", "c"], **sides).calls == 3  # no journal: nothing is known
    with again.open(session):
        assert again.estimate(["a", "b", "c"], **sides).calls == 1
        assert again.foresee(["a", "b", "c"], **sides) == ["a!", "c"]
    retrying = Session(session.journal, session.limits, retry_failed=True)
    with (asking := translator(Model(say), structured=True)).open(retrying):
        assert asking.estimate(["a", "b", "c"], **sides).calls == 2


@pytest.mark.parametrize("texts", [["a"], ["a", "b", "c", "d", "e"]])
def test_answers_that_never_follow_the_schema_are_asked_for_in_plain(
    texts: list[str], session: Session
) -> None:
    def say(request: ChatRequest) -> Reply | Fault:
        if request.schema is not None:
            return Fault("invalid_json")
        return Reply(f"{request.messages[-1][1]}!")

    model = Model(say)
    with (chat := translator(model, structured=True)).open(session):
        found = chat.translate(texts, source=DIALECT, target=STANDARD)
    assert [answer.text for answer in found] == [f"{text}!" for text in texts]
    assert len([r for r in model.requests if r.schema is not None]) == min(3, len(texts))


def test_model_prompt_and_form_are_described() -> None:
    described = dict(translator(Model(no_schema), structured=True).describe())
    assert described["prompt_sha256"] == translation_prompts("realaae").sha256
    assert described.items() >= IDENTITY.items()
    assert described != dict(translator(Model(no_schema), structured=False).describe())

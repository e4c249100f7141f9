"""Models by their names: found at the beginning, described in the end."""

from __future__ import annotations

import pytest
from isogloss.errors import ModelError
from isogloss.tests.validation.quality.made import AAE, BAVARIAN, BERNESE
from isogloss.validation.quality import Models, load_models


def test_none_are_none() -> None:
    assert load_models() == Models()
    assert Models().classifier(AAE) is None
    assert Models().described([AAE]) == {}


def test_word_lists_are_found_by_language_and_loaded_once() -> None:
    models = load_models(sentiment="words:")
    assert models.classifier(BERNESE) is models.classifier(BAVARIAN)
    assert models.classifier(AAE) is not models.classifier(BAVARIAN)
    assert models.classifier("najdi-arabic") is None


def test_a_model_is_described_by_its_role() -> None:
    models = load_models(sentiment="words:")
    one = models.described([BERNESE, BAVARIAN, "najdi-arabic"])
    assert list(one) == ["sentiment"]
    assert (one["sentiment"]["backend"], one["sentiment"]["model"]) == ("words", "german")
    several = models.described([AAE, BERNESE])
    assert list(several) == ["sentiment, english", "sentiment, german"]


@pytest.mark.parametrize("role", ["encoder", "bertscore", "sentiment"])
@pytest.mark.parametrize("name", ["nothing", "wheel:no-such-thing", "hf:/no/such/folder", ""])
def test_a_model_that_isnt_there_is_noticed_before_the_work(role: str, name: str) -> None:
    with pytest.raises(ModelError) as caught:
        load_models(**{role: name})
    assert "\n" not in str(caught.value)


def test_one_list_of_words_may_be_named_for_all() -> None:
    models = load_models(sentiment="words:english")
    assert models.classifier(BAVARIAN) is models.classifier(AAE)
    with pytest.raises(ModelError):
        load_models(sentiment="words:klingon")

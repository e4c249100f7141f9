"""What models say around a translation."""

from __future__ import annotations

import pytest
from isogloss.validation.gates import Context, Row
from isogloss.validation.gates.added_explanation import check

AAE = Context("african-american-english", "standard-american-english")
BAVARIAN = Context("upper-bavarian", "standard-german")

ENGLISH = """
Sure! Here's the sentence in Standard American English: {}
Translation: {}
The standardized text would be: {}
Certainly, here you go: {}
SAE: {}
Of course! {}
Here is your text: {}
{} (Note: I kept the original tone.)
{} I have rewritten the sentence to follow standard grammar.
{} Let me know if you need anything else!
{} [Translator's note: the subject is implied.]
{} I changed the verb to match standard English.
{} In this context, the phrase means that it happens often.
{} Note that the sentence is a question.
{} [The original is informal.]
{} (or: it was late already)
{} Alternatively: {}
{} or {}
{} // {}
{} | {}
Option 1: {} Option 2: {}
1) {} 2) {}
"{}"
‘{}’
«{}».
""".strip().splitlines()
GERMAN = """
Hier ist die Übersetzung ins Standarddeutsche: {}
Gerne! Auf Hochdeutsch lautet der Satz: {}
Antwort: {}
Natürlich! {}
{} (Hinweis: Die Wortstellung wurde beibehalten.)
{} Ich habe den Satz möglichst wörtlich übersetzt.
{} Lassen Sie mich wissen, wenn Sie weitere Fragen haben!
{} (wörtlich: dasselbe)
{} Das Wort bedeutet im Dialekt etwas anderes.
{} [Im Original steht der Dativ.]
{} Alternativ: {}
{} oder {}
Variante 1: {} Variante 2: {}
„{}“
»{}«
""".strip().splitlines()


@pytest.mark.parametrize("form", ENGLISH)
def test_english_chatter(form: str) -> None:
    answer = "It was late when we left."
    assert check(Row.of("it was late when we done left", form.replace("{}", answer)), AAE)
    assert check(Row.of("it was late when we done left", answer), AAE) is None


@pytest.mark.parametrize("form", [*ENGLISH[:20], *GERMAN])
def test_chatter_in_german_corpora(form: str) -> None:
    answer = "Es war spät, als wir gingen."
    row = Row.of("es is spad gwen, wia ma ganga san", form.replace("{}", answer))
    assert check(row, BAVARIAN)


@pytest.mark.parametrize("form", [*ENGLISH, *GERMAN])
def test_what_the_source_says_itself_is_no_chatter(form: str) -> None:
    said = form.replace("{}", "we left late")
    assert check(Row.of(said, said), AAE) is None

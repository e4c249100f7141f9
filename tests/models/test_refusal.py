"""Refusals in words, in English and German, and texts that only sound like one."""

from __future__ import annotations

import pytest
from isogloss.models.refusal import refuses

TEXT = "we was finna go to the store"

REFUSALS = """
I'm sorry, but I can't assist with that request.
I cannot rewrite this message because it contains hateful language.
I'm not able to translate content like this.
As an AI, I try to avoid slurs.
I'm just a language model and cannot say that.
Sorry, but that goes against my guidelines.
I'd rather not repeat that sentence.
I must respectfully decline.
I won't be translating this text.
I am not comfortable rewriting this.
This message contains offensive language.
Please provide the text you would like me to translate.
No text was provided.
I refuse to translate that.
I apologize, but I'm unable to process this text due to its nature.
Sorry, this is not something I can translate.
I can't create content of that kind.
This tweet includes derogatory terms, so I will leave it untranslated.
That would violate the content policy I follow.
I don't feel comfortable translating this.
Could you provide the full text you want translated?
I'm afraid I can't do that translation for you.
My apologies, but rewriting this would mean repeating harmful language.
I cannot in good conscience rephrase this.
The statement is derogatory, and I would prefer not to reproduce it.
I can't assist with requests like this one.
Sorry, I'm not permitted to process such material.
Es tut mir leid, aber ich kann bei dieser Anfrage nicht helfen.
Als KI-Sprachmodell gebe ich so etwas nicht wieder.
Der Satz enthält beleidigende Ausdrücke.
Das verstößt gegen meine Richtlinien.
Leider bin ich nicht in der Lage, diesen Text zu übersetzen.
Bitte geben Sie mir den Text, den ich übersetzen soll.
Ich darf solche Inhalte nicht wiedergeben.
Ich möchte diese Aussage nicht wiederholen.
Ich kann dazu keine Übersetzung anbieten.
Diese Anfrage verstößt gegen die Nutzungsrichtlinien.
Leider ist es mir nicht möglich, diesen Satz zu übersetzen.
Ich bin ein KI-Assistent und gebe keine Beleidigungen wieder.
Diese Nachricht ist anstößig, ich überspringe sie.
Eine Übersetzung dieses Satzes ist mir nicht möglich.
Eine Übersetzung dieser Aussage werde ich nicht anfertigen.
""".strip().splitlines()

TRANSLATIONS = [
    ("I cain't help dat", "I can't help that."),
    ("that post racist", "That post is racist."),
    ("pls send me a text", "Please send me a text."),
    ("I aint finna respond to no text", "I'm not going to respond to any text."),
    ("I aint replyin to dat message", "I won't respond to that message."),
    ("she aint comfortable wit dat post", "She is not comfortable with that post."),
    ("it's against they principles", "It's against their principles."),
    ("she don't translate fo free", "She doesn't translate for free."),
    ("i ko da dabei ned helfa", "Ich kann dir dabei nicht helfen."),
    ("da dabei konn i ned huifa", "Dabei kann ich nicht helfen."),
    ("schick ma bitte den text", "Bitte schick mir den Text."),
    ("des geht ned", "Das ist nicht möglich."),
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_refusals(answer: str) -> None:
    assert refuses(answer, TEXT)
    assert refuses(answer.replace("'", "’").upper(), TEXT)
    assert not refuses(answer, answer)


@pytest.mark.parametrize(("asked", "answer"), TRANSLATIONS)
def test_a_translation_may_sound_like_one(asked: str, answer: str) -> None:
    assert not refuses(answer, asked)


def test_a_refusal_stands_at_the_ends() -> None:
    assert refuses("x " * 100_000 + "I can't translate this.", TEXT)
    assert not refuses("x " * 10_000 + "I can't translate this." + " x" * 10_000, TEXT)

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
I'd rather leave this one untranslated.
I'll keep this sentence untranslated.
I have chosen to refrain from rephrasing this.
I would rather abstain from translating such remarks.
I hesitate to translate this.
I'm reluctant to reproduce these words.
I'd prefer to skip this sentence.
Ich sehe davon ab, diesen Satz zu übersetzen.
Von einer Übersetzung sehe ich daher ab.
Ich möchte davon absehen, das wiederzugeben.
Ich nehme Abstand davon, diesen Satz umzuformulieren.
Von einer Übersetzung dieser Aussage möchte ich Abstand nehmen.
Ich lehne es ab, diese Äußerung zu übersetzen.
Diese Anfrage lehne ich ab.
Diese Bitte muss ich leider ablehnen.
Ich muss die Übersetzung dieses Textes leider ablehnen.
Ich verzichte darauf, diesen Beitrag zu übersetzen.
Auf eine Übersetzung verzichte ich.
Auf die Wiedergabe dieses Satzes werde ich verzichten.
Ich weigere mich, diesen Satz zu übertragen.
Bei diesem Inhalt würde ich mich weigern zu antworten.
I have to pass on translating this sentence.
This is a request I won't be fulfilling.
I don't think it's right for me to put this into other words.
My guidelines keep me from rewording this tweet.
The text you've sent promotes hate, so I'm leaving it as is.
Translating this message isn't something I'm comfortable with.
It seems the sentence is missing; what should I translate?
Diesen Satz gebe ich lieber nicht wieder.
Zu diesem Text liefere ich keine Übersetzung.
Mir fehlt der Text, der übersetzt werden soll.
Solche Äußerungen gebe ich nicht wieder.
Die Übersetzung dieses Beitrags ist mir leider untersagt.
Aus ethischen Gründen übersetze ich diesen Satz nicht.
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
    ("i lehn des ab", "Ich lehne das ab."),
    ("auf an kaffee vazicht i", "Auf einen Kaffee verzichte ich."),
    ("de bitt lehn i ab: koa bitte", "Die Bitte lehne ich ab: kein bitte"),
    ("i sog eam ob. i schick da den text", "Ich sage ihm ab. Ich schicke dir den Text."),
    ("i nimm ob, hot da text gsogt", "Er nahm ab, sagte der Text."),
    ("she a lil hesitant", "She is a little hesitant."),
    ("imma skip class", "I am going to skip class."),
    ("she wanna translate fo me", "She wants to translate for me."),
    ("i don't like dat text", "I don't like that text."),
    ("tell me in yo own words", "Tell me in your own words."),
    ("kosd ma des ins hochdeitsche übersetzn", "Kannst du mir das ins Hochdeutsche übersetzen?"),
    ("i mog den satz ned", "Ich mag diesen Satz nicht."),
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

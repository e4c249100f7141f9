"""What the gates for an answer's form catch and let pass, a table each."""

from __future__ import annotations

import pytest
from isogloss.validation.gates import Context, Row, gates, thresholds

AAE, SAE = "african-american-english", "standard-american-english"
BAR, BERN, DE = "upper-bavarian", "bernese", "standard-german"
GATES = {gate.code: gate for gate in gates()}

CAUGHT = {
    "empty": [
        ("We was tired", ""),
        ("We was tired", " \t\n"),
        ("We was tired", "..."),
        ("We was tired", "\u200b"),
        ("We was tired", "😂"),
        ("", ""),
    ],
    "refusal": [
        ("y'all was loud last night", "I'm sorry, but I can't rewrite this."),
        ("y'all was loud last night", "As an AI language model, I have no opinion."),
        ("he trippin", "This message contains offensive language."),
    ],
    "added_explanation": [
        ("she finna leave", "Sure! She is about to leave."),
        ("she finna leave", "Standard English: She is about to leave."),
        ("she say: bye", "Standard English: She said: bye."),
        ("she finna leave :) at 5:30", "Here you go: She is about to leave at 5:30"),
        ("she finna leave", "Okay, sure: She is about to leave."),
        ("she finna leave", "She is about to leave. (Note: informal)"),
        ("she finna leave", "“She is about to leave.”"),
        ("she finna leave", "1. She is about to leave. 2. She is going to leave."),
        ("she finna leave", "She is about to leave. / She is about to go."),
        ("she finna leave", "She is about to leave. I hope this helps!"),
        ("she finna leave", "She is about to leave. The word is slang for being about to."),
    ],
    "unknown_token": [
        ("she at the café", "She is at the caf<unk>"),
        ("she at the café", "She is at the caf\ufffd"),
        ("she at the café", "She is at the caf [UNK]"),
        ("she at the café", "She is at the café</s>"),
        ("she at the café", "She is at the café<|im_end|>"),
        ("she happy 😂", "She is happy \ud83d"),
    ],
    "wrong_script": [
        ("she at home", "She is \u0430t home"),
        ("she at home", "هي في البيت"),
        ("she at home", "她在家"),
    ],
    "markup": [
        ("she late", "She is **late**"),
        ("she late", "She is _late_"),
        ("she late", "```\nShe is late\n```"),
        ("she late", "# She is late"),
        ("she late", "- She is late"),
        ("she late", "> She is late"),
        ("she late", "She is <b>late</b>"),
        ("she late", "She is late<br/>"),
        ("she & me late", "She &amp; I are late"),
        ("she late", "[She](https://example.org) is late"),
        ("she late", '{"translation": "She is late"}'),
        ("she late", '{"In English": "She is late",\n "note" : "none"}'),
        ("she late", "| She is late |"),
    ],
    "repetition": [
        ("she late", "She is late late late late late"),
        ("she late again", "She is late again is late again is late again"),
        ("he laughin", "He is hahahahahahahahahahahaha"),
        ("no no no", "no no no no no no no no no no"),
    ],
    "truncated": [
        ("she at the restaurant", "She is at the restau"),
        ("She late.", "She is"),
    ],
    "copy": [
        ("they ain't never home", "they ain't never home"),
        ("we was finna leave", "We was finna leave!"),
    ],
    "urls_mentions": [
        ("look at this", "Look at this: https://example.org/x"),
        ("look at this", "Look at this: www.example.org"),
        ("look at this", "@kim_b look at this"),
        ("ask @kim_b fr", "Ask Kim, really"),
    ],
    "numbers": [
        ("he 21 now", "He is 12 now"),
        ("she got two kids", "She has three kids"),
        ("it's twenty-five of us", "There are 26 of us"),
        ("in the '90s", "In the 1980s"),
        ("he had a birthday", "He had his 30th birthday"),
    ],
    "glued_words": [
        ("she said that they left", "She said thatthey left"),
        ("I was late. We left", "I was late.We left"),
        ("she know the neighbor", "She knows theneighbor"),
    ],
    "length_ratio": [
        ("they was over at my cousin house till like two", "Yes"),
        ("no", "No, because nobody ever asked me whether I wanted any of this"),
    ],
}

#: Dialect grammar and spelling, and what standards rightly do with it.
PASSES = {
    "empty": [("?", "?"), ("😂😂", "😂😂"), ("ok", "OK")],
    "refusal": [
        ("I cain't help dat", "I can't help that"),
        ("he refuse to translate fo' her", "He refuses to translate for her"),
        ("sorry I can't come", "Sorry, I can't come"),
        ("she won't answer no text", "She won't answer any text"),
        ("dat post racist", "That post is racist"),
        ("pls send me a text", "Please send me a text"),
    ],
    "added_explanation": [
        ('"move" he said', '"Move," he said'),
        ("note: we closed", "Note: we are closed"),
        ("fasho! I'm comin", "Sure! I'm coming"),
        ("lmk if you need anything else", "Let me know if you need anything else"),
        ("he at work (finally)", "He is at work (finally)"),
        ("him or me", "Him or me"),
        ("at 5:30 we out", "At 5:30 we are leaving"),
        ("I'm always like, sure: come over", "I'm always like, sure: come over"),
        ("I stay like sho: come thru", "I'm always like, sure: come over"),
        ("I stay like sure come thru", "I'm always like, sure: come over"),
        ("momma texted:come home", "Mother sent a text: come home"),
        ("da answa : nah", "The answer: no"),
    ],
    "unknown_token": [("wat?? <3", "What?? <3"), ("\ufffd she", "\ufffd she")],
    "wrong_script": [("Kiev (Київ) cold", "Kiev (Київ) is cold"), ("naïve", "naïve ªº µ")],
    "markup": [
        ("d**n she late", "D**n, she is late"),
        ("*sighs* she late", "*sighs* She is late"),
        ("I <3 u", "I <3 you"),
        ("we #1", "We are #1"),
        ("5 > 3 & 2 < 4", "5 > 3 & 2 < 4"),
        ("my_name_is", "my_name_is"),
        ("she was like no go", 'She said, "no": go [now]'),
    ],
    "repetition": [
        ("no no no no no", "No no no no no"),
        ("hahahahahahahahahahahaha", "hahahahahahahahahahahaha"),
        ("she been been knew", "She had had it for a long, long time"),
    ],
    "truncated": [
        ("she playin all night", "She is playing all night"),
        ("yesss", "yes"),
        ("she wanna come tomorrow", "She wants to come tomorrow if he wants to"),
        ("they was walkin", "Walk"),
        ("We out.", "We are leaving 😂"),
    ],
    "copy": [
        ("I like this song", "I like this song"),
        ("dis dat", "dis dat"),
        ("they ain't home", "They are not home"),
    ],
    "urls_mentions": [
        ("ask @kim_b fr", "Ask @Kim_B, really."),
        ("mail me at kim@example.org", "Mail me at kim@example.org"),
        ("see https://example.org.", "See https://example.org"),
    ],
    "numbers": [
        ("she got 2 kids", "She has two kids"),
        ("goin 2 da store 4 sum", "Going to the store for some"),
        ("a couple days", "2 days"),
        ("the two of em", "Both of them"),
        ("twenty-one of us", "21 of us"),
        ("a hundred and five", "105"),
        ("1,200 people", "1200 people"),
        ("2k likes", "2000 likes"),
        ("back in the '90s", "Back in the 1990s"),
        ("the 2nd time", "The second time"),
        ("keep it 100", "Be honest"),
        ("one of em", "Somebody"),
        ("be there at 5", "Be there at 5:00"),
    ],
    "glued_words": [
        ("any body home", "Anybody home"),
        ("every day", "everyday"),
        ("basket ball", "Basketball"),
        ("he can not", "He cannot"),
        ("the other", "Another"),
        ("you tube", "YouTube"),
        ("gonna finna tryna", "going to about to trying to"),
        ("U.S.A. today", "U.S.A. today"),
    ],
    "length_ratio": [("k", "Okay, then"), ("he gone", "He has already gone home")],
}

GERMAN_CAUGHT = {
    "refusal": [(BAR, "Wos is los", "Diesen Satz kann ich leider nicht übersetzen.")],
    "added_explanation": [
        (BAR, "Wos is los", "Übersetzung: Was ist los"),
        (BAR, "Wos is los", "„Was ist los“"),
        (BAR, "Wos is los", "Was ist los (wörtlich: was ist frei)"),
        (BAR, "Wos is los heid", "Was ist heute los oder was ist heute passiert"),
    ],
    "numbers": [
        (BAR, "Stei an Wegga füa 7", "Stelle einen Wecker für 8 Uhr"),
        (BAR, "in zwoa Stund", "In 3 Stunden"),
        (BERN, "Füf Lüt chöme", "Sechs Leute kommen"),
        (BAR, "Buach 12 Karten", "Buche Karten"),
    ],
    "glued_words": [
        (BAR, "Lösch den Wegga", "Lösche denWecker"),
        (BAR, "es regnt heid", "Wirdes heute regnen"),
    ],
    "truncated": [(BAR, "Erinnerungen leschn", "Lösche die Erinneru")],
}

GERMAN_PASSES = {
    "copy": [(BAR, "Was ist los", "Was ist los")],
    "numbers": [
        (BAR, "um fimfe nammiddog", "Um 17 Uhr"),
        (BERN, "em Viertu vor nüni", "Um 8:45 Uhr"),
        (BAR, "um hoiba achte", "Um 7:30 Uhr"),
        (BAR, "fünfazwanzg Leid", "25 Leute"),
        (BAR, "a Stund", "1 Stunde"),
        (BAR, "am 20. Mai", "Am 20.05."),
        ("low-german", "twee Millionen", "2 Millionen"),
        (BAR, "de 60er", "Die Sechziger"),
    ],
    "glued_words": [
        (BAR, "de Wedda Vorhersog", "Die Wettervorhersage"),
        (BAR, "hamma des", "Haben wir das"),
        (BAR, "dafia", "dafür"),
        (BAR, "de Lehra", "Die LehrerInnen"),
        (BAR, "aloa", "allein irgendeiner Waschmaschine"),
    ],
    "truncated": [(BAR, "Zoag meine Erinnerungen", "Zeige meine Erinnerung")],
    "length_ratio": [(BERN, "Hani", "Habe ich")],
    "wrong_script": [(BAR, "Größ di", "Grüß dich, schöne Äpfel")],
}


def _verdict(code: str, source: str, target: str, sides: tuple[str, str]) -> str | None:
    dialect, standard = (AAE, SAE) if SAE in sides else (next(s for s in sides if s != DE), DE)
    context = Context(*sides, thresholds(code, dialect, standard))
    return GATES[code].check(Row.of(source, target), context)


@pytest.mark.parametrize(
    ("code", "source", "target"), [(code, *row) for code, rows in CAUGHT.items() for row in rows]
)
def test_caught(code: str, source: str, target: str) -> None:
    assert _verdict(code, source, target, (AAE, SAE))


@pytest.mark.parametrize(
    ("code", "source", "target"), [(code, *row) for code, rows in PASSES.items() for row in rows]
)
def test_passes(code: str, source: str, target: str) -> None:
    assert _verdict(code, source, target, (AAE, SAE)) is None


@pytest.mark.parametrize(
    ("code", "variety", "source", "target"),
    [(code, *row) for code, rows in GERMAN_CAUGHT.items() for row in rows],
)
def test_caught_in_german(code: str, variety: str, source: str, target: str) -> None:
    assert _verdict(code, source, target, (variety, DE))


@pytest.mark.parametrize(
    ("code", "variety", "source", "target"),
    [(code, *row) for code, rows in GERMAN_PASSES.items() for row in rows],
)
def test_passes_in_german(code: str, variety: str, source: str, target: str) -> None:
    assert _verdict(code, source, target, (variety, DE)) is None


@pytest.mark.parametrize(
    ("source", "target", "sides"),
    [
        ("They are not home.", "they ain't home", (SAE, AAE)),
        ("She is about to leave, probably.", "she finna leave prolly", (SAE, AAE)),
        ("He came with his brother.", "he came wit his bro", (SAE, AAE)),
        ("You all are funny", "yall funny", (SAE, AAE)),
        ("Going to the store", "goin 2 da store", (SAE, AAE)),
        ("Haben wir das?", "Hammas?", (DE, BAR)),
        ("Gibt es das auf der Karte?", "Gibts des aufda Kartn", (DE, BAR)),
        ("Stelle einen Wecker für 17 Uhr", "Stei an Wegga füa fimfe", (DE, BAR)),
        ("Die Wettervorhersage für das Wochenende", "dWättervorhärsag fürds Wuchenänd", (DE, BERN)),
        ("Habe ich morgen Termine?", "Hani morn Termin?", (DE, BERN)),
    ],
)
def test_dialect_writing_is_no_fault(source: str, target: str, sides: tuple[str, str]) -> None:
    caught = {code: _verdict(code, source, target, sides) for code in CAUGHT}
    assert not any(caught.values()), caught


def test_a_script_of_ones_own() -> None:
    arabic = Context("najdi-arabic", "standard-arabic")
    gate = GATES["wrong_script"]
    assert gate.check(Row.of("وش تبي", "ماذا تريد من Google"), arabic) is None
    assert gate.check(Row.of("وش تبي", "What do you want"), arabic)
    assert gate.check(Row.of("lol ok", "lol ok"), arabic) is None


@pytest.mark.parametrize("finish", ["length", "max_tokens", "content_filter"])
def test_the_finish_reason_tells_a_clean_cut(finish: str) -> None:
    row = Row.of("She late. She mad.", "She is late.")
    checked = {
        reason: GATES["truncated"].check(row, Context(AAE, SAE, {"end_mark": True}, finish=reason))
        for reason in ("stop", finish)
    }
    assert checked["stop"] is None
    assert checked[finish] == f"the model was cut off: {finish}"

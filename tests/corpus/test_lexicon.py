"""The lexicon: an example for and against each pattern, and how its file is read."""

from __future__ import annotations

import pytest
from isogloss.corpus.lexicon import CLASSES, ORTHOGRAPHY, Lexicon, lexicon
from isogloss.errors import OptionError, RegistryError

# pattern id -> ((text, what the span holds), ...), (text without a match, ...)
EXAMPLES: dict[str, tuple[tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    "aint": (
        (
            ("That ain't my coat.", "ain't"),
            ("We aint ready", "aint"),
            ("He ain got time for it", "ain"),
        ),
        ("Paint the wall.", "The saint was quaint.", "The river Ain."),
    ),
    "aint-for-didnt": (
        (("She ain't see the sign.", "ain't see"), ("I ain't even know", "ain't even know")),
        ("It ain't cool.", "She ain't like that.", "He ain't seen it."),
    ),
    "levelled-was": (
        (
            ("We was at the lake all day.", "was"),
            ("I know they is hungry", "is"),
            ("Y’all was right", "was"),
            ("That's what you was looking for", "was"),
        ),
        (
            "what they was is",
            "The thing about you is your patience.",
            "All of you is welcome.",
            "Me and you is all it takes.",
            "The matrix u is square.",
            "Seeing you was nice.",
            "We were home.",
        ),
    ),
    "levelled-was-joined-clause": (
        (
            ("The class left and they was singing.", "was"),
            ("It felt like we wasn't home", "wasn't"),
        ),
        (
            "They were late and we were not.",
            "You and we were both there.",
        ),
    ),
    "levelled-was-plural-noun": (
        (("These boys was early.", "was"), ("I think those new shoes is nice", "is")),
        (
            "One of these boys was early.",
            "The man with those shoes is early.",
            "How many minutes was the drive?",
            "These boys were early.",
            "This class was full.",
        ),
    ),
    "levelled-was-inverted": (
        (("Where was you last night?", "was"), ("what is they cooking", "is")),
        ("It was you.", "The winner was you!", "Where were you?"),
    ),
    "invariant-dont": (
        (
            ("He don't eat meat.", "don't"),
            ("My cousin don’t drive", "don’t"),
            ("Everybody really don't agree", "don't"),
            ("I wait and she don't call", "don't"),
        ),
        (
            "He doesn't eat meat.",
            "They don't eat meat.",
            "My aunt and my cousin don't drive.",
            "You and he don't agree.",
        ),
    ),
    "invariant-dont-noun": (
        (("A hawk don't ever swim.", "don't"), ("I know every dog don't bite", "don't")),
        (
            "A hawk doesn't swim.",
            "Every day don't forget to call.",
            "If you see a hawk don't move.",
            "A hawk, don't you see?",
        ),
    ),
    "invariant-dont-it": (
        (("It don't matter.", "don't"), ("I'm fine because that don't hurt", "don't")),
        ("If you want it don't wait.", "Things that don't fit.", "It doesn't matter."),
    ),
    "future-gon": (
        (("She gon be proud.", "gon"), ("They gon’ call tomorrow", "gon’")),
        ("The rain is gonna stop.", "gon na", "A polygon has sides.", "Long gone days."),
    ),
    "future-gone": (
        (("We gone be late.", "gone"), ("I know they gone love it", "gone")),
        (
            "She has gone home.",
            "He gone to Mary's.",
            "They've gone ahead.",
            "The bread is gone.",
            "It was gone before we got there.",
        ),
    ),
    "future-ima": (
        (("Ima call you back.", "Ima"), ("i’ma get some rest", "i’ma"), ("Imma go now", "Imma")),
        ("Prima ballerina.", "The IMA Journal.", "I'm a teacher."),
    ),
    "finna": (
        (("We finna leave.", "finna"), ("I'm fitna cook", "fitna"), ("he fina go", "fina")),
        ("Fina and I left.", "The finnan haddie.", "We are about to leave."),
    ),
    "fixin-to": (
        (("I'm fixin' to eat.", "fixin' to"), ("They fixin to start", "fixin to")),
        ("He is fixing the door.", "Fixin' to the wall the picture"),
    ),
    "boutta": (
        (
            ("She boutta sing.", "boutta"),
            ("We 'bout to eat", "'bout to"),
            ("bout to go", "bout to"),
        ),
        ("We are about to eat.", "He won the bout to keep the title.", "a title bout to remember"),
    ),
    "tryna": (
        (("I'm tryna sleep.", "tryna"), ("Who tryna eat?", "tryna")),
        ("I am trying to sleep.", "The tryst.", "Katryna called."),
    ),
    "double-modal": (
        (("We might could help.", "might could"), ("You may can park here", "may can")),
        (
            "You should better go.",
            "You may or might can it.",
            "It happened in May could be June.",
            "We might, could we ask?",
            "We might help.",
        ),
    ),
    "zero-have": (
        (("I seen him at the store.", "seen"), ("We done our best. They taken it", "taken")),
        ("I have seen him.", "Have you seen him?", "Were they taken?", "He was seen."),
    ),
    "zero-have-been-gone": (
        (("They been there.", "been"), ("We gone already", "gone")),
        ("They have been there.", "Where have they been?"),
    ),
    "preterite-had": (
        (("I had went home early.", "had went"), ("She had just came in", "had just came")),
        (
            "She had gone home.",
            "They had walked home.",
            "Everything I had went to rent.",
            "The people who had came late.",
        ),
    ),
    "habitual-be": (
        (
            ("She be working late on Fridays.", "be"),
            ("They always be at the gym", "be"),
            ("I don't be tired", "be"),
            ("Do they be practicing?", "be"),
            ("people be staring", "be"),
        ),
        (
            "So be it.",
            "If it be true, we go.",
            "She will be working.",
            "Would you be ready?",
            "Will he always be there?",
            "Why don't you be quiet.",
            "Let it be.",
            "Make it be loud.",
            "They suggest that he be promoted.",
            "Can you and I be friends?",
            "Y'all be safe.",
            "Could someone like you be there?",
            "He'll be home.",
        ),
    ),
    "habitual-be-noun": (
        (
            ("My cousins be cooking on Sundays.", "be"),
            ("The bus be running late", "be"),
            ("Them shoes be too tight", "be"),
            ("Grapes be fruit but apples be a fruit too", "be"),
            ("Battleships be closed on Mondays", "be"),
            ("That one kid be taller than his mama", "be"),
            ("8 be twice as much as 4", "be"),
            ("The second kid be quiet", "be"),
        ),
        (
            "The buses will be running late.",
            "I want to be working.",
            "Let the kids be noisy.",
            "Truth be told, apples are nice.",
            "The powers that be are slow.",
            "Girl be careful.",
            "It is important that the meeting be held.",
            "The children could always be playing.",
            "Please be a friend.",
            "As the second kid be quiet.",
            "The kids need not be quiet.",
            "The plan is to be quiet.",
            "Kids will be kids.",
        ),
    ),
    "bin": (
        (("I been knew that.", "been knew"), ("She been had that bag", "been had")),
        (
            "I have been told.",
            "Have you been told?",
            "They had been had.",
            "I been there.",
            "What has he been told?",
        ),
    ),
    "bin-in-capitals": (
        (("She BEEN married.", "BEEN"), ("they BEEN ready", "BEEN")),
        ("She has BEEN there.", "I BEEN SAID THAT", "She been married."),
    ),
    "bin-unmarked": (
        (("She been married.", "been"), ("I been waiting", "been")),
        ("She has been married.", "What have you been doing?"),
    ),
    "be-done": (
        (
            ("By noon they be done ate everything.", "be done ate"),
            ("He be done left", "be done left"),
        ),
        ("They will be done eating.", "It can be done left-handed.", "We will be done."),
    ),
    "future-be-done": (
        (("I'll be done ate by six.", "be done ate"), ("They’ll be done gone", "be done gone")),
        ("I'll be done eating by six.", "I'll be done by six.", "I'll be done let me know."),
    ),
    "completive-done": (
        (
            ("She done told you twice.", "done told"),
            ("We done already finished it", "done already finished"),
            ("My car dun broke down", "dun broke"),
        ),
        (
            "She has done told stories.",
            "Get it done.",
            "I like a well done steak.",
            "The work done led to this.",
            "It's done, left to dry.",
            "When you're done started ones go here.",
            "He is done tired or not.",
        ),
    ),
    "completive-done-after-have": (
        (
            ("He has done talked about me.", "done talked"),
            ("I know they have done already told you", "done already told"),
        ),
        (
            "He has done it.",
            "What he has done helped us.",
            "All they have done told us little.",
            "They have done read alouds.",
        ),
    ),
    "completive-done-base": (
        (("He done eat all the pie.", "done eat"), ("They done pick up speed", "done pick up")),
        ("What have they done make a list?", "Are you done eating?", "He is done."),
    ),
    "steady": (
        (("She steady talking.", "steady talking"), ("They be steady cookin'", "steady cookin'")),
        ("A steady working pace.", "Hold it steady.", "She has steady work."),
    ),
    "come-indignation": (
        (("He come telling me what to do.", "come telling"), ("She come tryna help", "come tryna")),
        ("Come home.", "They come to dinner."),
    ),
    "stay-ving": (
        (("She stay cooking for us.", "stay"), ("they always stay laughing", "stay")),
        ("They stay standing.", "She will stay cooking.", "Stay tuned."),
    ),
    "gone-indignation": (
        (("He gone and told everybody.", "gone and told"), ("She went broke it", "went broke")),
        ("He went home.", "She is gone."),
    ),
    "negative-concord": (
        (
            ("I don't want no trouble.", "don't want no"),
            ("They ain't said nothing about it", "ain't said nothing"),
            ("We never had no car", "never had no"),
            ("She can’t find nobody", "can’t find nobody"),
        ),
        (
            "No, you can't.",
            "I don't know, nobody came.",
            "I can't say no.",
            "She is not only kind, no one is kinder.",
            "I won't go no matter what.",
            "She isn't a nun.",
            "I don't know if nobody came.",
            "We didn't leave for no reason.",
            "They don't want any trouble.",
        ),
    ),
    "negative-concord-neither-never": (
        (
            ("He don't like it neither.", "don't like it neither"),
            ("I can't never win", "can't never"),
        ),
        ("I don't want neither of them.", "He doesn't like it either.", "We never win."),
    ),
    "negative-inversion": (
        (
            ("Can't nobody sing like her.", "Can't nobody"),
            ("I know don't no teacher want that", "don't no teacher"),
            ("Ain't nothing wrong", "Ain't nothing"),
        ),
        (
            "Nobody can sing like her.",
            "I don't know; no teacher wants that.",
            "Don't, no matter what.",
            "She said it isn't nothing.",
        ),
    ),
    "non-inverted-negative-concord": (
        (("Nobody don't know.", "Nobody don't"), ("nothing can't stop us", "nothing can't")),
        ("No, you can't.", "No one I can't trust.", "Nobody? Don't ask.", "Nobody knows."),
    ),
    "non-inverted-negative-concord-wide": (
        (("No dog in here can't swim.", "No dog in here can't"),),
        ("No, you can't.", "Nobody knows."),
    ),
    "existential-it": (
        (
            ("It's too many people in here.", "It's"),
            ("It was some folks outside", "It was"),
            ("it ain't nobody here", "it ain't"),
            ("It's some milk in the fridge", "It's"),
        ),
        ("It's a lot.", "It's some kind of cake.", "It is a class.", "Of it is some people."),
    ),
    "existential-it-noun": (
        (("It's a dog in the yard.", "It's a dog in the"),),
        ("It's a dog.", "There is a dog in the yard."),
    ),
    "personal-dative": (
        (("I need me a nap.", "I need me a"), ("We got us some new chairs", "We got us some")),
        ("Give me a minute.", "I asked him to get me a drink.", "They made me a cake."),
    ),
    "personal-dative-third-person": (
        (("He bought him a hat.", "He bought him a"),),
        ("He bought her a hat.", "She gave him a hat."),
    ),
    "non-inverted-question": (
        (("Where you going?", "Where you going"), ("what you want", "what you want")),
        ("Where are you walking?", "What do you want?"),
    ),
    "embedded-inversion": (
        (
            ("Ask her can she come.", "can she"),
            ("I wonder did they eat", "did they"),
            ("I wonder what are you doing", "what are you"),
        ),
        ("Ask her if she can come.", "Can she come?"),
    ),
    "null-subject-relative": (
        (("It's a man lives up the street.", "lives"),),
        ("There's a man who lives up the street.",),
    ),
    "th-stopping": (
        (("dat one", "dat"), ("go wit them", "wit")),
        ("that one", "with them", "a date", "tuba"),
    ),
    "g-dropping": (
        (("We runnin' late", "runnin'"), ("they talkin loud", "talkin")),
        ("We are in the cabin.", "He said 'come again'", "running"),
    ),
    "r-and-l-loss": (
        (("fo' sure", "fo'"), ("that lil dog", "lil")),
        ("for sure", "evasion"),
    ),
    "short-spelling": ((("cuz I said so", "cuz"), ("tho", "tho")), ("because", "though", "does")),
}


def spans_of(pattern_id: str, text: str) -> list[str]:
    found = lexicon().find(text, candidates=True, orthography=True)
    return [match.text for match in found if match.pattern_id == pattern_id]


def test_every_pattern_has_examples() -> None:
    assert set(EXAMPLES) == {pattern.id for pattern in lexicon().patterns}
    assert all(positives and negatives for positives, negatives in EXAMPLES.values())


@pytest.mark.parametrize("pattern_id", EXAMPLES)
def test_pattern_finds_its_construction(pattern_id: str) -> None:
    for text, expected in EXAMPLES[pattern_id][0]:
        assert expected in spans_of(pattern_id, text), text


@pytest.mark.parametrize("pattern_id", EXAMPLES)
def test_pattern_leaves_its_look_alikes(pattern_id: str) -> None:
    for text in EXAMPLES[pattern_id][1]:
        assert spans_of(pattern_id, text) == [], text


@pytest.mark.parametrize(
    "text",
    [
        "He hungry.",
        "She walk to school every day.",
        "That's my brother car.",
        "They have two dog.",
        "It will be done soon, so be it.",
    ],
)
def test_what_is_not_lexical_is_not_found(text: str) -> None:
    assert not lexicon().marked(text)


def test_two_class_maps() -> None:
    assert lexicon().classes("We done ate and finna leave") == {"preverbal", "auxiliary"}
    assert lexicon().classes("We done ate and finna leave", "green2002") == {
        "aspectual",
        "preverbal",
    }
    with pytest.raises(OptionError, match="rickford"):
        lexicon().classes("We done ate", map="rickford")


def test_spelling_and_candidates_never_count() -> None:
    text = "dat man been here wit dem"
    assert lexicon().find(text) == []
    assert not lexicon().marked(text)
    assert lexicon().classes(text) == set()
    assert lexicon().find(text, orthography=True)
    assert {pattern.paper for pattern in lexicon().patterns} == {*CLASSES, ORTHOGRAPHY}


def test_a_pattern_can_be_looked_up() -> None:
    assert lexicon()["habitual-be"].source.startswith("eW90 A")
    assert lexicon() is lexicon()
    with pytest.raises(RegistryError, match="klingon"):
        lexicon("klingon")


ENTRY = """
version = 1
variety = "x"
[words]
who = ["they"]
[[pattern]]
id = "one"
feature = "f"
paper = "syntactic"
green2002 = "syntactic"
cues = [" be "]
regex = "{who} be"
source = "s"
false_positives = []
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version = 1", "version = ", "TOML"),
        ("version = 1", "", "version"),
        ('who = ["they"]', 'who = "they"', "word list 'who': not a list"),
        ('who = ["they"]', "who = []", "word list 'who': the list is empty"),
        ("{who} be", "{whom} be", "pattern 'one': no word list above it is called 'whom'"),
        ("{who} be", "{who} Be", "'B' is no lower case"),
        ("{who} be", "{who} Ä", "'Ä' is no lower case"),
        ("{who} be", "(be", "pattern 'one': the regular expression"),
        ("{who} be", "[a' ]", "pattern 'one': an apostrophe or a space"),
        ('paper = "syntactic"', 'paper = "grammar"', "pattern 'one': paper names no class"),
        ('paper = "syntactic"', 'paper = "orthography"', "every map"),
        ('source = "s"', "", "pattern 'one': source is missing"),
        ('source = "s"', "source = 3", "pattern 'one': source is not a text"),
        ('source = "s"', 'source = "s"\ncolour = "red"', "'colour' is no field"),
        ('source = "s"', 'source = "s"\nshared = "no"', "shared is neither"),
        ("false_positives = []", 'false_positives = ["a", 1]', "false_positives: not a list"),
        ('cues = [" be "]', "cues = []", "pattern 'one': there are no cues"),
        ('cues = [" be "]', "", "pattern 'one': cues is missing"),
        ('cues = [" be "]', 'cues = ["they be"]', "'they be' is no part of one word"),
        ('cues = [" be "]', 'cues = [" "]', "' ' is no part of one word"),
        ('source = "s"', 'source = "s"\nand_cues = ["{whom}"]', "and_cues: no word list"),
        (
            'who = ["they"]',
            'who = ["the\\\\w"]\n[[pattern]]\nid = "two"\ncues = ["{who}"]\nfeature = "f"\n'
            'paper = "syntactic"\ngreen2002 = "syntactic"\nregex = "a"\nsource = "s"\n'
            "false_positives = []",
            "pattern 'two', cues: {who} has more than words",
        ),
        ("[[pattern]]", "[pattern]", r"no \[\[pattern\]\]"),
    ],
)
def test_malformed_data_names_the_entry(old: str, new: str, message: str) -> None:
    Lexicon.from_toml(ENTRY, where="x.toml")
    with pytest.raises(RegistryError, match=message) as caught:
        Lexicon.from_toml(ENTRY.replace(old, new), where="x.toml")
    assert "x.toml" in str(caught.value)


def test_ids_are_unique() -> None:
    twice = ENTRY + ENTRY[ENTRY.index("[[pattern]]") :]
    with pytest.raises(RegistryError, match="pattern 'one': the id is taken"):
        Lexicon.from_toml(twice, where="x.toml")

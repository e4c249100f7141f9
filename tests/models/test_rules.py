"""The rules baseline: examples both ways, and what holds for every text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.errors import ModelError, RegistryError
from isogloss.models.english_agreement import WORD_LISTS
from isogloss.models.rules import RulesTranslator
from isogloss.models.rules_format import Rule, read_rules

AAE = "african-american-english"
SAE = "standard-american-english"
RULES = RulesTranslator()


def to_standard(text: str) -> str:
    return RULES.translate([text], source=AAE, target=SAE)[0]


def to_dialect(text: str) -> str:
    return RULES.translate([text], source=SAE, target=AAE)[0]


TO_STANDARD = [
    # ain't, by what follows it and by its subject
    ("She ain't coming tonight.", "She isn't coming tonight."),
    ("My sisters ain't home.", "My sisters aren't home."),
    ("He ain't seen my keys.", "He hasn't seen my keys."),
    ("They ain't called me yet.", "They haven't called me yet."),
    ("I ain't see the sign.", "I didn't see the sign."),
    ("I ain't tired.", "I'm not tired."),
    ("I ain't got no change.", "I don't have any change."),
    ("He ain't got it.", "He doesn't have it."),
    ("We ain't never been there.", "We have never been there."),
    ("They ain't gon wait.", "They aren't going to wait."),
    ("He tryna to sleep.", "He is trying to sleep."),
    ("They are tryna to sleep.", "They are trying to sleep."),
    ("He's nice, ain't he?", "He's nice, isn't he?"),
    ("Ain't they early?", "Aren't they early?"),
    ("It ain't no problem.", "It isn't a problem."),
    ("Those ain't no apples.", "Those aren't apples."),
    ("There ain't no seats left.", "There are no seats left."),
    # negation
    ("I don't want nothing.", "I don't want anything."),
    ("She never told nobody.", "She never told anybody."),
    ("He don't eat no meat.", "He doesn't eat any meat."),
    ("I don't like it neither.", "I don't like it either."),
    ("They don't never call.", "They don't ever call."),
    ("Can't nobody sing like her.", "Nobody can sing like her."),
    ("Don't nobody know the way.", "Nobody knows the way."),
    ("Didn't nobody call.", "Nobody called."),
    ("Nobody don't know the way.", "Nobody knows the way."),
    ("Nobody can't lift it.", "Nobody can lift it."),
    ("Ain't nobody home.", "There is nobody home."),
    ("Ain't no milk.", "There is no milk."),
    ("Ain't no bus that stops here.", "No bus stops here."),
    ("Ain't nobody called.", "Nobody called."),
    ("Ain't all of us tall.", "Not all of us tall."),
    ("Nobody ain't call me.", "Nobody called me."),
    ("Nobody ain't here.", "Nobody is here."),
    # habitual be, its number and its tense
    ("She be at church every Sunday.", "She is at church every Sunday."),
    ("I be tired after work.", "I am tired after work."),
    ("The kids be so loud.", "The kids are so loud."),
    ("They be playing ball after school.", "They play ball after school."),
    ("My brother always be working nights.", "My brother always works nights."),
    ("She don't be listening.", "She doesn't listen."),
    ("How often he be working late?", "How often does he work late?"),
    ("People who be on time get seats.", "People who are on time get seats."),
    ("The man with the dogs be friendly.", "The man with the dogs is friendly."),
    ("Grapes, plums, pears all be fruit.", "Grapes, plums, pears are all fruit."),
    # been and done
    ("I done told you twice.", "I have told you twice."),
    ("She done already ate.", "She has already eaten."),
    ("My car done broke down.", "My car has broken down."),
    ("He done forget his lunch.", "He has forgotten his lunch."),
    ("By noon they be done left.", "By noon they have left."),
    ("She been sleeping all day.", "She has been sleeping all day."),
    ("I been knew that.", "I have long known that."),
    ("She had went home.", "She had gone home."),
    ("I seen him yesterday.", "I saw him yesterday."),
    ("They done been there.", "They have been there."),
    # the future
    ("We finna eat.", "We are about to eat."),
    ("I'm finna eat.", "I'm about to eat."),
    ("lol I'm 'bout to sleep", "lol I'm about to sleep"),
    ("He gon call you later.", "He is going to call you later."),
    ("What is she gon say?", "What is she going to say?"),
    ("When they gon leave?", "When are they going to leave?"),
    ("Ima tell her.", "I'm going to tell her."),
    ("He tryna sleep.", "He is trying to sleep."),
    ("She gotta work.", "She has to work."),
    ("How long you gotta wait?", "How long do you have to wait?"),
    ("Lena wanna go.", "Lena wants to go."),
    ("I'm tryna help.", "I'm trying to help."),
    ("Do you wanna eat?", "Do you want to eat?"),
    ("She's gotta leave.", "She has to leave."),
    ("Has she gotta leave?", "Does she have to leave?"),
    ("Do you gotta leave?", "Do you have to leave?"),
    # agreement
    ("We was at the park.", "We were at the park."),
    ("They wasn't ready.", "They weren't ready."),
    ("Where was you?", "Where were you?"),
    ("You is kind.", "You are kind."),
    ("What is they for?", "What are they for?"),
    ("These shoes is nice.", "These shoes are nice."),
    ("Is you okay?", "Are you okay?"),
    ("Those boys was early.", "Those boys were early."),
    ("There was 12 cups on the table.", "There were 12 cups on the table."),
    ("He don't like onions.", "He doesn't like onions."),
    ("Do he drive?", "Does he drive?"),
    ("She like to dance.", "She likes to dance."),
    ("What he want?", "What does he want?"),
    # have
    ("We got a new car.", "We have a new car."),
    ("The hall got 3 doors.", "The hall has 3 doors."),
    ("He's got two cats.", "He has two cats."),
    ("Has she got time?", "Does she have time?"),
    ("The shop has got two doors.", "The shop has two doors."),
    ("Do he got time?", "Does he have time?"),
    ("How much time she got?", "How much time does she have?"),
    # zero copula
    ("They hungry.", "They are hungry."),
    ("She working late.", "She is working late."),
    ("Where he at?", "Where is he?"),
    ("I know where she at.", "I know where she is."),
    ("What you doing?", "What are you doing?"),
    ("They in the kitchen.", "They are in the kitchen."),
    ("She a nurse.", "She is a nurse."),
    ("The bus running late.", "The bus is running late."),
    ("You coming to the game?", "You are coming to the game?"),
    ("If somebody from Ohio, they know.", "If somebody is from Ohio, they know."),
    # other
    ("They talkin about all of em.", "They are talking about all of them."),
    ("She told me 'bout the trip.", "She told me about the trip."),
    ("It's too many people in here.", "There are too many people in here."),
    ("I need me a nap.", "I need a nap."),
    ("Them shoes was new.", "Those shoes were new."),
    ("dat dog is wit dem kids", "that dog is with those kids"),
    ("We was cookin' fo' y'all.", "We were cooking for you all."),
]

TO_DIALECT = [
    ("She isn't coming tonight.", "She ain't coming tonight."),
    ("I'm not going.", "I ain't going."),
    ("They're not here.", "They ain't here."),
    ("He hasn't called me.", "He ain't called me."),
    ("It isn't a problem.", "It ain't no problem."),
    ("He doesn't like onions.", "He don't like onions."),
    ("I don't have any money.", "I ain't got no money."),
    ("He didn't say anything.", "He didn't say nothing."),
    ("We never see any birds.", "We never see no birds."),
    ("They don't come here anymore.", "They don't come here no more."),
    ("I don't like it either.", "I don't like it neither."),
    ("Nobody can sing like her.", "Can't nobody sing like her."),
    ("Nobody knows the answer.", "Don't nobody know the answer."),
    ("There is nobody home.", "Ain't nobody home."),
    ("There are a lot of people here.", "It's a lot of people here."),
    ("She usually works late.", "She be workin' late."),
    ("They're always late.", "They always be late."),
    ("The kids are usually loud.", "The kids be loud."),
    ("They have already eaten.", "They done already eaten."),
    ("She has been waiting all day.", "She been waitin' all day."),
    ("We're about to leave.", "We finna leave."),
    ("I'm about to eat.", "I'm finna eat."),
    ("I'm going to call her.", "Ima call her."),
    ("She's going to be proud.", "She gon be proud."),
    ("He's trying to sleep.", "He tryna sleep."),
    ("I'm trying to sleep.", "I'm tryna sleep."),
    ("We were at the lake.", "We was at the lake."),
    ("He's tired.", "He tired."),
    ("They’re working.", "They workin’."),
    ("They're at the gym.", "They at the gym."),
    ("What are you doing?", "What you doin'?"),
    ("Where is he?", "Where he at?"),
    ("She wants some water.", "She want some water."),
    ("We have a new car.", "We got a new car."),
]

# Looks like a construction of the dialect, or carries none: nothing to do.
UNCHANGED_TO_STANDARD = [
    "",
    "So be it.",
    "Let it be.",
    "She will be working late.",
    "I want to be a nurse.",
    "I got home late and got up early.",
    "She got a card for her birthday.",
    "Get it done.",
    "A well done steak.",
    "The captain's cabin is in Berlin.",
    "Before going to bed, he reads.",
    "No, you can't.",
    "Before they left, it was me and you.",
    "Leonardo da Vinci was from the U.S. and lived there.",
    "Don't be late.",
]
UNCHANGED_TO_DIALECT = [
    "",
    "It's working and I'm working.",
    "If we were rich, we'd travel.",
    "I know where they are.",
    "Do they have a car?",
    "She's always been kind.",
    "We won't, will we?",
]


@pytest.mark.parametrize(("dialect", "standard"), TO_STANDARD)
def test_to_standard(dialect: str, standard: str) -> None:
    assert to_standard(dialect) == standard


@pytest.mark.parametrize(("standard", "dialect"), TO_DIALECT)
def test_to_dialect(standard: str, dialect: str) -> None:
    assert to_dialect(standard) == dialect


@pytest.mark.parametrize("text", UNCHANGED_TO_STANDARD)
def test_standard_stays(text: str) -> None:
    assert to_standard(text) == text


@pytest.mark.parametrize("text", UNCHANGED_TO_DIALECT)
def test_dialect_stays(text: str) -> None:
    assert to_dialect(text) == text


def test_a_second_pass_changes_nothing() -> None:
    for dialect, standard in TO_STANDARD:
        assert to_standard(standard) == standard, dialect
    for standard, dialect in TO_DIALECT:
        assert to_dialect(dialect) == dialect, standard


def test_most_of_the_dialect_made_here_is_understood_here() -> None:
    understood = [to_standard(dialect) == standard for standard, dialect in TO_DIALECT]
    assert sum(understood) / len(understood) > 0.5


class Recording(RulesTranslator):
    """Notes which rules changed something."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def _replaced(self, rule: Rule, found: re.Match[str]) -> str:
        new = super()._replaced(rule, found)
        if new != found.group():
            self.used.add(rule.id)
        return new


def test_every_grammar_rule_has_an_example() -> None:
    rules = Recording()
    rules.translate([text for text, _ in TO_STANDARD], source=AAE, target=SAE)
    rules.translate([text for text, _ in TO_DIALECT], source=SAE, target=AAE)
    ids = [rule.id for direction in rules._rules.values() for rule in direction]
    assert len(ids) == len(set(ids))
    assert {name for name in ids if not name.startswith("spelling of ")} - rules.used == set()


def test_capitals_and_apostrophes_follow_the_source() -> None:
    assert to_standard("WE WAS HOME") == "WE WERE HOME"
    assert to_standard("Ain’t nobody gon’ stop me") == "Nobody is going to stop me"
    assert to_standard("He’s nice, ain’t he?") == "He’s nice, isn’t he?"
    assert to_dialect("He isn’t home.") == "He ain’t home."


def test_names_and_addresses_stay() -> None:
    text = "We was at https://example.org/we-was/dat?x=ain't with @dat_kid, #finna and a.b@dat.org"
    assert to_standard(text) == text.replace("We was", "We were")


def test_unknown_pair() -> None:
    with pytest.raises(ModelError) as caught:
        RULES.translate(["a"], source=AAE, target="bavarian")
    assert "bavarian" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError):
        RULES.translate([], source=SAE, target=SAE)


def test_name_and_version() -> None:
    assert RULES.name == "rules"
    assert isinstance(RULES.version, int)
    assert "baseline" in (RulesTranslator.__doc__ or "")


WORDS = sorted(
    {word for pair in TO_STANDARD + TO_DIALECT for text in pair for word in text.split()}
)
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*WORDS, ",", ".", "?", "’"]), max_size=16).map(" ".join),
)
any_code_points = st.text(st.characters(exclude_categories=()), max_size=30)


@given(st.lists(texts, max_size=4), texts)
def test_a_text_does_not_depend_on_its_neighbours(batch: list[str], text: str) -> None:
    for source, target in ((AAE, SAE), (SAE, AAE)):
        together = RulesTranslator().translate([*batch, text], source=source, target=target)
        assert len(together) == len(batch) + 1
        assert together[-1:] == RULES.translate([text], source=source, target=target)


@given(st.one_of(texts, any_code_points))
def test_never_raises_and_is_always_text(text: str) -> None:
    for translated in (to_standard(text), to_dialect(text)):
        translated.encode("utf-8")


@given(texts, st.integers(0, 10**6), st.decimals(0, 1000, places=2))
def test_numbers_stay(text: str, number: int, amount: object) -> None:
    mixed = f"We was {number} {text} he got ${amount} and ain't got no {number} {text}"
    for translated in (to_standard(mixed), to_dialect(mixed)):
        assert re.findall(r"\d+", translated) == re.findall(r"\d+", mixed)


@given(texts, st.from_regex(r"https://[a-z]{1,8}\.org/[a-z'-]{0,12}", fullmatch=True))
def test_addresses_stay(text: str, url: str) -> None:
    assert url in to_standard(f"{text} {url} {text}")
    assert url in to_dialect(f"{text} {url} {text}")


LISTS = "\n".join(f"{name} = []" for name in WORD_LISTS)
DATA = f"""
version = 1
dialect = "d"
standard = "s"
spelling = {{}}
[words]
[agreement]
be = {{ first = "am", singular = "is", plural = "are" }}
[numbers]
{LISTS}
[verbs]
irregular = ["go went gone"]
regular = ["walk"]
[[rule]]
id = "one"
direction = "to-standard"
pattern = "(?P<verb>a)"
replacement = "{{verb|base}} {{|be}}"
note = "n"
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version = 1", "version = ", "TOML"),
        ("version = 1", "", "version is missing"),
        ("go went gone", "go went", "'go went' is not a base"),
        ('regular = ["walk"]', "regular = 3", "regular verbs: not a list"),
        ("floating = []", "", "numbers: the list 'floating' is missing"),
        ('note = "n"', "", "rule 'one': note is missing"),
        ('note = "n"', 'note = "n"\ncolour = "red"', "rule 'one': 'colour' is no field"),
        ("to-standard", "to-nowhere", "rule 'one': no direction"),
        ("(?P<verb>a)", "(?P<verb>a", "rule 'one': the regular expression"),
        ("verb|base", "verb|basis", "rule 'one': 'basis' gives no form"),
        ("{|be}", "{|bee}", "rule 'one': 'bee' gives no form"),
        ("{|be}", "{noun}", "rule 'one': the pattern has no group 'noun'"),
    ],
)
def test_malformed_data_names_the_entry(old: str, new: str, message: str) -> None:
    assert read_rules(DATA, where="x.toml").to_standard[0].id == "one"
    with pytest.raises(RegistryError, match=message) as caught:
        read_rules(DATA.replace(old, new, 1), where="x.toml")
    assert "x.toml" in str(caught.value)

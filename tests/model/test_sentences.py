"""Acts in words: every form parses, prints back, and means what the usual form of it means."""

import re

import pytest

from tricklaw.model.acting import meaning, written
from tricklaw.model.acts import ONLY_WITH, Do
from tricklaw.model.cards import FULL, Deck
from tricklaw.model.errors import CaseError
from tricklaw.model.lawfiles import find_code
from tricklaw.model.machine import Deed, Machine
from tricklaw.model.phrases import PHRASES, Sort
from tricklaw.model.referee import machine_of
from tricklaw.model.sentences import Form, forms, parse_cards, parse_seats, parse_sentence, parse_suit


@pytest.mark.parametrize("form", forms(), ids=lambda form: form.template)
def test_a_form_prints_back_as_it_is_written(form: Form) -> None:
    """Parsing the form's example gives that form; printing gives the example, with a right and without."""
    for text in (form.example, f"{form.example} under AW.VII.4.1" if form.about_right else form.example):
        found = parse_sentence(text, FULL)
        assert (found.form, str(found)) == (form, text)


def test_no_two_forms_read_alike() -> None:
    """No sentence has two meanings."""
    examples = [form.example for form in forms()]
    assert len(set(examples)) == len(examples)
    for form in forms():
        assert next(f for f in forms() if f.pattern.match(form.example)) is form


def test_every_kind_of_act_and_every_demand_has_a_form() -> None:
    """The grammar is complete."""
    assert {form.do for form in forms()} == set(Do)
    assert {form.option for form in forms() if form.option} == {t for s, t in PHRASES if s is Sort.DEMAND}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("B faces nine of hearts.", "B  exposes 9H"),
        ("Y throws 6C and 7C", "Y throws 6C, 7C"),
        ("Y takes his card back", "Y takes the card back"),
        ("Y turns and quits", "Y quits"),
        ("Y calls 10H from B", "Y requires B to play TH"),
        ("Y calls hearts from B", "Y requires B to lead hearts"),
        ("Y calls the lowest from B", "Y requires B to play the lowest of the suit led"),
    ],
)
def test_what_means_the_same_is_equal(one: str, other: str) -> None:
    """Several ways to write an act; an act is what it says, not how."""
    assert parse_sentence(one, FULL) == parse_sentence(other, FULL)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B face 9H", "'B face 9H' says no act; nearest: 'A faces 9H'"),
        ("Y calls 9H", "'Y calls 9H' says no act; nearest: 'A calls 9H from B'"),
        ("Y draws attention to it", "nearest: 'A draws attention'"),
        ("what is this", "`tricklaw rule --acts` lists all forms"),
        ("B plays hearts", "'hearts' is no card; write a rank"),
        ("B throws 6C 6C", "the card 6C is here twice; keep one"),
        ("Q plays 9H", "there is no player 'Q'; the players are A, Y, B, Z"),
        ("Y calls 9H from Q", "there is no player 'Q'"),
    ],
)
def test_what_is_no_act_is_refused_with_the_nearest_form(text: str, message: str) -> None:
    """An unknown sentence is never guessed at."""
    with pytest.raises(CaseError, match=re.escape(message)):
        parse_sentence(text, FULL)


def test_a_table_of_three_has_other_players() -> None:
    """The seats are those of the game."""
    assert parse_sentence("V leads 9H", FULL, 3).actor == "V"
    with pytest.raises(CaseError, match="the players are V, M, H"):
        parse_sentence("A leads 9H", FULL, 3)


def test_cards_suits_and_players() -> None:
    """The words in a case other than acts."""
    assert FULL.names(parse_cards("9H, ten of clubs and AS", FULL)) == ["TC", "9H", "AS"]
    assert parse_cards("", FULL) == 0
    assert (parse_suit("hearts"), parse_suit("none"), parse_suit(None)) == (4, 0, 0)
    assert (parse_seats("A, B"), parse_seats("none")) == (["A", "B"], [])
    with pytest.raises(CaseError, match="'2H' is no card"):
        parse_cards("2H", Deck(4, 4))
    with pytest.raises(CaseError, match="'heart' is no suit; write clubs, diamonds, hearts, spades or none"):
        parse_suit("heart")


@pytest.mark.parametrize(
    "name", ["duplicate-whist:whist", "whist-family:boston", "whist-family:solo", "auction-bridge:bridge"]
)
def test_any_act_of_the_machine_can_be_written(name: str) -> None:
    """The usual sentence of every kind of act means that act again; so a play found by machine becomes a case."""
    code, game = find_code(name)
    assert game is not None
    machine: Machine = machine_of(code.restrict(game), game)
    state, rigid = machine.initial({"A": 1, "Y": 2, "B": 4, "Z": 8}, "A"), machine.rigid(machine.system.arrangements[0])
    judgement = machine.judge(state, rigid)
    for kind in machine.kinds.values():
        wordless = (Do.BOAST, Do.ATTENTION, Do.TAKE_BACK, Do.QUIT, Do.WAIT, Do.WAIVE)
        card = kind.do is Do.ADD or kind.do not in (*wordless, *ONLY_WITH)
        about = kind.do in (Do.DEMAND, Do.WAIVE, Do.FIND)
        cards = 0 if not card or (about and kind.param != "card") else 0b11 if kind.do is Do.THROW else 0b1
        deed = Deed(2, cards, 4 if kind.param == "suit" else 0, 4 if about else 0, 2 if kind.do is Do.SHOW else 0)
        sentence = written(kind, deed, machine)
        assert parse_sentence(str(sentence), FULL) == sentence
        assert meaning(sentence, machine, judgement) == (kind, deed)

"""A state read as a card table: whose turn it is, who has renounced, whether the lead was out of turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from itertools import product
from operator import or_
from typing import Any

import pytest
import z3

from tricklaw.model.cards import FULL, SUIT_NAMES
from tricklaw.model.state import View, arrangement, mates_of, rigid_slots, table_slots
from tricklaw.model.table import ARRANGEMENTS, OMISSIONS, SEAT_NAMES, WRONG_NUMBERS, Groups, Table, arrangements
from tricklaw.model.terms import Bits, Bool, bits

HANDS = {"A": "AS 2S 5H", "Y": "KS 3H", "B": "QS 2H 4C", "Z": "JH 9H 8C"}
"""Three cards for all but Y, who has played his third."""

SEAT_FIELDS = (
    "too many",
    "too few",
    "omitted",
    "missed",
    "turn",
    "leader",
    "prevleader",
    "quitted",
    "amending",
    "erred",
)
PARTNERS = (0b0101, 0b1010)


def seats(names: str, number: int = 4) -> int:
    """The set of some seats, by their letters."""
    return sum(1 << SEAT_NAMES[number].index(name) for name in names)


def table(
    hands: Mapping[str, str] = HANDS, groups: Groups = PARTNERS, trumps: str = "", number: int = 4, **fields: str
) -> View:
    """A table as written: each player's cards, and the fields that are not empty, as cards or seats."""
    values = {f"own.{name}": FULL.parse(cards) for name, cards in hands.items()}
    for name, text in fields.items():
        values[name] = seats(text, number) if name in SEAT_FIELDS else FULL.parse(text)
    kind = Table(number, covers=frozenset({WRONG_NUMBERS, OMISSIONS}))
    slots = table_slots(FULL, kind)
    assert values.keys() <= {slot.name for slot in slots}
    rigid = mates_of(groups, number) | {"trumps": 1 << SUIT_NAMES.index(trumps) if trumps else 0}
    return View(
        FULL,
        kind,
        {slot.name: bits(values.get(slot.name, 0), slot.width) for slot in slots},
        {slot.name: bits(rigid[slot.name], slot.width) for slot in rigid_slots(FULL, number)},
    )


def who(view: View, term: Bits) -> str:
    """The letters of a set of seats."""
    value = z3.simplify(term).as_long()
    return "".join(name for i, name in enumerate(view.names) if value >> i & 1)


def cards(term: Bits) -> str:
    """The names of a set of cards."""
    return " ".join(FULL.names(z3.simplify(term).as_long()))


def holds(term: Bool) -> bool:
    """A Boolean without variables."""
    literal = z3.simplify(term)
    assert z3.is_true(literal) or z3.is_false(literal)
    return bool(z3.is_true(literal))


# whose turn it is ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "to_act", "next_to_play"),
    [
        ({"turn": "A"}, "A", "Y"),
        ({"turn": "Z", "leader": ""}, "Z", "A"),
        ({"turn": "A", "leader": "A", "trick": "AS"}, "Y", "Y"),
        ({"turn": "A", "leader": "A", "trick": "AS KS"}, "B", "B"),
        ({"turn": "A", "leader": "A", "trick": "AS KS QS"}, "Z", "Z"),
        ({"turn": "A", "leader": "A", "trick": "AS QS"}, "Y", "Y"),
        ({"turn": "A", "leader": "A", "trick": "AS QS KS"}, "Z", "Z"),
        ({"turn": "A", "leader": "Z", "trick": "JH"}, "A", "A"),
        ({"turn": "A", "leader": "B", "trick": "QS AS"}, "Z", "Z"),
    ],
)
def test_whose_turn_it_is(fields: dict[str, Any], to_act: str, next_to_play: str) -> None:
    """He who has the right to lead; once a card is led, rightly or not, the next in rotation who has not played."""
    view = table(**fields)
    assert who(view, view.to_act) == to_act
    if "trick" in fields:
        assert who(view, view.next_to_play) == next_to_play


def test_nobody_acts_without_a_card() -> None:
    """He whose turn it would be, with all his cards on the table, is not to act; nobody else is in his stead."""
    hands = HANDS | {"A": "AS"}
    leads = table(hands, turn="A", prev="AS", prevleader="A")
    assert (who(leads, leads.to_act), who(leads, leads.with_cards)) == ("", "YBZ")
    plays = table(hands, turn="Z", leader="Z", trick="JH", prev="AS")
    assert (who(plays, plays.next_to_play), who(plays, plays.to_act)) == ("A", "")


@pytest.mark.parametrize(
    ("marks", "long", "short"),
    [
        ({}, "", ""),
        ({"too many": "A", "too few": "B"}, "A", "B"),
        ({"omitted": "A", "missed": "B"}, "AB", ""),
        ({"too few": "A", "omitted": "A"}, "", ""),
        ({"too few": "AY", "missed": "A"}, "", "Y"),
        ({"too many": "A", "missed": "A"}, "A", ""),
    ],
)
def test_who_has_a_wrong_number(marks: dict[str, Any], long: str, short: str) -> None:
    """By the deal or by an omitted play; one dealt a card too few who omits to play has the right number again."""
    view = table(**marks)
    assert (who(view, view.long), who(view, view.short)) == (long, short)
    assert sorted(who(view, view.wrong)) == sorted(long + short)


def test_the_hand_is_over_when_no_card_is_left() -> None:
    """Not as long as the last trick lies unquitted."""
    assert holds(table(dict.fromkeys("AYBZ", ""), turn="A").over)
    assert not holds(table({"A": "AS", "Y": "KS", "B": "QS", "Z": "JH"}, turn="A", prev="AS KS QS JH").over)


# what lies on the table ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "leader", "trick", "false"),
    [
        ("A", "A", "AS", False),
        ("A", "Y", "KS", True),
        ("A", "B", "QS", True),
        ("A", "Z", "JH AS", True),
        ("B", "B", "QS JH AS", False),
        ("A", "", "", False),
        ("A", "B", "", False),
    ],
)
def test_a_lead_out_of_turn(turn: str, leader: str, trick: str, false: bool) -> None:
    """A trick led by another than the one who had the right to; not an empty table."""
    assert holds(table(turn=turn, leader=leader, trick=trick).false_lead) is false


def test_what_is_held_and_what_was_led() -> None:
    """Cards on the table are their owners' but not in their hands; the suit led is that of the leader's card."""
    view = table(turn="A", leader="Z", trick="9H AS", prev="KS 4C", prevleader="Y")
    assert [cards(hand) for hand in view.hands] == ["5H 2S", "3H", "2H QS", "8C JH"]
    assert cards(view.on_table) == "4C 9H AS KS"
    assert (who(view, view.played), cards(view.card_led)) == ("AZ", "9H")
    assert cards(view.suit_led) == cards(FULL.suit(2))
    assert who(view, view.holders(bits(FULL.parse("2S QS KS"), 52))) == "AB"


@pytest.mark.parametrize(
    ("trumps", "wins"), [("", "AS"), ("clubs", "8C"), ("hearts", "3H"), ("spades", "AS"), ("diamonds", "AS")]
)
def test_the_card_that_wins(trumps: str, wins: str) -> None:
    """The highest of the suit led, or the highest trump."""
    view = table(turn="A", leader="A", trick="AS 3H QS 8C", trumps=trumps)
    assert cards(view.winning_card) == wins


@pytest.mark.parametrize(
    ("leader", "trick", "seat", "legal"),
    [
        ("", "", 0, "5H AS 2S"),
        ("A", "AS", 1, "KS"),
        ("A", "AS", 3, "8C JH 9H"),
        ("Z", "JH", 0, "5H"),
        ("Z", "8C", 0, "5H AS 2S"),
    ],
)
def test_what_may_be_played_without_renouncing(leader: str, trick: str, seat: int, legal: str) -> None:
    """Any card to an empty table; a card of the suit led if one is held; else any."""
    view = table(turn="A", leader=leader, trick=trick)
    assert cards(view.legal(view.seat(seat))) == legal


# seats ---------------------------------------------------------------------------------------------------------------

ALL = sorted({(n, tuple(sorted(groups))) for n in (3, 4) for groups in arrangements(tuple(ARRANGEMENTS), n)})
"""Every arrangement of three and of four players, once."""


@pytest.mark.parametrize(("number", "groups"), ALL)
def test_partners_and_adversaries(number: int, groups: Groups) -> None:
    """For each set of seats, at every arrangement: neighbours by the clock, partners and adversaries by the sides."""
    view = table(dict.fromkeys(SEAT_NAMES[number], ""), groups, number=number)
    side = {i: next(g for g in groups if g >> i & 1) for i in range(number)}
    everybody = (1 << number) - 1
    for chosen in range(1 << number):
        members = [i for i in range(number) if chosen >> i & 1]
        expected = {
            view.left_of: sum(1 << (i + 1) % number for i in members),
            view.right_of: sum(1 << (i - 1) % number for i in members),
            view.opposite: sum(1 << (i + 2) % number for i in members),
            view.partners: _union(side[i] & ~(1 << i) for i in members),
            view.side: _union(side[i] for i in members),
            view.adversaries: _union(everybody & ~side[i] for i in members),
        }
        for function, value in expected.items():
            assert z3.simplify(function(bits(chosen, number))).as_long() == value, function
    assert z3.simplify(view.alone).as_long() == _union(1 << i for i in range(number) if side[i] == 1 << i)


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


@pytest.mark.parametrize(("number", "groups"), ALL)
def test_the_nearest_adversary(number: int, groups: Groups) -> None:
    """The first adversary going round from a player to his right."""
    view = table(dict.fromkeys(SEAT_NAMES[number], ""), groups, number=number)
    for i in range(number):
        side = next(g for g in groups if g >> i & 1)
        nearest = next(j % number for j in range(i - 1, i - number, -1) if not side >> (j % number) & 1)
        assert z3.simplify(view.nearest_adversary(view.seat(i))).as_long() == 1 << nearest


def test_who_has_played_after_a_player() -> None:
    """Those with a card in the trick between him and the leader, going round to the left."""
    own = dict(zip("AYBZ", ("AS", "KS", "QS", "JS"), strict=True))
    for leader, there, him in product("AYBZ", range(16), "AYBZ"):
        played = {name for i, name in enumerate("AYBZ") if there >> i & 1}
        view = table(own, leader=leader, trick=" ".join(own[name] for name in played))
        order = ["AYBZ"[("AYBZ".index(leader) + k) % 4] for k in range(4)]
        later = {name for name in order[order.index(him) + 1 :] if name in played}
        assert set(who(view, view.played_after(bits(seats(him), 4)))) == later


@pytest.mark.parametrize(("number", "groups"), ALL)
def test_an_arrangement_is_its_own_and_no_other(number: int, groups: Groups) -> None:
    """The rigid constants of some sides satisfy the term for these sides and for no others."""
    view = table(dict.fromkeys(SEAT_NAMES[number], ""), groups, number=number)
    same = [g for n, g in ALL if n == number and holds(arrangement(view.rigid, g, number))]
    assert same == [groups]

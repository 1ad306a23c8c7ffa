"""Two laws over one play: each act does under each law what it does under that law alone."""

from __future__ import annotations

import pytest
import z3

from tricklaw.model.acts import ActKind, Do
from tricklaw.model.codes import resolve
from tricklaw.model.law import Code
from tricklaw.model.pair import MARK, Pair, Unlike
from tricklaw.model.system import System
from tricklaw.model.terms import evaluate
from tricklaw.solver.compiled import rigid_values


def law(name: str, game: str) -> tuple[Code, str]:
    """A code as it stands for a game."""
    return resolve(name)[0].restrict(game), game


@pytest.fixture(scope="module")
def pair() -> Pair:
    """Whist, with Duplicate Whist beside it."""
    code, game = law("whist-family", "whist")
    return Pair(code, game, second=law("duplicate-whist", "whist"))


def test_each_law_does_with_an_act_what_it_does_alone(pair: Pair) -> None:
    """The same terms, those of the second law over fields of its own."""
    alone = System(*law("whist-family", "whist"))
    other = System(*law("duplicate-whist", "whist"), suffix=MARK)
    for kind in pair.kinds:
        changes = pair.step(kind).changes
        here = {name: term for name, term in changes.items() if not name.endswith(MARK)}
        there = {name.removesuffix(MARK): term for name, term in changes.items() if name.endswith(MARK)}
        for system, found in ((alone, here), (other, there)):
            expected = system.step(kind).changes if kind in system.kinds else {}
            assert found.keys() == expected.keys(), kind.name
            assert all(found[name].eq(expected[name]) for name in expected), kind.name


def test_both_begin_with_the_same_deal_and_act_in_step(pair: Pair) -> None:
    """A card faced lies at both tables; a right of one law is unknown to the other."""
    hands = [pair.deck.parse(cards) for cards in ("2C 3C", "4C 5C", "6C 7C", "8C 9C")]
    state = {slot.name: 0 for slot in pair.slots} | pair.dealt(hands, 1, {})
    rigid = rigid_values(pair, (5, 10), 0, {})
    act = {"act.actor": 4, "act.cards": pair.deck.parse("6C")}
    slots = ((pair.slots, state), (pair.rigid_slots, rigid), (pair.act_slots, act))
    values = [(s.term(), z3.BitVecVal(v.get(s.name, 0), s.width)) for some, v in slots for s in some]
    step = pair.step(ActKind(Do.FACE))
    initial, possible, *after = evaluate([pair.initial, step.possible, *step.changes.values()], values)
    assert (initial, possible) == (1, 1)
    state |= dict(zip(step.changes, after, strict=True))
    assert state["faced"] == state["faced" + MARK] == act["act.cards"]
    rights = {kind.right for kind in pair.kinds if kind.right}
    assert rights == pair.here.rights.keys() | pair.there.rights.keys()


def test_laws_of_different_tables_are_not_played_in_step() -> None:
    """The message says what is unlike."""
    code, game = law("whist-family", "whist")
    with pytest.raises(Unlike, match="cannot be played in step: the table differs in declarer, gathered"):
        Pair(code, game, second=law("auction-bridge", "bridge"))
    with pytest.raises(Unlike, match=r"both have a right .*BS\.20\.0"):
        Pair(code, game, second=law("whist-family", "solo"))

"""A clause that the expectations call dead is left out, really: random plays then come to the same, act by act."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from tricklaw.model._machine_play import plays
from tricklaw.model.codes import resolve
from tricklaw.model.law import Code
from tricklaw.model.machine import Machine
from tricklaw.model.system import System

ACTS = 15_000


def machine(law: Code, game: str, *without: str) -> Machine:
    """The referee of a game, with some clauses left out."""
    return Machine(System(law.restrict(game, without=without), game))


def dead(code: str, game: str) -> list[tuple[str, str, str]]:
    """The clauses that are expected to be dead in a game."""
    expected = resolve(code)[0].expect[game]
    names = [name.removeprefix("no-dead-clause/") for name, verdict in expected.items() if verdict == "refuted"]
    return [(code, game, name) for name in names if name in {c.id for c in resolve(code)[0].clauses}]


DEAD = [*dead("duplicate-whist", "whist"), *dead("english-whist", "whist"), *dead("whist-family", "whist")]


def test_some_clauses_are_dead() -> None:
    """The expectations name some."""
    assert ("duplicate-whist", "whist", "AW.VII.3.3a") in DEAD


@pytest.mark.parametrize(("code", "game", "clause"), DEAD, ids=[clause for _, _, clause in DEAD])
def test_the_law_without_a_dead_clause_is_the_same(code: str, game: str, clause: str) -> None:
    """Each act is as lawful, and leaves the same behind."""
    law = resolve(code)[0]
    whole, less = machine(law, game), machine(law, game, clause)
    if whole.system.slots != less.system.slots or whole.system.readings != less.system.readings:
        pytest.skip("what is left out takes fields or readings along")
    for turn in islice(plays(whole, random.Random(clause)), ACTS):
        one = whole.step(turn.state, turn.rigid, turn.kind, turn.deed)
        other = less.step(turn.state, turn.rigid, turn.kind, turn.deed)
        told = [(o.possible, bool(o.broken), o.legit, o.state) for o in (one, other)]
        assert told[0] == told[1], (turn.kind, one.broken, other.broken)


def test_the_law_without_a_live_clause_is_another() -> None:
    """The comparison notices a difference."""
    law, clause = resolve("duplicate-whist")[0], "AW.VII.3.3b"
    whole, less = machine(law, "whist"), machine(law, "whist", clause)
    turns = islice(plays(whole, random.Random(clause)), ACTS)
    assert any(
        whole.step(t.state, t.rigid, t.kind, t.deed).state != less.step(t.state, t.rigid, t.kind, t.deed).state
        for t in turns
    )

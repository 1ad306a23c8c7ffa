"""Bounded model checking: short plays by asking a solver, from the deal or from a state come to; what it finds replays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tricklaw.model.cards import FULL
from tricklaw.model.codes import resolve
from tricklaw.model.system import System
from tricklaw.properties import PROPERTIES, Part
from tricklaw.solver import readings as rd
from tricklaw.solver.compiled import Compiled
from tricklaw.solver.induction import Engine
from tricklaw.solver.plays import Player
from tricklaw.solver.readings import Assignment
from tricklaw.solver.search import SMALL
from tricklaw.solver.table import Table
from tricklaw.solver.unrolling import Unroller
from tricklaw.solver.workers import Pool

REVOKE = "one-enforcer/AW.X.4.1"
"""Two adversaries may take the penalty for a revoke."""

ACT = "call-repeatable/AW.VII.4.1"
"""A claim over acts."""


def parts(system: System) -> dict[str, Part]:
    """The parts looked for."""
    return Table.build(system, [PROPERTIES["one-enforcer"], PROPERTIES["call-repeatable"]]).only(REVOKE, ACT)


@pytest.fixture(scope="module")
def unroller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unroller]:
    """Duplicate Whist without the sentence by which a call may be repeated, on the small deck."""
    whole = resolve("duplicate-whist")[0]
    system = System(whole.restrict("whist", (), ["AW.VII.3.2b"]), "whist", SMALL)
    with Pool(2) as pool:
        compiled = Compiled(system, parts(system), tmp_path_factory.mktemp("native"))
        yield Unroller(compiled, rd.assignments(system, {}), Engine(pool))


def left(unroller: Unroller, *names: str) -> dict[str, set[Assignment]]:
    """Everything is left of the parts."""
    return {name: set(unroller.everything) for name in names}


def test_short_plays_are_found_and_replay_on_the_full_pack(unroller: Unroller, tmp_path: Path) -> None:
    """Claims over states and over acts; each play is possible act by act and ends in the violation."""
    full = System(unroller.system.code, "whist", FULL)
    player, found = Player(Compiled(full, parts(full), tmp_path)), set[str]()
    for name, play in unroller.search(left(unroller, REVOKE, ACT), 7):
        assert player.violates(play, name)
        found.add(name)
    assert found == {REVOKE, ACT}


def test_what_takes_more_acts_is_not_found(unroller: Unroller) -> None:
    """A revoke is not established by two acts."""
    assert not list(unroller.search(left(unroller, REVOKE), 2))


def test_a_play_may_go_on_from_a_state_come_to(unroller: Unroller) -> None:
    """Two acts are enough from states that are a few acts away from the deal, and the whole play replays."""
    ((_, known),) = unroller.search(left(unroller, REVOKE), 7)
    spots = Player(unroller.compiled).along(known)[-2:]
    ((name, play),) = unroller.search(left(unroller, REVOKE), 2, {REVOKE: spots})
    assert len(play.acts) > 2
    assert Player(unroller.compiled).violates(play, name)


def test_the_way_of_a_play_may_be_gone_on_from(unroller: Unroller) -> None:
    """The states before each of its acts; one act is enough from the last; acts that are impossible end the way."""
    ((_, play),) = unroller.search(left(unroller, REVOKE), 7)
    player = Player(unroller.compiled)
    way = player.along(play)
    assert [len(spot.way) for spot in way] == list(range(len(play.acts)))
    assert (way[0].row == player.start(play)).all()
    ((_, other),) = unroller.search(left(unroller, REVOKE), 1, {REVOKE: way[-1:]})
    assert len(other.acts) == len(play.acts)
    assert player.violates(other, REVOKE)
    assert len(player.along(replace(play, acts=(play.acts[0], *play.acts)))) == 2


def test_no_question_is_asked_where_there_is_nothing_to_go_on_from(unroller: Unroller) -> None:
    """Of a part without a known play there is no way to go along."""
    asked = unroller.engine.asked
    assert not list(unroller.search(left(unroller, REVOKE), 4, {}))
    assert unroller.engine.asked == asked

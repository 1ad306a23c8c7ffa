"""Searching: what is far from the deal is found by random plays, plays are made shorter, what is found replays on 52 cards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import z3

from tricklaw.model.acts import ActKind, Do
from tricklaw.model.cards import FULL
from tricklaw.model.codes import resolve
from tricklaw.model.names import variables
from tricklaw.model.native import Buffers
from tricklaw.model.system import System
from tricklaw.properties import PROPERTIES, Part
from tricklaw.solver import _walking_loop, readings
from tricklaw.solver._explorer_loop import Plan
from tricklaw.solver._walking_loop import MADE, Walks, walk
from tricklaw.solver.compiled import OPEN, UNLAWFUL, Compiled
from tricklaw.solver.explorer import played
from tricklaw.solver.plays import Play, Player, play_of
from tricklaw.solver.search import SMALL, Found, Round, Searcher
from tricklaw.solver.table import Table
from tricklaw.solver.walking import ACTS, Walk, Walker
from tricklaw.solver.whole import whole

FAR = "no-clashing-demands/AW.VIII.1.2"
"""A suit called after a lead out of turn, and a liable card called: at the second trick at the earliest."""

NEAR = "one-enforcer/AW.X.2.1"


def parts(system: System) -> dict[str, Part]:
    """The two parts."""
    return Table.build(system, [PROPERTIES["no-clashing-demands"], PROPERTIES["one-enforcer"]]).only(FAR, NEAR)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    """Duplicate Whist on the small deck."""
    system = System(resolve("duplicate-whist")[0].restrict("whist"), "whist", SMALL)
    return Searcher(Compiled(system, parts(system), tmp_path_factory.mktemp("native")))


@pytest.fixture(scope="module")
def first(searcher: Searcher) -> list[dict[str, str]]:
    """The recommended readings alone."""
    return [readings.named(searcher.system, readings.assignments(searcher.system, {})[0])]


@pytest.fixture(scope="module")
def near(searcher: Searcher, first: list[dict[str, str]]) -> Play:
    """A shortest play that violates the near part."""
    found = Found()
    searcher.search(found, [NEAR], first, [Round(2, 4, 2, 100_000)])
    return found.plays[NEAR]


def everything(searcher: Searcher) -> list[readings.Assignment]:
    """All assignments of readings."""
    return readings.assignments(searcher.system, {})


def test_what_is_far_from_the_deal_is_found_by_random_plays_and_replays_on_the_full_pack(
    searcher: Searcher, first: list[dict[str, str]], tmp_path: Path
) -> None:
    """A violation that needs five irregular acts and a whole trick; under all readings, and no longer than it must be."""
    found = Found()
    searcher.search(found, [FAR], first, [Round(1, 24, 3, 50_000)])
    assert FAR not in found.plays
    walker = Walker(searcher, found, {FAR: set(everything(searcher))})
    assert walker.run(Walk(), everything(searcher)) == {FAR}
    assert not walker.left
    play = found.plays[FAR]
    assert Player(searcher.compiled).reduced(play, FAR) == play
    full = System(searcher.system.code, "whist", FULL)
    assert Player(Compiled(full, parts(full), tmp_path)).violates(play, FAR)


def test_random_plays_are_the_same_every_time_and_go_on_from_states(searcher: Searcher) -> None:
    """The same seed finds the same; from the state before the last act of a play its violation is found at once."""
    walks = []
    for _ in range(2):
        found = Found()
        Walker(searcher, found, {NEAR: set(everything(searcher))}).run(Walk(1), everything(searcher))
        walks.append(found)
    assert walks[0].plays == walks[1].plays
    assert walks[0].transitions == walks[1].transitions
    play = walks[0].plays[NEAR]
    spot = Player(searcher.compiled).along(play)[-1]
    again, own = Found(), readings.assignment(searcher.system, play.readings)
    Walker(searcher, again, {NEAR: {own}}).run(Walk(1), [own], [spot])
    assert Player(searcher.compiled).violates(again.plays[NEAR], NEAR)


def test_states_that_meet_a_premise_are_kept(searcher: Searcher) -> None:
    """The way to each from its deal comes to a state in which the right is open."""
    walker = Walker(searcher, Found(), {FAR: set(everything(searcher))})
    walker.run(Walk(1), everything(searcher))
    premise = searcher.compiled.premise_at[FAR]
    spots = walker.some(FAR, 10)
    assert spots
    buffers = Buffers(searcher.compiled.native)
    for spot in spots:
        for row in (spot.row, spot.start):
            width = searcher.compiled.native.words
            buffers.load(row[:width].tolist(), row[width:].tolist(), [0] * len(searcher.system.act_slots))
            assert bool(buffers.outputs("watch")[premise]) is (row is spot.row)


def test_states_in_which_something_new_can_be_said_are_gone_on_from(searcher: Searcher) -> None:
    """The way to each comes to it; the longer the walk, the rarer the rights and demands that meet in one player."""
    walker = Walker(searcher, Found(), {FAR: set(everything(searcher))})
    walker.run(Walk(1), everything(searcher))
    first_round = len(walker.corpus.spots)
    walker.run(Walk(3, patience=3, seed=1), everything(searcher))
    later = walker.corpus.spots[first_round:]
    assert max(len(spot.way) for _, spot in later) > ACTS
    player = Player(searcher.compiled)
    for under, spot in later[::100]:
        state, rigid = searcher.compiled.opened(spot.start)
        play = play_of(searcher.system, state, rigid, [*spot.way, spot.way[-1]])
        assert readings.assignment(searcher.system, play.readings) == under
        assert player.along(play)[len(spot.way)].row.tolist() == spot.row.tolist()


def test_rights_are_exacted_by_those_who_may(searcher: Searcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing else can be drawn, each act is a demand or a waiver by one whom the machine, asked before, names."""
    readings_ = everything(searcher)
    first = Walker(searcher, Found(), {FAR: set(readings_)})
    first.run(Walk(1), readings_)
    spots, walks = first.some(FAR, 10), list[Walks]()
    walker = Walker(searcher, Found(), {FAR: set(readings_)})
    walker.wheel = np.flatnonzero(walker.open >= 0)

    def noted(plan: Plan, these: Walks, plays: int) -> None:
        walks.append(these)
        walk(plan, these, plays)

    monkeypatch.setattr(_walking_loop, "walk", noted)
    walker.run(Walk(1, plays=300), readings_, spots)
    hits, buffers = walks[0].hits[: walks[0].control[MADE]], Buffers(searcher.compiled.native)
    width, places, done = searcher.compiled.native.words, list(searcher.system.exactable), 0
    for at in np.flatnonzero(hits[:, 2] == 1):
        act = played(walker.moves, int(walks[0].codes[at, 0]))
        row, seat = spots[int(hits[at, 1])].row, act.act["act.seat"].bit_length() - 1
        buffers.load(row[:width].tolist(), row[width:].tolist(), [0] * len(searcher.system.act_slots))
        right = next(kind.right for kind in searcher.system.kinds if kind.name == act.step)
        assert buffers.outputs(OPEN)[places.index((right, seat))] & act.act["act.actor"]
        done += 1
    assert done > 10


def test_a_play_is_reduced_to_the_acts_that_it_needs(searcher: Searcher, near: Play) -> None:
    """Acts that make no difference are left out; the play still ends in the violation, and without its last act does not."""
    player = Player(searcher.compiled)
    actor = next(iter(near.acts))[1]["act.actor"]
    padded = replace(
        near, acts=((ActKind(Do.FACE), {"act.actor": 8, "act.cards": near.hands[3] & -near.hands[3]}), *near.acts)
    )
    assert actor != 8
    assert player.violates(padded, NEAR)
    assert player.reduced(padded, NEAR) == near
    assert not player.violates(replace(near, acts=near.acts[:-1]), NEAR)


def test_an_impossible_play_violates_nothing(searcher: Searcher, near: Play) -> None:
    """A play whose acts cannot be done in turn is no witness, whatever the state in which it stops."""
    twice = replace(near, acts=(near.acts[0], *near.acts))
    assert not Player(searcher.compiled).violates(twice, NEAR)


def test_a_short_deal_is_completed_to_the_whole_pack(searcher: Searcher, near: Play, tmp_path: Path) -> None:
    """The same acts show the same from thirteen cards each, with no further breach; at the end of a hand nothing does."""
    system = System(searcher.system.code, "whist", FULL)
    player = Player(Compiled(system, parts(system), tmp_path))
    full = whole(player, near, NEAR)
    assert full is not None
    assert [hand.bit_count() for hand in full.hands] == [13] * 4
    assert sum(full.hands) == (1 << 52) - 1
    assert all(long & short == short for long, short in zip(full.hands, near.hands, strict=True))
    assert full.acts == near.acts
    assert player.violates(full, NEAR)
    assert player.irregular(full, UNLAWFUL) == player.irregular(near, UNLAWFUL)
    assert (
        whole(player, replace(near, acts=near.acts[:-1]), NEAR) is None
    )  # what is no violation is not completed to one


def test_the_names_in_a_term_are_those_that_occur_in_it() -> None:
    """Terms that share parts are each told their own names."""
    x, y, z = z3.BitVecs("x y z", 8)
    shared = x + y
    assert variables(shared == 0) == {"x", "y"}
    assert variables(z3.And(shared == z, z > 3)) == {"x", "y", "z"}
    assert variables(x) == {"x"}
    assert variables(z3.BitVecVal(3, 8)) == set()

"""Breadth-first exploration of a compiled transition system.

Every state that the initial ones lead to, by moves that are enumerated from the cards actually held, with its shortest
path. States are compared exactly: nothing is left out by a hash collision.
"""

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tricklaw.model.native import Native
from tricklaw.solver import _explorer_loop as loop
from tricklaw.solver._explorer_loop import Numbers, Words
from tricklaw.solver._explorer_plan import (
    Move,
    check_initial,
    enlarged,
    make_plan,
    make_store,
    make_table,
    make_work,
    settled,
)

__all__ = ["Budget", "Ending", "Exploration", "Explorer", "Move", "Played", "Progress", "explore", "played"]

CHUNK = 1 << 16
"""States expanded between two calls of ``progress`` and two looks at the keyboard."""


@dataclass(frozen=True)
class Budget:
    """A bound on irregular acts: how many transitions of a path may have one of these flags (a mask)."""

    flags: int
    limit: int


class Ending(StrEnum):
    """Why an exploration ended; only the first is complete."""

    EXHAUSTED = "every state within the budget was expanded"
    STATES = "the greatest number of states was reached"
    DEPTH = "the greatest depth was reached"
    STOPPED = "the caller had seen enough"
    INTERRUPTED = "interrupted from the keyboard"


class Played(NamedTuple):
    """A transition of a path: the step and the values of the act's fields."""

    step: str
    act: dict[str, int]


class Progress(NamedTuple):
    """How far an exploration is: the depth being expanded; masks of the watched outputs and flags seen so far."""

    depth: int
    states: int
    expanded: int
    transitions: int
    seconds: float
    watched: int
    flagged: int


def played(moves: Sequence[Move], code: int, held: Sequence[int] = ()) -> Played:
    """The step and the act that a code means.

    Args:
        moves: the moves that were enumerated.
        code: the act's code, as in `Exploration.code`.
        held: what each actor holds; needed only for a move that draws all of it together.
    """
    move = moves[code & loop.MOVES - 1]
    actor, card, other = (code >> shift & 63 for shift in (loop.ACTOR_SHIFT, loop.CARD_SHIFT, loop.SECOND_SHIFT))
    act = {move.actor: 1 << actor}
    if move.cards is not None:
        drawn = {"none": 0, "each": 1 << card, "pairs": 1 << card | 1 << other}
        act[move.cards] = drawn[move.card_source] if move.card_source in drawn else held[actor]
    values = itertools.product(*(values for _, values in move.choices))
    chosen = next(itertools.islice(values, code >> loop.CHOICE_SHIFT, None))
    return Played(move.step, act | {name: value for (name, _), value in zip(move.choices, chosen, strict=True)})


@dataclass(frozen=True)
class Exploration:
    """What an exploration found. States are numbered in breadth-first order, the initial ones first.

    With a budget a state may have several numbers, each reached with fewer irregular acts than the one before.

    Attributes:
        native: the system.
        moves: the moves that were enumerated.
        states: packed states, of shape ``(states, words)``.
        rigid: the choice of the rigid fields of each state, a row of ``rigids``.
        rigids: the choices of the rigid fields, of shape ``(choices, rigid fields)``.
        used: the number of irregular acts on the path to each state.
        parent: the state that each was first reached from, -1 for initial ones.
        code: the act by which it was reached; see `played`.
        levels: the first state of each depth.
        watched_each: for each row of ``rigids`` the first state in which each output of the watch function was true, or -1.
        flagged_each: for each of them and each watched flag the state from which it was first seen, or -1, and the act's code.
        expanded: the number of states, from the first, that were expanded; where the ending is ``STATES``, some of the
            successors of the last may be missing.
        transitions: the number of successors made, whether new or not.
        per_move: the same for each move.
        per_flag: the number of transitions with each flag.
        pruned: the number of possible acts that were tried and that the budget forbade.
        superseded: the number of states that were reached again with fewer irregular acts.
        ending: why it ended.
        seconds: how long it took.
    """

    native: Native
    moves: tuple[Move, ...]
    states: Words
    rigid: npt.NDArray[np.uint32]
    rigids: Words
    used: npt.NDArray[np.uint32]
    parent: npt.NDArray[np.int32]
    code: Words
    levels: tuple[int, ...]
    watched_each: Numbers
    flagged_each: Numbers
    expanded: int
    transitions: int
    per_move: tuple[int, ...]
    per_flag: tuple[int, ...]
    pruned: int
    superseded: int
    ending: Ending
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every state within the budget was reached and expanded."""
        return self.ending is Ending.EXHAUSTED

    @cached_property
    def watched(self) -> dict[int, int]:
        """The first state in which each output of the watch function was true, where there is one."""
        return {at: min(states) for at, column in enumerate(self.watched_each.T) if (states := _seen(column))}

    @cached_property
    def flagged(self) -> dict[int, tuple[int, int]]:
        """For each watched flag that was seen the state from which it was first seen and the act's code."""
        found = {}
        for flag, firsts in enumerate(self.flagged_each.swapaxes(0, 1)):
            if states := _seen(firsts[:, 0]):
                state, code = next((s, c) for s, c in firsts.tolist() if s == min(states))
                found[flag] = (state, code)
        return found

    @property
    def distinct(self) -> int:
        """The number of states, however often each was reached with fewer irregular acts."""
        return len(self.states) - self.superseded

    @cached_property
    def depth(self) -> Numbers:
        """The length of the shortest path to each state."""
        return np.searchsorted(self.levels, np.arange(len(self.states)), side="right") - 1

    @property
    def per_step(self) -> dict[str, int]:
        """The number of transitions made by each step."""
        steps = {move.step: 0 for move in self.moves}
        for move, count in zip(self.moves, self.per_move, strict=True):
            steps[move.step] += count
        return steps

    def state(self, number: int) -> dict[str, int]:
        """The value of each state field."""
        return self.native.unpack(self.states[number])

    def rigid_values(self, number: int) -> dict[str, int]:
        """The value of each rigid field in a state."""
        values = self.rigids[self.rigid[number]].tolist()
        return {field.name: value for field, value in zip(self.native.system.rigid, values, strict=True)}

    def played(self, state: int, code: int) -> Played:
        """The step and the act that a code means in a state (that it was done in)."""
        move = self.moves[code & loop.MOVES - 1]
        return played(self.moves, code, self._held(move, state) if move.card_source == "all" else ())

    def codes(self, number: int) -> list[int]:
        """The acts of the shortest path to a state, as codes; see `played`."""
        found = []
        while (parent := int(self.parent[number])) >= 0:
            found.append(int(self.code[number]))
            number = parent
        return found[::-1]

    def path(self, number: int) -> list[Played]:
        """The shortest path from an initial state, `root`, to a state."""
        path = []
        while (parent := int(self.parent[number])) >= 0:
            path.append(self.played(parent, int(self.code[number])))
            number = parent
        return path[::-1]

    def root(self, number: int) -> int:
        """The initial state that the path to a state begins in."""
        while (parent := int(self.parent[number])) >= 0:
            number = parent
        return number

    def flagged_path(self, flag: int) -> list[Played]:
        """The path whose last transition is the first seen with a watched flag.

        Raises:
            KeyError: no transition had it, or it was not watched.
        """
        return self.path_on(*self.flagged[flag])

    def path_on(self, state: int, code: int) -> list[Played]:
        """The path to a state, and one act more."""
        return [*self.path(state), self.played(state, code)]

    def _held(self, move: Move, state: int) -> list[int]:
        assert move.held is not None
        return self.native.call(move.held, self.state(state), self.rigid_values(state), {})


def explore(
    native: Native,
    moves: Sequence[Move],
    initial: Words,
    *,
    max_states: int = 10_000_000,
    max_depth: int | None = None,
    budget: Budget | None = None,
    watch: str | None = None,
    watch_flags: int = 0,
    progress: Callable[[Progress], bool | None] | None = None,
) -> Exploration:
    """Explore breadth first.

    Args:
        native: the compiled system.
        moves: how acts are enumerated.
        initial: a row for each initial state, its packed words and then its rigid fields, one a word.
        max_states: the greatest number of states to keep, less than 2**31.
        max_depth: the greatest depth of a state; ``None`` for no bound.
        budget: a bound on the irregular acts of a path.
        watch: a compiled function of the state whose outputs are watched: the first state with each is kept.
        watch_flags: a mask of step flags to watch: the first transition with each is kept.
        progress: called after each level, and in long ones every so often; the exploration ends when it returns true.

    Raises:
        ValueError: a name that is not compiled, a shape or a number that does not fit.
    """
    explorer = Explorer(native, moves, budget or Budget(0, 0), watch, watch_flags, max_states)
    explorer.begin(initial)
    ending = explorer.run(max_depth, progress)
    return explorer.result(ending)


class Explorer:
    """An exploration under way."""

    def __init__(
        self, native: Native, moves: Sequence[Move], budget: Budget, watch: str | None, watch_flags: int, most: int
    ) -> None:
        if not 1 <= most <= loop.MOST_STATES:
            raise ValueError(f"max_states is {most}; it must be from 1 to {loop.MOST_STATES}")
        self.started = time.perf_counter()
        self.native, self.moves, self.most, self.watch = native, tuple(moves), most, watch
        limits = np.array([budget.flags, budget.limit, watch_flags, most], np.uint64)
        self.plan, most_successors = make_plan(native, moves, watch, limits)
        self.work = make_work(native, self.plan, watch, most_successors)
        self.store = make_store(native.words)
        self.rigids = np.zeros((0, len(native.system.rigid)), np.uint64)
        self.levels = [0]

    def begin(self, initial: Words) -> None:
        """Add the initial states."""
        check_initial(self.native, initial)
        words, batch = self.native.words, len(self.work.rows)
        self.rigids, choices = np.unique(initial[:, words:], axis=0, return_inverse=True)
        many, watched = len(self.rigids), len(self.work.watched)
        self.work = self.work._replace(
            rigids=settled(self.native, self.rigids),
            first_watched=np.full((many, watched), -1, np.int64),
            first_flagged=np.full((many, 64, 2), -1, np.int64),
        )
        for first in range(0, len(initial), batch):
            part = initial[first : first + batch]
            rows = self.work.rows[: len(part)]
            rows[:, 2 : 2 + words] = part[:, :words]
            rows[:, 2 + words] = choices[first : first + batch]
            rows[:, 4 + words :] = (loop.NO_PARENT, 0)
            self.work.control[loop.PENDING] = len(part)
            loop.hash_rows(self.work, words)
            self._make_room()
            loop.insert(self.store, self.work, self.most)

    def run(self, max_depth: int | None, progress: Callable[[Progress], bool | None] | None) -> Ending:
        """Expand level after level; why that ended."""
        control = self.work.control
        try:
            while control[loop.HEAD] < (end := int(control[loop.COUNT])):
                if control[loop.DROPPED]:
                    return Ending.STATES
                if max_depth is not None and len(self.levels) > max_depth:
                    return Ending.DEPTH
                self.levels.append(end)
                if (ending := self._level(end, progress)) is not None:
                    return ending
        except KeyboardInterrupt:
            return Ending.INTERRUPTED
        return Ending.EXHAUSTED

    def _level(self, end: int, progress: Callable[[Progress], bool | None] | None) -> Ending | None:
        control = self.work.control
        while control[loop.HEAD] < end:
            chunk = min(end, int(control[loop.HEAD]) + CHUNK)
            while not self._advance(chunk):
                self._make_room()
            if control[loop.DROPPED]:
                return Ending.STATES
            if progress and progress(self._progress()):
                return Ending.STOPPED
        return None

    def _advance(self, end: int) -> bool:
        return bool(loop.advance(self.plan, self.store, self.work, end))

    def _make_room(self) -> None:
        """Have room for the rows of the batch, all new."""
        count, old = int(self.work.control[loop.COUNT]), self.store
        needed = count + int(self.work.control[loop.PENDING])
        if needed > len(old.states):
            self.store = enlarged(old, count, max(4 * len(old.states), needed))
        if 2 * needed > len(old.table):
            self.store = self.store._replace(table=make_table(max(2 * len(old.table), 2 * needed)))
            loop.rehash(self.store, count)

    def _progress(self) -> Progress:
        control = self.work.control.tolist()
        return Progress(
            len(self.levels) - 2,
            control[loop.COUNT],
            control[loop.HEAD],
            control[loop.TRANSITIONS],
            time.perf_counter() - self.started,
            _mask(self.work.first_watched),
            _mask(self.work.first_flagged[:, :, 0]),
        )

    def result(self, ending: Ending) -> Exploration:
        """What was found, after a look at what is watched in the states that were not expanded."""
        control, words = self.work.control.tolist(), self.native.words
        count, work, store = control[loop.COUNT], self.work, self.store
        if self.watch:
            loop.examine(self.plan, store, work, control[loop.HEAD], count)
        keys = store.states.view(np.uint32)[:count, 2 * words :]
        return Exploration(
            native=self.native,
            moves=self.moves,
            states=store.states[:count, :words],
            rigid=keys[:, 0],
            rigids=self.rigids,
            used=keys[:, 1],
            parent=store.parents[:count],
            code=store.acts[:count],
            levels=tuple(first for first in self.levels if first < count),
            watched_each=work.first_watched,
            flagged_each=work.first_flagged,
            expanded=control[loop.HEAD],
            transitions=control[loop.TRANSITIONS],
            per_move=tuple(work.per_move.tolist()),
            per_flag=tuple(work.per_flag.tolist()),
            pruned=control[loop.PRUNED],
            superseded=control[loop.SUPERSEDED],
            ending=ending,
            seconds=time.perf_counter() - self.started,
        )


def _mask(firsts: Numbers) -> int:
    """Which columns have a number in some row."""
    return sum(1 << at for at in np.flatnonzero((firsts >= 0).any(axis=0)).tolist())


def _seen(firsts: Numbers) -> list[int]:
    return [first for first in firsts.tolist() if first >= 0]

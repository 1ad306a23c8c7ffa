"""Refutation by bounded model checking (Biere, Cimatti, Clarke, Zhu, 1999): is there a play of so many acts at most?

The transition relation of the small deck is written once as text, with `@0` before an act and `@1` after it, and repeated
for each act. The solver chooses deal, sides, trumps, readings and acts; what it finds is replayed like any other play.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import cached_property

import z3

from tricklaw.model.names import variables
from tricklaw.model.state import TOO_FEW, TOO_MANY, Slot
from tricklaw.model.steps import Step
from tricklaw.model.terms import Bits, Bool, both, count, either, implies, when
from tricklaw.solver import readings as rd
from tricklaw.solver.compiled import EXPOSING, Compiled
from tricklaw.solver.explorer import Played
from tricklaw.solver.formulas import smt2
from tricklaw.solver.induction import Engine
from tricklaw.solver.obligations import Answer, SolverName, Status
from tricklaw.solver.plays import Play, Spot, play_of
from tricklaw.solver.readings import Assignment, Undecided

DEPTHS = (6, 8)
"""How many acts a play may have that begins with the deal, in turn."""

LONGEST = 10
"""The same where nothing else has helped."""

FURTHER = (4, 6)
"""How many acts may be added to the play to a state come to."""

KIND = "kind"
"""The name of the constant that says which step an act is; it is followed by the number of the act."""

PATIENCE = 8
"""How many times the time limit of an obligation looking for a play may take."""

STARTS = 120
"""How many states a search that does not begin with the deal begins in, at most."""


class Unroller:
    """Looks for short plays that violate parts, by asking a solver.

    All kinds of act, or all but the ways to expose a card other than facing it: those come to the same.
    """

    def __init__(
        self, compiled: Compiled, everything: Sequence[Assignment], engine: Engine, exposing: bool = False
    ) -> None:
        self.compiled, self.system, self.everything, self.engine = compiled, compiled.system, everything, engine
        self._steps = [s for s in self.system.steps if exposing or (s.changes and s.kind.do not in EXPOSING)]
        self._kind = z3.BitVec(f"{KIND}@0", len(self._steps).bit_length())
        self._start = z3.BitVec("start", STARTS.bit_length())
        self._acts: list[str] = []

    def search(
        self,
        left: Undecided,
        depth: int,
        starts: Mapping[str, Sequence[Spot]] | None = None,
        premises: bool = False,
    ) -> Iterator[tuple[str, Play]]:
        """Plays of at most so many acts that violate the parts, each under some of the assignments left of it.

        They begin with a deal or, where starts are given, go on from the plays to these.

        Parameters:
            premises: look for acts that meet the premises of parts over acts instead.
        """
        spots = (
            {name: self._spots(starts.get(name, ()), some) for name, some in left.items()} if starts is not None else {}
        )
        waiting, running = [name for name in left if starts is None or spots[name]], dict[Future[Answer], str]()
        while waiting or running:
            while waiting and len(running) < self.engine.pool.jobs:
                name = waiting.pop(0)
                text = self._question(name, left[name], depth, spots.get(name), premises)
                future = self.engine.submit(f"play for {name}", text, SolverName.BITWUZLA, True, PATIENCE)
                running[future] = name
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                name, answer = running.pop(future), future.result()
                if answer.status is Status.SAT and answer.model is not None:
                    yield name, self._play(answer.model, depth, spots.get(name))
            self.engine.say(f"plays of {depth} acts: {len(waiting) + len(running)} parts are left")

    def _spots(self, spots: Sequence[Spot], some: set[Assignment]) -> list[Spot]:
        """Those of the starts that are under one of the assignments."""
        return [s for s in spots if rd.assignment_in(self.system, self.compiled.opened(s.row)[1]) in some][:STARTS]

    # the question --------------------------------------------------------------------------------------------------

    def _question(
        self, name: str, some: set[Assignment], depth: int, spots: Sequence[Spot] | None, premise: bool = False
    ) -> str:
        constraint = rd.constraint(self.system, some, self.everything)
        begin = self._deal() if spots is None else self._one_of(spots)
        parts = [self._declarations(depth), _text(both(self.system.rigid_condition, constraint, begin))]
        parts += [self._act(at) for at in range(depth)]
        goal, back = self._goal(name, premise)
        parts.append(_later(goal, depth - back))
        return "\n".join(parts)

    def _deal(self) -> Bool:
        """A deal of as many cards to each; of leaders and trumps those that differ otherwise than in names."""
        view = self.system.view
        sizes = [self._proper(i) for i in range(self.system.seats)]
        alike = (sizes[0] == size for size in sizes[1:])
        first = either(*(view["turn"] == view.seat(i) for i in self.system.leaders))
        trumps = either(*(view.rigid["trumps"] == number for number in self.system.table.trumps))
        return self._at(both(self.system.initial, *alike, first, trumps))

    def _proper(self, index: int) -> Bits:
        """How many cards the player at `index` should hold, to judge by what he holds."""
        view = self.system.view
        size: Bits = count(view.own[index])
        if TOO_MANY in view.state:
            width = size.size() - 1
            size = size - z3.ZeroExt(width, z3.Extract(index, index, view[TOO_MANY]))
            size = size + z3.ZeroExt(width, z3.Extract(index, index, view[TOO_FEW]))
        return size

    def _one_of(self, spots: Sequence[Spot]) -> Bool:
        """The play begins in one of some states: which one, the constant `start` tells."""
        slots = [*self.system.slots, *self.system.rigid_slots]
        rows = [state | rigid for state, rigid in (self.compiled.opened(spot.row) for spot in spots)]
        total = sum(slot.width for slot in slots)
        table = z3.BitVecVal(_packed(slots, rows[0]), total)
        for number, row in enumerate(rows[1:], 1):
            table = when(self._start == number, z3.BitVecVal(_packed(slots, row), total), table)
        found, place = [z3.ULT(self._start, len(rows))], 0
        whole = z3.BitVec("whole", total)
        for slot in slots:
            place += slot.width
            name = slot.name if slot in self.system.rigid_slots else f"{slot.name}@0"
            found.append(
                z3.BitVec(name, slot.width) == z3.Extract(total - place + slot.width - 1, total - place, whole)
            )
        return both(whole == table, *found)

    def _at(self, term: Bool) -> Bool:
        """A term over the state (and the act) before the first act."""
        return z3.substitute(term, *self._here)

    @cached_property
    def _here(self) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
        names = [*self.system.view.state.values(), *self._act_terms]
        return [(term, z3.BitVec(f"{term.decl().name()}@0", term.size())) for term in names]

    @cached_property
    def _act_terms(self) -> list[z3.BitVecRef]:
        return [z3.BitVec(slot.name, slot.width) for slot in self.system.act_slots]

    @cached_property
    def _relation(self) -> str:
        """The text of one act: which step it is, or none, and what it makes of the state."""
        before = {str(old.decl().name()): new for old, new in self._here}
        after = {slot.name: before[slot.name] for slot in self.system.slots}
        found = [z3.ULE(self._kind, len(self._steps))]
        for number, step in enumerate(self._steps):
            chosen = self._kind == number
            found.append(implies(chosen, self._at(both(step.possible, self.compiled.in_order(step.kind)))))
            for field, term in step.changes.items():
                after[field] = when(chosen, self._at(term), after[field])
        found += [z3.BitVec(f"{field}@1", term.size()) == term for field, term in after.items()]
        return _text(both(*found))

    @cached_property
    def _idle_first(self) -> str:
        """The text that nothing is done only before the first act: so that shorter plays are among the longer ones."""
        none, later = len(self._steps), z3.BitVec(f"{KIND}@1", self._kind.size())
        return _text(implies(later == none, self._kind == none))

    def _act(self, at: int) -> str:
        """The text of one of the acts, in its place; written once for all questions."""
        while len(self._acts) <= at:
            place = len(self._acts)
            before = [_later(self._idle_first, place - 1)] if place else []
            self._acts.append("\n".join([*before, _later(self._relation, place)]))
        return self._acts[at]

    def _goal(self, name: str, premise: bool) -> tuple[str, int]:
        """The text of a violation, and by how many acts before the end its names lie."""
        if name in self.compiled.states:
            return _text(self._at(self.compiled.states[name].violated)), 0
        claims = ((number, self._claim(name, step, premise)) for number, step in enumerate(self._steps))
        return _text(either(*(both(self._kind == n, self._at(c)) for n, c in claims if c is not None))), 1

    def _claim(self, name: str, step: Step, premise: bool) -> Bool | None:
        claim = (self.compiled.acts | self.compiled.unwatched)[name](step)
        return (claim.premise if premise else claim.violated) if claim is not None else None

    def _declarations(self, depth: int) -> str:
        """Everything that occurs: the rigid constants, and the state and the act at each place."""
        slots = [*self.system.slots, *self.system.rigid_slots]
        rigid = [(slot.name, slot.width) for slot in self.system.rigid_slots]
        rigid += [("start", self._start.size()), ("whole", sum(slot.width for slot in slots))]
        state = [(slot.name, slot.width) for slot in self.system.slots]
        act = [(slot.name, slot.width) for slot in self.system.act_slots] + [(KIND, self._kind.size())]
        named = [*rigid, *((f"{n}@{at}", w) for at in range(depth + 1) for n, w in (*state, *act))]
        return "\n".join(f"(declare-const |{name}| (_ BitVec {width}))" for name, width in named)

    # the answer ----------------------------------------------------------------------------------------------------

    def _play(self, model: Mapping[str, int], depth: int, spots: Sequence[Spot] | None) -> Play:
        path = [p for at in range(depth) if (p := self._played(model, at)) is not None]
        start = {slot.name: model[f"{slot.name}@0"] for slot in self.system.slots}
        if spots is not None:
            spot = spots[model["start"]]
            path = [*spot.way, *path]
            start, _ = self.compiled.opened(spot.start)
        return play_of(self.system, start, model, path)

    def _played(self, model: Mapping[str, int], at: int) -> Played | None:
        number = model[f"{KIND}@{at}"]
        if number >= len(self._steps):
            return None
        step = self._steps[number]
        said = frozenset[str]().union(variables(step.possible), *map(variables, step.changes.values()))
        act = {s.name: model[f"{s.name}@{at}"] for s in self.system.act_slots if s.name in said}
        return Played(step.kind.name, act)


def _text(formula: Bool) -> str:
    """The assertion alone, without the declarations."""
    text = smt2([formula])
    return text[text.index("(assert") :]


def _packed(slots: Sequence[Slot], values: Mapping[str, int]) -> int:
    """The values one after the other, the first in the highest bits."""
    number = 0
    for slot in slots:
        number = number << slot.width | values[slot.name]
    return number


def _later(text: str, at: int) -> str:
    """The text for a later act."""
    return re.sub(r"@(\d+)\b", lambda place: f"@{int(place[1]) + at}", text)

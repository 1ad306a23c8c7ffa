"""A system compiled for drawing its graph: nodes as a function of the state, clauses as step flags.

Each kind of act is compiled twice, as it is lawful and as it is not, so that unlawful acts need not be tried where the
budget is used up. Rights are waived only where they are open or pending: to waive what is not there is no use, and there
are many ways to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tricklaw.model.acts import ActKind, Do
from tricklaw.model.law import Clause, Kind
from tricklaw.model.native import Field, Function, Native, Step, compile_native
from tricklaw.model.state import Slot
from tricklaw.model.system import System
from tricklaw.model.terms import FALSE, Bool, bit, both, either, meets, negate
from tricklaw.solver._graph_terms import Traits
from tricklaw.solver.compiled import Compiled
from tricklaw.solver.explorer import Move

BROKEN, SET_OFF, RELIED_ON = "broken", "set off", "relied on"
"""How a clause comes into an act: as a duty that it breaks, as a rule that it sets off, as what makes it lawful or free."""

_UNLAWFUL = ", unlawful"
"""What follows the kind of act in the name of a step of unlawful acts."""

Reliance = Mapping[tuple[str, str], Bool]
"""Where clauses are relied on: by kind of act and clause."""


@dataclass(frozen=True)
class Label:
    """What a step flag tells: how a clause comes into the act, and its id (for a demand disobeyed that of the right)."""

    how: str
    clause: str


class Chart(Compiled):
    """The machine code of a system, with the traits of its states and the clauses of its acts."""

    def __init__(self, system: System, cache: Path | None) -> None:
        super().__init__(system, {}, cache)
        self.traits = Traits(system)

    @cached_property
    def native(self) -> Native:
        """The machine code; compiled on first use and cached on disk."""
        s = self.system
        state, rigid, act = (_fields(slots) for slots in (s.slots, s.rigid_slots, s.act_slots))
        steps = [step for kind in s.kinds for step in self._halves(kind)]
        return compile_native(state, rigid, act, self._functions(), steps, self.cache, outer=["act.actor"])

    @cached_property
    def moves(self) -> list[Move]:
        """How acts are enumerated, lawful ones and unlawful ones apart."""
        kinds = {kind.name for kind in self.system.kinds if self.system.step(kind).broken}
        found = []
        for move in (m for kind in self.system.kinds for m in self._moves(kind)):
            found.append(move)
            if move.step in kinds:
                found.append(replace(move, step=move.step + _UNLAWFUL, irregular=True))
        return found

    def kind_of(self, step: str) -> str:
        """The name of the kind of act that a step is."""
        return step.removesuffix(_UNLAWFUL)

    def labels(self, kind: ActKind) -> list[Label]:
        """What the step flags of a kind of act tell, in their order, from the lowest bit on."""
        return [label for label, _ in self._labelled(kind)]

    def _functions(self) -> list[Function]:
        return [*super()._functions(), self.traits.function]

    def _labelled(self, kind: ActKind) -> list[tuple[Label, Bool]]:
        step = self.system.step(kind)
        found = [(Label(BROKEN, name.removeprefix(_COMPLY)), term) for name, term in step.broken.items()]
        found += [(Label(SET_OFF, name), term) for name, term in step.fired.items()]
        return found + [(Label(RELIED_ON, c), t) for (name, c), t in self.reliance.items() if name == kind.name]

    @cached_property
    def reliance(self) -> Reliance:
        """For each permission and immunity, the acts that would break a duty or set off a clause but for it."""
        return dict(_reliance(self.system))

    def _halves(self, kind: ActKind) -> Iterator[Step]:
        step = self.system.step(kind)
        flags = (step.unlawful, *(term for _, term in self._labelled(kind)))
        if len(flags) > 64:
            raise ValueError(f"{kind.name!r} may involve {len(flags) - 1} clauses; at most 63 can be told apart")
        possible = both(step.possible, self._there(kind)) if kind.do is Do.WAIVE else step.possible
        yield Step(kind.name, both(possible, negate(step.unlawful)), flags, step.changes)
        if step.broken:
            yield Step(kind.name + _UNLAWFUL, both(possible, step.unlawful), flags, step.changes)

    def _there(self, kind: ActKind) -> Bool:
        """Whether the right is open or pending against the player addressed."""
        s, v, seat = self.system, self.system.view, self.system.act.seat
        right = s.rights[kind.right]
        opened = either(*(both(bit(seat, i), s.right_state(right, i).open) for i in range(s.seats)))
        return opened if right.standing else either(opened, meets(v[right.pending], v.side(seat)))


_COMPLY = "comply "


def _fields(slots: Sequence[Slot]) -> list[Field]:
    return [Field(slot.name, slot.width) for slot in slots]


def _reliance(system: System) -> Iterator[tuple[tuple[str, str], Bool]]:
    freeing = [c for c in system.code.clauses if c.kind in (Kind.PERMISSION, Kind.IMMUNITY) and _freed_from(c)]
    strict = _without(system, freeing)
    for clause in freeing:
        other = _without(system, [clause]) if len(freeing) > 1 else strict
        for kind in system.kinds:
            if names := _named(strict, kind).keys() & set(_freed_from(clause)):
                yield (kind.name, clause.id), _spared(system, other, kind, sorted(names))


def _freed_from(clause: Clause) -> tuple[str, ...]:
    """The clauses that a permission or an immunity frees from."""
    return clause.overrides if clause.kind is Kind.PERMISSION else clause.from_


def _without(system: System, clauses: Sequence[Clause]) -> System:
    ids = {clause.id for clause in clauses}
    kept = tuple(clause for clause in system.code.clauses if clause.id not in ids)
    return System(replace(system.code, clauses=kept), system.game, system.deck)


def _spared(system: System, other: System, kind: ActKind, names: Sequence[str]) -> Bool:
    """Where an act breaks or sets off one of the clauses in the other system and not in this one."""
    mine, theirs = _named(system, kind), _named(other, kind)
    return either(*(both(theirs.get(name, FALSE), negate(mine.get(name, FALSE))) for name in names))


def _named(system: System, kind: ActKind) -> dict[str, Bool]:
    step = system.step(kind)
    return {**step.broken, **step.fired}

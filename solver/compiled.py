"""A system as machine code for exploring, with the claims to be watched: small decks to search, the full pack to replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import z3

from tricklaw.model.acts import WORDS, ActKind, Do, Param
from tricklaw.model.deals import Marks
from tricklaw.model.names import variables
from tricklaw.model.native import Field, Function, Native, Step, compile_native
from tricklaw.model.state import Slot
from tricklaw.model.system import READING, System
from tricklaw.model.table import SEAT_NAMES, Groups
from tricklaw.model.terms import FALSE, TRUE, Bits, Bool, bit, both, collect, gate, less, negate, some
from tricklaw.properties.base import Part
from tricklaw.solver.explorer import Move

UNLAWFUL, SPECIAL = 1, 2
"""The step flags (masks) of acts that break a duty, and of words: acts that regular play has no need of."""


EXPOSING = (Do.THROW, Do.SHOW, Do.NAME, Do.BOAST, Do.PICK_UP)
"""Acts that a thin search leaves out."""

NAMEABLE = "cards of others that a demand may name"
"""For each player, the cards that he may name in a demand."""

IN_TURN = "cards of him whose turn it is"
"""For each player, what he holds if it is his turn, else nothing."""

OPEN = "who may exact what"
"""For each right and each player the players who may exact it from him now."""

SITUATIONS = "what can be said of each player"
"""For each player some words that tell one situation from another; as many for each."""

FIRST_FLAG, MOST_FLAGS = 2, 62
"""Where the step flags of claims over acts begin, and how many there can be."""


def premises(part: Part) -> tuple[bool, ...]:
    """What is told of a claim over acts: its violation and its premise; the first alone where a play is the proof."""
    return (False,) if part.exists else (False, True)


def batches(parts: Mapping[str, Part]) -> Iterator[dict[str, Part]]:
    """Parts over acts, as many at a time as the step flags can tell of."""
    batch, left = dict[str, Part](), MOST_FLAGS
    for name, part in parts.items():
        if len(premises(part)) > left:
            yield batch
            batch, left = {}, MOST_FLAGS
        batch[name], left = part, left - len(premises(part))
    if batch:
        yield batch


class Compiled:
    """The transition system with the claims of some parts, as machine code.

    Parts are named `property/right`; those that are not watched for are no part of the code. The function `watch` has the
    violations and the premises of the claims over states, each distinct one once: `violated_at` and `premise_at` say where.
    The step flags say of an act: flag 0 that it breaks a duty, flag 1 that it consists of words, those after them whether
    it violates a claim over acts or meets its premise, see `flags`.
    `candidates` are further state formulas to be evaluated. What is compiled quickly runs slower.
    """

    def __init__(
        self,
        system: System,
        parts: Mapping[str, Part],
        cache: Path | None,
        candidates: Mapping[str, Bool] | None = None,
        quickly: bool = False,
    ) -> None:
        self.system, self.cache, self.quickly = system, cache, quickly
        self.states = {name: p.state for name, p in parts.items() if p.state is not None}
        self.acts = {name: p.act for name, p in parts.items() if p.act is not None and p.watched}
        self.unwatched = {name: p.act for name, p in parts.items() if p.act is not None and not p.watched}
        self.existing = {name for name, p in parts.items() if p.exists}
        """The parts that one play is the proof of."""
        told = [(name, premise) for name in self.acts for premise in premises(parts[name])]
        self.flags = {key: FIRST_FLAG + at for at, key in enumerate(told)}
        """The step flag for each claim over acts, of its violation and of its premise."""
        if len(told) > MOST_FLAGS:
            raise ValueError(f"{len(told)} violations and premises of acts; at most {MOST_FLAGS}")
        self.candidates = dict(candidates or {})
        self._watched: dict[int, tuple[int, Bool]] = {}
        self.violated_at = {name: self._watch(claim.violated) for name, claim in self.states.items()}
        self.premise_at = {name: self._watch(claim.premise) for name, claim in self.states.items()}

    def _watch(self, formula: Bool) -> int:
        """The place of a formula among the outputs of `watch`."""
        return self._watched.setdefault(formula.get_id(), (len(self._watched), formula))[0]

    @property
    def watch_width(self) -> int:
        """How many outputs the function `watch` has; there is no such function where it has none."""
        return len(self._watched)

    @cached_property
    def native(self) -> Native:
        """The machine code; compiled on first use and cached on disk."""
        s = self.system
        steps = [self._step(kind) for kind in s.kinds]
        return compile_native(
            _fields(s.slots),
            _fields(s.rigid_slots),
            _fields(s.act_slots),
            self._functions(),
            steps,
            self.cache,
            outer=["act.actor"],
            quickly=self.quickly,
        )

    def act_flag(self, name: str, premise: bool = False) -> int:
        """The step flag of a claim over acts."""
        return self.flags[name, premise]

    def _functions(self) -> list[Function]:
        v = self.system.view
        others = [less(self.system.nameable_at_all, hand) for hand in v.hands]
        found = [Function("hands", tuple(v.hands)), Function(NAMEABLE, tuple(others))]
        in_turn = [gate(bit(v.to_act, i), hand) for i, hand in enumerate(v.hands)]
        found.append(Function(IN_TURN, tuple(in_turn)))
        if exactable := self.system.exactable:
            found.append(Function(OPEN, tuple(exactable.values())))
        found.append(Function(SITUATIONS, tuple(w for i in range(self.system.seats) for w in self._situation(i))))
        if self._watched:
            found.append(Function("watch", tuple(formula for _, formula in self._watched.values())))
        if self.candidates:
            found.append(Function("candidates", tuple(self.candidates.values())))
        return found

    def _situation(self, index: int) -> Iterator[Bits]:
        """What can be said of a player, and whether it is his turn to lead or to play."""
        v = self.system.view
        turn, following = bit(v.to_act, index), some(v["trick"])
        all_ = [both(turn, negate(following)), both(turn, following), *self.system.situation(index)]
        for first in range(0, len(all_), 64):
            yield collect(all_[first : first + 64])

    def _step(self, kind: ActKind) -> Step:
        step = self.system.step(kind)
        flags: list[Bool] = [step.unlawful, z3.BoolVal(kind.do in WORDS)]
        claims = {name: act(step) for name, act in self.acts.items()}
        for name, premise in self.flags:
            claim = claims[name]
            flags.append(FALSE if claim is None else claim.premise if premise else claim.violated)
        return Step(kind.name, both(step.possible, self.in_order(kind)), tuple(flags), step.changes)

    def in_order(self, kind: ActKind) -> Bool:
        """Players quit in the order of their seats: other orders only multiply the states that a search goes through."""
        if kind.do is not Do.QUIT:
            return TRUE
        left = ~self.system.view["quitted"]
        order: Bool = self.system.act.actor == left & -left
        return order

    # moves ---------------------------------------------------------------------------------------------------------

    @cached_property
    def moves(self) -> list[Move]:
        """How acts are enumerated: over the cards actually held."""
        return [m for kind in self.system.kinds for m in self._moves(kind)]

    def _moves(self, kind: ActKind) -> list[Move]:
        n = self.system.seats
        seats = ("act.seat", tuple(1 << i for i in range(n)))
        match kind.do:
            case Do.LEAD | Do.PLAY | Do.AGAIN | Do.FACE | Do.PICK_UP | Do.NAME | Do.ADD:
                return [Move(kind.name, "act.actor", "act.cards", "each", "hands")]
            case Do.THROW:
                return [Move(kind.name, "act.actor", "act.cards", "pairs", "hands")]
            case Do.SHOW:
                seen = (("act.seen", (1, 2)),)
                return [
                    Move(kind.name, "act.actor", "act.cards", "each", "hands", seen),
                    Move(kind.name, "act.actor", "act.cards", "pairs", "hands", seen),
                ]
            case Do.DEMAND if kind.param is Param.CARD:
                return [Move(kind.name, "act.actor", "act.cards", "each", NAMEABLE, (seats,))]
            case Do.DEMAND if kind.param is Param.SUIT:
                suits = ("act.suit", tuple(1 << i for i in range(self.system.deck.suits)))
                return [Move(kind.name, "act.actor", choices=(seats, suits))]
            case Do.DEMAND | Do.WAIVE | Do.FIND:
                return [Move(kind.name, "act.actor", choices=(seats,))]
            case _:
                return [Move(kind.name, "act.actor")]

    def moves_for(self, wanted: Iterable[str], thin: bool = False) -> list[Move]:
        """The moves that can make a difference to the wanted parts: the cone of influence of their claims; all if none can.

        Thin: without the other ways to expose cards than facing one.
        """
        _, kinds = self._cone(frozenset(wanted))
        kinds -= {do.value for do in EXPOSING} if thin else set()
        return [m for m in self.moves if m.step in kinds] or self.moves

    def _cone(self, wanted: frozenset[str]) -> tuple[set[str], set[str]]:
        """The fields that the wanted claims can depend on, and the kinds of act that change one of them."""
        claims, steps = self.mentions
        cone: set[str] = set()
        for name in wanted:
            cone |= claims.get(name, {s.name for s in self.system.slots})
        kinds: set[str] = set()
        while True:
            more = {n for n, (_, changes) in steps.items() if n not in kinds and changes.keys() & cone}
            if not more:
                return cone, kinds
            kinds |= more
            for name in more:
                possible, changes = steps[name]
                cone |= possible
                for changed in changes.keys() & cone:
                    cone |= changes[changed]

    @cached_property
    def mentions(self) -> tuple[dict[str, frozenset[str]], dict[str, tuple[frozenset[str], dict[str, frozenset[str]]]]]:
        """The fields in each claim over states; in what makes each kind of act possible, and in each field's next value."""
        claims = {n: variables(claim.violated) | variables(claim.premise) for n, claim in self.states.items()}
        steps = {}
        for kind in self.system.kinds:
            step = self.system.step(kind)
            steps[kind.name] = (variables(step.possible), {f: variables(t) for f, t in step.changes.items()})
        return claims, steps

    # where it starts -----------------------------------------------------------------------------------------------

    def initial(
        self,
        hands: Sequence[int],
        leader: int,
        groups: Groups,
        trumps: int,
        readings: dict[str, str],
        marks: Marks | None = None,
    ) -> Row:
        """A row for `explore`: packed state, then the rigid fields."""
        s = self.system
        state = {slot.name: 0 for slot in s.slots} | s.dealt(hands, leader, marks or {})
        rigid = rigid_values(s, groups, trumps, readings)
        return np.concatenate([self.native.pack(state), np.array([rigid[x.name] for x in s.rigid_slots], np.uint64)])

    def rigid_in(self, row: Sequence[int]) -> dict[str, int]:
        """The values of the rigid fields in a row."""
        names = (slot.name for slot in self.system.rigid_slots)
        return dict(zip(names, row[self.native.words :], strict=True))

    def opened(self, row: Row) -> tuple[dict[str, int], dict[str, int]]:
        """The values of the state and of the rigid fields in a row."""
        return self.native.unpack(row[: self.native.words]), self.rigid_in(row.tolist())


Row = npt.NDArray[np.uint64]


def rigid_values(system: System, groups: Groups, trumps: int, readings: dict[str, str]) -> dict[str, int]:
    """The rigid constants for sides, a trump suit (one bit, or 0) and choices of readings (default: the first)."""
    values = {"trumps": trumps}
    for i, name in enumerate(SEAT_NAMES[system.seats]):
        values[f"mates.{name}"] = next(g for g in groups if g >> i & 1) & ~(1 << i)
    for key, choices in system.readings.items():
        values[READING + key] = choices.index(readings.get(key, choices[0]))
    return values


def _fields(slots: Sequence[Slot]) -> list[Field]:
    return [Field(s.name, s.width) for s in slots]

"""A game as machine code for random play on the full pack: how each act is drawn, what it breaks and sets off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tricklaw.model import native
from tricklaw.model.acts import LAYING, ActKind, Do, Param
from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.law import Code
from tricklaw.model.lawfiles import builtin_codes, load_code
from tricklaw.model.native import Function
from tricklaw.model.system import System
from tricklaw.model.terms import bits, collect, less, select, union, when
from tricklaw.properties import PROPERTIES, Part, find
from tricklaw.solver.cache import default_directory
from tricklaw.solver.compiled import FIRST_FLAG, Compiled
from tricklaw.solver.explorer import Move

MOST_TRIES = 64
"""Numbers tried, from the one drawn, before the kind of act is taken to be impossible: enough for each player with each
of his cards, or with each player and suit."""


class Way(NamedTuple):
    """A way to do a kind of act: the function that gives the cards to draw from, if any; one or a pair; the rest."""

    held: str
    pairs: bool
    suit: int
    seat: int
    seen: int


class Rules(Compiled):
    """A game as machine code for the full pack, with a step flag for each clause that an act breaks or sets off.

    Attributes:
        labels: for each kind of act, the meaning of the flags that follow those of `Compiled`.
    """

    def __init__(self, code: Code, game: str, properties: Sequence[str] | None = None, cache: Path | None = None):
        system = System(code.restrict(game), game)
        wanted = PROPERTIES.values() if properties is None else [find(name) for name in properties]
        self.parts: dict[str, Part] = {f"{p.id}/{q.right}": q for p in wanted for q in p.parts(system)}
        super().__init__(system, self.parts, cache or default_directory() / "native")
        self.game, self.kinds = game, {kind.name: kind for kind in system.kinds}

    @cached_property
    def labels(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """The clauses that each kind of act can break, and those that it can set off."""
        steps = [self.system.step(kind) for kind in self.system.kinds]
        return {step.kind.name: (tuple(step.broken), tuple(step.fired)) for step in steps}

    @property
    def first_clause(self) -> int:
        """The first step flag of a clause."""
        return FIRST_FLAG + len(self.flags)

    @cached_property
    def act_masks(self) -> list[tuple[str, int, int]]:
        """The parts over acts, with the masks of violation and premise in the step flags."""
        return [(name, 1 << self.act_flag(name), 1 << self.act_flag(name, premise=True)) for name in self.acts]

    @cached_property
    def ways(self) -> dict[str, list[Way]]:
        """The ways to enumerate each kind of act, with every combination of what is not cards."""
        found: dict[str, list[Way]] = {name: [] for name in self.kinds}
        for move in self.moves:
            for values in move.combinations:
                chosen = dict(zip((name for name, _ in move.choices), values, strict=True))
                others = (chosen.get(f"act.{name}", 0) for name in ("suit", "seat", "seen"))
                found[move.step].append(Way(move.held or "", move.card_source == "pairs", *others))
        return found

    @cached_property
    def tries(self) -> dict[str, int]:
        """How many numbers are tried, from the one drawn, before a kind of act is taken to be impossible."""
        seats, cards = self.system.seats, self.system.deck.size // self.system.seats
        return {
            kind: min(MOST_TRIES, seats * len(ways) * (cards if any(way.held for way in ways) else 1))
            for kind, ways in self.ways.items()
        } | {"regular": 1, "right": MOST_TRIES, "round": 1}

    @cached_property
    def right_kinds(self) -> list[list[ActKind]]:
        """The ways to exact each right, and to waive it."""
        return [[kind for kind in self.system.kinds if kind.right == right] for right in self.system.rights]

    @cached_property
    def left_out(self) -> list[str]:
        """The clauses of the built-in code of that name that this one leaves out."""
        folder = builtin_codes().get(self.system.code.id)
        whole = load_code(folder).restrict(self.game).clauses if folder else ()
        kept = {clause.id for clause in self.system.code.clauses}
        return [clause.id for clause in whole if clause.id not in kept]

    def rule_names(self) -> list[str]:
        """The rules, each as often as it should be drawn: regular play, exacting and waiving, then any act at all."""
        irregular = [name for name, kind in self.kinds.items() for _ in range(_often(kind))]
        n = len(irregular)
        return ["regular"] * (n // 3) + ["right"] * (n // 3) + ["round"] * (n // 5) + irregular

    def select_parts(self, names: Iterable[str]) -> frozenset[str]:
        """The parts named, or of the properties named.

        Raises:
            UnknownName: there is no such part or property here; the message names the nearest.
        """
        found: set[str] = set()
        for name in names:
            chosen = {part for part in self.parts if name in (part, part.split("/")[0])}
            if not chosen and name not in PROPERTIES:
                raise UnknownName(f"unknown property or part {name!r}{nearest(name, [*PROPERTIES, *self.parts])}")
            found |= chosen
        return frozenset(found)

    def _functions(self) -> list[Function]:
        s, v = self.system, self.system.view
        lays = [select(v.to_act, [s.lawful_cards(do, i) for i in range(s.seats)]) for do in LAYING]
        quits = collect([s.lawful_plain(Do.QUIT, i) for i in range(s.seats)])
        over = when(v.over, bits(1, 1), bits(0, 1))
        others = [less(union(v.hands, s.deck.size), hand) for hand in v.hands]
        return [
            *super()._functions(),
            Function("regular", (v.to_act, *lays, quits, over)),
            Function("cards of others", tuple(others)),
        ]

    def _step(self, kind: ActKind) -> native.Step:
        step, plain = self.system.step(kind), super()._step(kind)
        flags = (*plain.flags, *step.broken.values(), *step.fired.values())
        return native.Step(plain.name, plain.possible, flags, plain.changes)

    def _moves(self, kind: ActKind) -> list[Move]:
        found = super()._moves(kind)
        if kind.do is Do.DEMAND and kind.param is Param.CARD:
            found += [Move(m.step, m.actor, m.cards, "each", "cards of others", m.choices) for m in found]
        return found


def _often(kind: ActKind) -> int:
    """How often a kind of act is drawn: what leads to the rarer clauses most, words least, since there are many."""
    if kind.right:
        return 1
    if kind.do is Do.ATTENTION:  # there is seldom something to draw attention to
        return 40
    return 8 if kind.do in (*LAYING, Do.TAKE_BACK) else 3

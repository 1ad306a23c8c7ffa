"""What of a state a node of the graph keeps, as terms: rights, demands, liable cards and the trick, but no card.

Seats are counted from whoever led to the trick on the table, or from the player who has the right to lead while nothing
lies there: first hand to fourth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import z3

from tricklaw.model.native import Function
from tricklaw.model.rights import Option, Right
from tricklaw.model.system import System
from tricklaw.model.terms import (
    Bits,
    Bool,
    at_most_one,
    bits,
    both,
    collect,
    gate,
    less,
    meet,
    meets,
    negate,
    select,
    some,
    when,
)

NODE = "node"
"""The compiled function: the seat counted from, then the words of the node."""


@dataclass(frozen=True)
class Trait:
    """A part of a node: what it tells, of which right and demand, and its bits."""

    tells: str
    term: Bits
    right: str = ""
    option: str = ""

    @property
    def width(self) -> int:
        """Its number of bits."""
        return int(self.term.size())


class Traits:
    """The traits of a system's states, packed into words of at most 64 bits."""

    def __init__(self, system: System) -> None:
        self.system, self.view = system, system.view
        v = self.view
        self.base = when(v.empty_table, v["turn"], v["leader"])
        self.all = [*self._trick(), *self._liable(), *self._sides()]
        for right in system.rights.values():
            self.all += self._right(right)
        self.words = list(_packed(self.all))
        self._fields = [[((t.tells, t.right, t.option), (1 << t.width) - 1) for t in word] for word in self.words]

    @property
    def function(self) -> Function:
        """The base seat and the words of the node."""
        return Function(NODE, (self.base, *(_joined([t.term for t in word]) for word in self.words)))

    def unpack(self, words: Sequence[int]) -> dict[tuple[str, str, str], int]:
        """The values of a node's traits, by what they tell, right and demand."""
        found = {}
        for fields, value in zip(self._fields, words, strict=True):
            for key, mask in fields:
                found[key] = value & mask
                value >>= mask.bit_length()
        return found

    # terms ---------------------------------------------------------------------------------------------------------

    def _turned(self, seats: Bits) -> Bits:
        """A set of seats as counted from the base."""
        turns = [seats]
        for _ in range(self.system.seats - 1):
            turns.append(self.view.right_of(turns[-1]))
        return select(self.base, turns)

    def _trick(self) -> Iterator[Trait]:
        v = self.view
        yield Trait("played", self._turned(v.played))
        yield Trait("proper leader", self._turned(gate(v.false_lead, v["turn"])))
        yield Trait("noticed", _flag(both(v.false_lead, v.noticed)))
        yield Trait("not quitted", _flag(some(v["prev"])))
        yield Trait("over", _flag(v.over))
        yield Trait("renounce", _flag(some(v.renounced)))
        yield Trait("correcting", _flag(some(v["amending"])))
        yield Trait("omitted", _flag(some(v.omitted)))
        yield Trait("thrown", _flag(meets(v["thrown"], v.held)))

    def _liable(self) -> Iterator[Trait]:
        mine = [meet(hand, self.view["liable"]) for hand in self.view.hands]
        yield Trait("liable", self._turned(collect([some(m) for m in mine])))
        yield Trait("several liable", self._turned(collect([negate(at_most_one(m)) for m in mine])))

    def _sides(self) -> Iterator[Trait]:
        if self.system.table.declarer is not None:
            yield Trait("declarer", self._turned(self.view.declarer))
        if len(self.system.arrangements) < 2:
            return
        for i in range(self.system.seats):
            who = self.base
            for _ in range(i):
                who = self.view.left_of(who)
            yield Trait("partners", self._turned(self.view.partners(who)), option=str(i))

    def _right(self, right: Right) -> Iterator[Trait]:
        v, n = self.view, self.system.seats
        opened = collect([self.system.right_state(right, i).open for i in range(n)])
        yield Trait("open", self._turned(opened), right.id)
        if not right.standing:
            yield Trait("dormant", self._turned(less(v[right.pending], v.side(opened))), right.id)
        for option in right.options:
            if option.binds:
                yield Trait("demand", self._turned(self._bound(right, option)), right.id, option.text)

    def _bound(self, right: Right, option: Option) -> Bits:
        v, n = self.view, self.system.seats
        return collect([self.system.bound(right, option, v.seat(i)).binds for i in range(n)])


def _flag(condition: Bool) -> Bits:
    return z3.If(condition, bits(1, 1), bits(0, 1))


def _packed(traits: Sequence[Trait]) -> Iterator[list[Trait]]:
    word: list[Trait] = []
    for trait in traits:
        if sum(t.width for t in word) + trait.width > 64:
            yield word
            word = []
        word.append(trait)
    yield word


def _joined(terms: Sequence[Bits]) -> Bits:
    """The terms side by side, the first in the lowest bits."""
    return z3.Concat(*reversed(terms)) if len(terms) > 1 else terms[0]

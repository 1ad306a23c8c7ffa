"""A play in progress on the full pack: what can be done next, each act chosen by one number, and what it violates.

The number is decoded to actor, cards, suit and seat among the acts that are possible; a smaller one is more regular.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import comb
from typing import NamedTuple

from tricklaw.model.acts import Do, Param
from tricklaw.model.deals import random_marks
from tricklaw.model.machine import Deed
from tricklaw.model.native import Buffers
from tricklaw.solver.compiled import NAMEABLE, OPEN
from tricklaw.solver.coverage import Coverage
from tricklaw.solver.plays import Play
from tricklaw.solver.rules import Rules

LENGTHS = (1, 2, 3, 2, 4, 3, 2, 5, 1, 3, 7, 10, 13)
"""Cards each, as often as they are dealt: a short hand comes to its end within a play."""

ROUND = 4
"""Regular acts of the rule `round`, each meant by four bits of its number."""


class Done(NamedTuple):
    """An act as it can be done: its kind, its parameters, its step flags and the state after it."""

    kind: str
    deed: Deed
    flags: int
    words: list[int]


def deal(rules: Rules, number: int, readings: Mapping[str, str]) -> Play:
    """The deal of that number: 0 is the lowest card to each, no trumps, the first of everything.

    Parameters:
        readings: the choices that are fixed; the others come from the number.
    """
    s = rules.system
    number, length = divmod(number, len(LENGTHS))
    number, leader = divmod(number, s.seats)
    number, trumps = divmod(number, len(s.trump_suits))
    number, sides = divmod(number, len(s.arrangements))
    chosen = {}
    for key, choices in s.readings.items():
        number, choice = divmod(number, len(choices))
        chosen[key] = readings.get(key, choices[choice])
    cards = list(range(s.deck.size))
    if number:
        random.Random(number).shuffle(cards)
    cards = cards[: min(LENGTHS[length], s.deck.size // s.seats) * s.seats]
    even = tuple(sum(1 << card for card in cards[i :: s.seats]) for i in range(s.seats))
    hands, marks = random_marks(s.deck, s.table, even, random.Random(number)) if number else (even, {})
    return Play(hands, leader, s.arrangements[sides], s.trump_suits[trumps], chosen, (), marks)


class Sitting:
    """A play in progress: what can be done next, and what the acts so far violate.

    Attributes:
        start: the deal.
        acts: the acts so far.
        violated: the parts violated by the last act, or in the state after it.
    """

    def __init__(self, rules: Rules, buffers: Buffers, coverage: Coverage, start: Play) -> None:
        self.rules, self.start, self.coverage, self._buffers = rules, start, coverage, buffers
        s, n = rules.system, rules.native.words
        row = rules.initial(
            start.hands, start.leader, start.groups, start.trumps, dict(start.readings), start.marks
        ).tolist()
        self._words, self._rigid, self._seats = row[:n], row[n:], s.seats
        self._outputs: dict[str, tuple[int, ...]] = {}
        self._first: dict[str, Done | None] = {}
        self.acts: list[tuple[str, Deed]] = []
        self.violated: list[str] = self._look()

    # what can be done ------------------------------------------------------------------------------------------------

    def can(self, name: str) -> bool:
        """Whether the rule has an act now."""
        if name not in self._first:
            self._first[name] = self._find("regular" if name == "round" else name, range(self.rules.tries[name]))
        return self._first[name] is not None

    def run(self, name: str, number: int) -> Iterator[None]:
        """Do what the number means under the rule, act by act: `round` is a few regular acts, any other rule is one."""
        for _ in range(ROUND if name == "round" else 1):
            if not self.do("regular" if name == "round" else name, number):
                return
            yield
            number //= 16

    def do(self, name: str, number: int) -> bool:
        """Do the act that the number means under the rule: `regular`, `right`, or a kind of act; False if none is."""
        tries = self.rules.tries[name]
        done = self._find(name, chain(range(number, number + tries), range(tries))) if self.can(name) else None
        if done is None:
            return False
        self.coverage.add_act(done.kind, done.flags)
        self.acts.append((done.kind, done.deed))
        self.violated = [part for part, bad, _ in self.rules.act_masks if done.flags & bad]
        if done.words != self._words:
            self._words, self._outputs, self._first = done.words, {}, {}
            self.violated += self._look()
        return True

    @property
    def over(self) -> bool:
        """All cards are played, turned and quitted."""
        return bool(self._output("regular")[-1])

    @property
    def play(self) -> Play:
        """The play so far."""
        order = [slot.name for slot in self.rules.system.act_slots]
        acts = tuple((self.rules.kinds[kind], dict(zip(order, deed, strict=True))) for kind, deed in self.acts)
        start = self.start
        return Play(start.hands, start.leader, start.groups, start.trumps, start.readings, acts, start.marks)

    def _find(self, name: str, numbers: Iterable[int]) -> Done | None:
        decode = {"regular": self._regular, "right": self._right}.get(name)
        for number in numbers:
            chosen = decode(number) if decode else self._any(name, number)
            done = chosen and self._try(*chosen)
            if done and (name != "right" or self._legitimate(done)):
                return done
            if decode and not chosen:
                return None
        return None

    def _try(self, kind: str, deed: Deed) -> Done | None:
        self._buffers.load(self._words, self._rigid, list(deed))
        possible, flags, *words = self._buffers.successor(kind)
        return Done(kind, deed, flags, words) if possible else None

    def _output(self, name: str) -> tuple[int, ...]:
        if name not in self._outputs:
            self._buffers.load(self._words, self._rigid, _NO_ACT)
            self._outputs[name] = self._buffers.outputs(name)
        return self._outputs[name]

    def _look(self) -> list[str]:
        """The parts violated in the state; its premises are counted."""
        if not self.rules.states:
            return []
        watched = self._output("watch")
        self.coverage.add_state(watched)
        return [name for name, at in self.rules.violated_at.items() if watched[at]]

    def _regular(self, number: int) -> tuple[str, Deed] | None:
        """The player whose turn it is leads or plays a lawful card, or somebody turns and quits."""
        actor, leads, plays, quits, _ = self._output("regular")
        cards, seats = leads | plays, quits.bit_count()
        if not cards and not seats:
            return None
        at = number % (cards.bit_count() + seats)
        if at < cards.bit_count():
            return (Do.LEAD if leads else Do.PLAY).value, Deed(actor, _member(cards, at))
        return Do.QUIT.value, Deed(_member(quits, at - cards.bit_count()))

    def _right(self, number: int) -> tuple[str, Deed] | None:
        """Somebody who may exact or waive an open penalty does so."""
        open_ = [(at, who) for at, who in enumerate(self._output(OPEN)) if who]
        if not open_:
            return None
        number, which = divmod(number, len(open_))
        right, seat = divmod(open_[which][0], self._seats)
        kinds = self.rules.right_kinds[right]
        number, kind = divmod(number, len(kinds))
        number, at = divmod(number, open_[which][1].bit_count())
        actor, hand = _member(open_[which][1], at), self._output("hands")[seat]
        named = hand & self._output(NAMEABLE)[actor.bit_length() - 1] or hand
        card = _member(named, number % named.bit_count()) if kinds[kind].param is Param.CARD and named else 0
        suit = 1 << number % self.rules.system.deck.suits if kinds[kind].param is Param.SUIT else 0
        return kinds[kind].name, Deed(actor, card, suit, 1 << seat)

    def _legitimate(self, done: Done) -> bool:
        broken, fired = self.rules.labels[done.kind]
        right = self.rules.kinds[done.kind].right
        at = self.rules.first_clause + len(broken)
        return right in fired and bool(done.flags >> at + fired.index(right) & 1)

    def _any(self, kind: str, number: int) -> tuple[str, Deed] | None:
        """An act of that kind by anybody, possible or not."""
        ways = self.rules.ways[kind]
        number, seat = divmod(number, self._seats)
        number, at = divmod(number, len(ways))
        held, pairs, suit, to, seen = ways[at]
        cards = _drawn(pairs, self._output(held)[seat], number) if held else 0
        return (kind, Deed(1 << seat, cards, suit, to, seen)) if cards or not held else None


_NO_ACT = list(Deed(0))


def _member(members: int, at: int) -> int:
    """The set of one member, counted from the lowest."""
    for _ in range(at):
        members &= members - 1
    return members & -members


def _drawn(pairs: bool, held: int, number: int) -> int:
    """One card of those held, or a pair; none where there are too few."""
    count = held.bit_count()
    if not pairs:
        return _member(held, number % count) if count else 0
    if count < 2:
        return 0
    number, low, rest = number % comb(count, 2), 0, count - 1
    while number >= rest:
        number, low, rest = number - rest, low + 1, rest - 1
    return _member(held, low) | _member(held, low + 1 + number)

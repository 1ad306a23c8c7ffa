"""The pack as bits: suits, ranks, and the operations on sets of cards that trick play needs.

Card `suit * ranks + rank` is one bit; within a suit a higher bit is a higher card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tricklaw.model.terms import Bits, bit, bits, collect, gate, join, less, meet, meets, some, union, when

SUIT_LETTERS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
RANK_LETTERS = "23456789TJQKA"
RANK_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")


@dataclass(frozen=True)
class Deck:
    """A pack of `suits` suits of `ranks` cards each; the full pack is `Deck(4, 13)`.

    A smaller deck is the top of the full one: its cards map to the highest ranks of the first suits.
    """

    suits: int = 4
    ranks: int = 13

    @property
    def size(self) -> int:
        """How many cards, and so how wide a set of cards is, in bits."""
        return self.suits * self.ranks

    @property
    def everything(self) -> Bits:
        """The set of all cards."""
        return bits((1 << self.size) - 1, self.size)

    @property
    def nothing(self) -> Bits:
        """The empty set of cards."""
        return bits(0, self.size)

    def suit_bits(self, suit: int) -> int:
        """The cards of a suit, as an integer."""
        return ((1 << self.ranks) - 1) << (suit * self.ranks)

    def suit(self, suit: int) -> Bits:
        """The cards of a suit."""
        return bits(self.suit_bits(suit), self.size)

    def cards_of(self, suits: Bits) -> Bits:
        """All the cards of a set of suits."""
        return union((gate(bit(suits, i), self.suit(i)) for i in range(self.suits)), self.size)

    def suits_of(self, cards: Bits) -> Bits:
        """The set of suits that occur among the cards."""
        return collect([meets(cards, self.suit(i)) for i in range(self.suits)])

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        return tuple(k for k in (1, 2, 4, 8) if k < self.ranks)

    def _low(self, k: int) -> Bits:
        """The cards whose rank leaves room for `k` higher ones."""
        one = (1 << (self.ranks - k)) - 1
        return bits(sum(one << (s * self.ranks) for s in range(self.suits)), self.size)

    def _high(self, k: int) -> Bits:
        one = ((1 << self.ranks) - 1) & ~((1 << k) - 1)
        return bits(sum(one << (s * self.ranks) for s in range(self.suits)), self.size)

    def _shift_down(self, cards: Bits, k: int) -> Bits:
        from z3 import LShR

        return meet(LShR(cards, bits(k, self.size)), self._low(k))

    def _shift_up(self, cards: Bits, k: int) -> Bits:
        return meet(cards << bits(k, self.size), self._high(k))

    def below(self, cards: Bits) -> Bits:
        """All cards lower than some given card of the same suit."""
        for k in self._steps:
            cards = join(cards, self._shift_down(cards, k))
        return self._shift_down(cards, 1) if self.ranks > 1 else self.nothing

    def above(self, cards: Bits) -> Bits:
        """All cards higher than some given card of the same suit."""
        for k in self._steps:
            cards = join(cards, self._shift_up(cards, k))
        return self._shift_up(cards, 1) if self.ranks > 1 else self.nothing

    def highest(self, cards: Bits) -> Bits:
        """The highest card of each suit among the given ones."""
        return less(cards, self.below(cards))

    def lowest(self, cards: Bits) -> Bits:
        """The lowest card of each suit among the given ones."""
        return less(cards, self.above(cards))

    def best(self, cards: Bits, led: Bits, trumps: Bits) -> Bits:
        """The card that wins among those played, `led` and `trumps` being sets of cards of one suit or none."""
        ruffs = meet(cards, trumps)
        return when(some(ruffs), self.highest(ruffs), self.highest(meet(cards, led)))

    def winners(self, cards: Bits, played: Bits, led: Bits, trumps: Bits) -> Bits:
        """Those of `cards` that would beat every card played so far."""
        ruffs = meet(played, trumps)
        over_ruff = less(meet(cards, trumps), self.below(ruffs))
        follow = less(meet(cards, led), self.below(meet(played, led)))
        plain = when(some(ruffs), self.nothing, follow)
        return join(over_ruff, plain)

    def index(self, name: str) -> int:
        """The bit of a card written rank then suit, such as `9H` or `TS`.

        Raises:
            ValueError: the text is not a card of this deck.
        """
        text = name.strip().upper().replace("10", "T")
        if len(text) == 2 and text[0] in RANK_LETTERS and text[1] in SUIT_LETTERS:
            rank = RANK_LETTERS.index(text[0]) - (13 - self.ranks)
            suit = SUIT_LETTERS.index(text[1])
            if rank >= 0 and suit < self.suits:
                return suit * self.ranks + rank
        raise ValueError(f"{name!r} is no card; write a rank of {RANK_LETTERS} and a suit of {SUIT_LETTERS}, as 9H")

    def name(self, index: int) -> str:
        """The card of a bit, rank then suit: `9H`."""
        suit, rank = divmod(index, self.ranks)
        return RANK_LETTERS[rank + 13 - self.ranks] + SUIT_LETTERS[suit]

    def names(self, cards: int) -> list[str]:
        """The cards of a set, by suit and from the highest down."""
        held = [i for i in range(self.size) if cards >> i & 1]
        return [self.name(i) for i in sorted(held, key=lambda i: (i // self.ranks, -(i % self.ranks)))]

    def parse(self, names: str) -> int:
        """The set of the cards named, separated by spaces or commas."""
        return sum({1 << self.index(n) for n in names.replace(",", " ").split()})

    def to_full(self, cards: int) -> int:
        """The same cards as a set of the full pack."""
        full = Deck()
        return sum(1 << full.index(name) for name in self.names(cards))

    def from_full(self, cards: int) -> int:
        """The same cards of the full pack as a set of this deck.

        Raises:
            ValueError: a card that this deck has not.
        """
        return sum(1 << self.index(name) for name in Deck().names(cards))

    def long_name(self, index: int) -> str:
        """The card in words: `nine of hearts`."""
        suit, rank = divmod(index, self.ranks)
        return f"{RANK_NAMES[rank + 13 - self.ranks]} of {SUIT_NAMES[suit]}"


FULL = Deck()
"""The full pack of 52 cards."""

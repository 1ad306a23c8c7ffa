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


CARD_POINTS = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
"""What cards count in games that are won by points (Skat)."""

POINTS = 8
"""The bits of a number of card points."""


@dataclass(frozen=True)
class Deck:
    """A pack of `suits` suits of `ranks` cards each; the full pack is `Deck(4, 13)`.

    A smaller deck is the top of the full one: its cards map to the highest ranks of the first suits.

    Attributes:
        order: the letters of the ranks, the lowest first; the usual order unless given.
        jacks: the jacks are a suit of their own, above all others, which belongs to the trumps (Skat); they rank after
            clubs, spades, hearts and diamonds.
    """

    suits: int = 4
    ranks: int = 13
    order: str = ""
    jacks: bool = False

    @cached_property
    def rank_letters(self) -> str:
        """The letters of the ranks, the lowest first."""
        return self.order or RANK_LETTERS[-self.ranks :]

    @cached_property
    def _jack_letters(self) -> str:
        """The suits of the jacks, the lowest first."""
        return "".join(s for s in "DHSC" if s in SUIT_LETTERS[: self.suits]) if self.jacks else ""

    def smaller(self, suits: int, ranks: int) -> Deck:
        """The top of a deck of this kind: the first suits and their highest ranks; of jacks as many as suits."""
        return Deck(suits, ranks, self.rank_letters[-ranks:] if self.order else "", self.jacks)

    @property
    def size(self) -> int:
        """How many cards, and so how wide a set of cards is, in bits."""
        return self.suits * self.ranks + len(self._jack_letters)

    @property
    def everything(self) -> Bits:
        """The set of all cards."""
        return bits((1 << self.size) - 1, self.size)

    @property
    def nothing(self) -> Bits:
        """The empty set of cards."""
        return bits(0, self.size)

    def suit_bits(self, suit: int) -> int:
        """The cards of a suit, as an integer; of jacks that are a suit of their own, none."""
        return ((1 << self.ranks) - 1) << (suit * self.ranks)

    @property
    def jack_bits(self) -> int:
        """The jacks that are a suit of their own, as an integer."""
        return ((1 << len(self._jack_letters)) - 1) << (self.suits * self.ranks)

    def suit(self, suit: int) -> Bits:
        """The cards of a suit."""
        return bits(self.suit_bits(suit), self.size)

    @property
    def own_jacks(self) -> Bits:
        """The jacks that are a suit of their own."""
        return bits(self.jack_bits, self.size)

    def cards_of(self, suits: Bits) -> Bits:
        """All the cards of a set of suits."""
        return union((gate(bit(suits, i), self.suit(i)) for i in range(self.suits)), self.size)

    def suits_of(self, cards: Bits) -> Bits:
        """The set of suits that occur among the cards."""
        return collect([meets(cards, self.suit(i)) for i in range(self.suits)])

    def followers(self, trumps: int) -> list[int]:
        """The sets of cards, as integers, of which each follows suit to each: the trumps (a set of suits) are one."""
        plain = [self.suit_bits(i) for i in range(self.suits) if not (self.jacks and trumps >> i & 1)]
        suits = sum(self.suit_bits(i) for i in range(self.suits) if trumps >> i & 1)
        return [*plain, self.jack_bits | suits] if self.jacks else plain

    def suit_with(self, card: Bits, trumps: Bits) -> Bits:
        """The cards that follow suit to the given one: its suit or, where the jacks are trumps, all trumps."""
        suit = self.cards_of(self.suits_of(card))
        return when(meets(card, trumps), trumps, suit) if self.jacks else suit

    @cached_property
    def _suits(self) -> tuple[tuple[int, int], ...]:
        """Where each suit begins, the jacks' own included, and of how many cards it is."""
        plain = [(i * self.ranks, self.ranks) for i in range(self.suits)]
        return (*plain, *([(self.suits * self.ranks, len(self._jack_letters))] if self.jacks else []))

    @cached_property
    def _steps(self) -> tuple[int, ...]:
        return tuple(k for k in (1, 2, 4, 8) if k < max(length for _, length in self._suits))

    @cached_property
    def all_points(self) -> int:
        """The card points of the whole deck: 120 in Skat."""
        return sum(CARD_POINTS.get(name[0], 0) for name in self._names)

    def points(self, cards: Bits) -> Bits:
        """The card points of a set of cards, as a number of `POINTS` bits."""
        total = bits(0, POINTS)
        for i, name in enumerate(self._names):
            if name[0] in CARD_POINTS:
                total = total + gate(bit(cards, i), bits(CARD_POINTS[name[0]], POINTS))
        return total

    def _low(self, k: int) -> Bits:
        """The cards whose rank leaves room for `k` higher ones."""
        return bits(sum(((1 << max(0, n - k)) - 1) << start for start, n in self._suits), self.size)

    def _high(self, k: int) -> Bits:
        return bits(sum((((1 << n) - 1) & ~((1 << k) - 1)) << start for start, n in self._suits), self.size)

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
        ruffs, jacks = meet(cards, trumps), meet(cards, self.own_jacks)
        plain = when(some(ruffs), self.highest(ruffs), self.highest(meet(cards, led)))
        return when(some(jacks), self.highest(jacks), plain)

    def winners(self, cards: Bits, played: Bits, led: Bits, trumps: Bits) -> Bits:
        """Those of `cards` that would beat every card played so far."""
        ruffs, jacks = meet(played, trumps), meet(played, self.own_jacks)
        over_ruff = less(meet(cards, trumps), self.below(ruffs))
        if self.jacks:
            over_jack = less(meet(cards, self.own_jacks), self.below(jacks))
            over_ruff = when(some(jacks), over_jack, over_ruff)
        follow = less(meet(cards, led), self.below(meet(played, led)))
        plain = when(some(ruffs), self.nothing, follow)
        return join(over_ruff, plain)

    def index(self, name: str) -> int:
        """The bit of a card written rank then suit, such as `9H` or `TS`.

        Raises:
            ValueError: the text is not a card of this deck.
        """
        text = name.strip().upper().replace("10", "T")
        if text in self._places:
            return self._places[text]
        raise ValueError(
            f"{name!r} is no card; write a rank of {self._written_ranks} and a suit of {SUIT_LETTERS}, as 9H"
        )

    @property
    def _written_ranks(self) -> str:
        return "".join(r for r in RANK_LETTERS if r in self.rank_letters or (self.jacks and r == "J"))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        plain = [rank + suit for suit in SUIT_LETTERS[: self.suits] for rank in self.rank_letters]
        return (*plain, *("J" + suit for suit in self._jack_letters))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self._names)}

    def name(self, index: int) -> str:
        """The card of a bit, rank then suit: `9H`."""
        return self._names[index]

    def names(self, cards: int) -> list[str]:
        """The cards of a set, by suit and from the highest down."""
        held = [i for i in range(self.size) if cards >> i & 1]
        return [self.name(i) for i in sorted(held, key=lambda i: (i // self.ranks, -i))]

    def parse(self, names: str) -> int:
        """The set of the cards named, separated by spaces or commas."""
        return sum({1 << self.index(n) for n in names.replace(",", " ").split()})

    def to(self, other: Deck, cards: int) -> int:
        """The same cards as a set of another deck.

        Raises:
            ValueError: a card that the other deck has not.
        """
        return sum(1 << other.index(name) for name in self.names(cards))

    def long_name(self, index: int) -> str:
        """The card in words: `nine of hearts`."""
        rank, suit = tuple(self.name(index))
        return f"{RANK_NAMES[RANK_LETTERS.index(rank)]} of {SUIT_NAMES[SUIT_LETTERS.index(suit)]}"


FULL = Deck()
"""The full pack of 52 cards."""

PACKS = {
    "whist": FULL,
    "skat": Deck(4, 7, "789QKTA", jacks=True),
    "nullo": Deck(4, 8),
}
"""The packs that games are played with: of Skat, with the jacks as the highest trumps, and without trumps (Nullo)."""

"""The pack: sets of cards do what a plain reading of the rules of trick play says, and names are read back."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from tricklaw.model.cards import FULL, RANK_LETTERS, SUIT_LETTERS, Deck
from tricklaw.model.terms import Bits, bits

DECKS = [Deck(suits, ranks) for suits in range(1, 5) for ranks in range(1, 14)]


class Card(NamedTuple):
    """A card of the oracle: plain numbers, and nothing of how the model has it."""

    suit: int
    rank: int


Cards = frozenset[Card]


def pack(deck: Deck) -> list[Card]:
    """All cards, in the order of their bits."""
    return [Card(suit, rank) for suit in range(deck.suits) for rank in range(deck.ranks)]


def read(deck: Deck, term: Bits) -> Cards:
    """The cards of a term without variables."""
    literal = z3.simplify(term)
    assert z3.is_bv_value(literal)
    assert literal.size() == deck.size
    return frozenset(card for i, card in enumerate(pack(deck)) if literal.as_long() >> i & 1)


def term(deck: Deck, cards: Cards) -> Bits:
    """The cards as a literal term."""
    return bits(sum(1 << i for i, card in enumerate(pack(deck)) if card in cards), deck.size)


def of_suit(deck: Deck, suit: int | None) -> Cards:
    """The cards of one suit, or of none."""
    return frozenset(card for card in pack(deck) if card.suit == suit)


def beats(one: Card, other: Card, trumps: int | None) -> bool:
    """Whether a card that may win beats another that lies with it: higher in its suit, or a trump on a plain card."""
    if one.suit == other.suit:
        return one.rank > other.rank
    return one.suit == trumps or other.suit != trumps


class Case(NamedTuple):
    """A deck, some cards, some others, a suit led and a trump suit, each perhaps none."""

    deck: Deck
    cards: Cards
    others: Cards
    led: int | None
    trumps: int | None

    @property
    def suits(self) -> tuple[Bits, Bits]:
        """The cards of the suit led, and the trumps."""
        return term(self.deck, of_suit(self.deck, self.led)), term(self.deck, of_suit(self.deck, self.trumps))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Cases over any deck, small sets as likely as large ones."""
    deck = draw(st.sampled_from(DECKS))
    some_cards = st.frozensets(st.sampled_from(pack(deck)), max_size=draw(st.sampled_from([3, 13, 52])))
    cards = draw(some_cards)
    suit = st.none() | st.integers(0, deck.suits - 1)
    return Case(deck, cards, draw(some_cards) - cards, draw(suit), draw(suit))


# sets of cards -------------------------------------------------------------------------------------------------------


@given(cases())
def test_highest_and_lowest(case: Case) -> None:
    """The highest (lowest) of some cards are those than which no other of their suit is higher (lower)."""
    deck, cards = case.deck, case.cards
    highest = {c for c in cards if not any(o.suit == c.suit and o.rank > c.rank for o in cards)}
    lowest = {c for c in cards if not any(o.suit == c.suit and o.rank < c.rank for o in cards)}
    assert read(deck, deck.highest(term(deck, cards))) == highest
    assert read(deck, deck.lowest(term(deck, cards))) == lowest


@given(cases())
def test_above_and_below(case: Case) -> None:
    """Above (below) some cards are all cards of the pack that are higher (lower) than one of them in its suit."""
    deck, cards = case.deck, case.cards
    above = {c for c in pack(deck) if any(o.suit == c.suit and o.rank < c.rank for o in cards)}
    below = {c for c in pack(deck) if any(o.suit == c.suit and o.rank > c.rank for o in cards)}
    assert read(deck, deck.above(term(deck, cards))) == above
    assert read(deck, deck.below(term(deck, cards))) == below


@given(cases())
def test_best(case: Case) -> None:
    """The best card is a trump or of the suit led, and beats every other; there is none if no card may win."""
    deck, cards = case.deck, case.cards
    may_win = {c for c in cards if c.suit in (case.led, case.trumps)}
    best = {c for c in may_win if all(beats(c, o, case.trumps) for o in cards - {c})}
    best = {c for c in best if c.suit == case.trumps or not any(o.suit == case.trumps for o in cards)}
    assert read(deck, deck.best(term(deck, cards), *case.suits)) == best
    assert len(best) == bool(may_win)


@given(cases())
def test_winners(case: Case) -> None:
    """The winners are those cards that would be the best if they were played to the others."""
    deck, (led, trumps) = case.deck, case.suits
    winners = {
        c
        for c in case.cards
        if c.suit in (case.led, case.trumps)
        and all(beats(c, o, case.trumps) for o in case.others if o.suit in (case.led, case.trumps))
    }
    played = term(deck, case.others)
    assert read(deck, deck.winners(term(deck, case.cards), played, led, trumps)) == winners
    for card in case.cards:
        best = read(deck, deck.best(played | term(deck, frozenset({card})), led, trumps))
        assert (best == {card}) is (card in winners)


@given(cases())
def test_suits(case: Case) -> None:
    """The suits of some cards, and all cards of these suits."""
    deck, suits = case.deck, {card.suit for card in case.cards}
    found = z3.simplify(deck.suits_of(term(deck, case.cards)))
    assert found.as_long() == sum(1 << suit for suit in suits)
    assert read(deck, deck.cards_of(found)) == {card for card in pack(deck) if card.suit in suits}


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_everything_and_nothing(deck: Deck) -> None:
    """A deck has all its cards, each in one suit."""
    assert read(deck, deck.everything) == set(pack(deck))
    assert read(deck, deck.nothing) == set()
    assert [read(deck, deck.suit(suit)) for suit in range(deck.suits)] == [of_suit(deck, s) for s in range(deck.suits)]
    assert deck.size == len(pack(deck))


# names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deck", DECKS, ids=str)
def test_names_are_read_back(deck: Deck) -> None:
    """Every card has a name of its own: of the first suits and the highest ranks of the full pack."""
    names = [deck.name(index) for index in range(deck.size)]
    assert [deck.index(name) for name in names] == list(range(deck.size))
    assert set(names) == {
        rank + suit for rank in RANK_LETTERS[13 - deck.ranks :] for suit in SUIT_LETTERS[: deck.suits]
    }


@given(cases(), st.sampled_from([" ", ",", ", "]))
def test_sets_are_read_back(case: Case, between: str) -> None:
    """Cards are written by suit and from the highest down, and what is written is the same set when read."""
    deck = case.deck
    cards = term(deck, case.cards).as_long()
    names = deck.names(cards)
    assert deck.parse(between.join(names)) == cards
    ordered = sorted(case.cards, key=lambda card: (card.suit, -card.rank))
    assert [deck.index(name) for name in names] == [pack(deck).index(card) for card in ordered]


@given(cases())
def test_the_full_pack_has_the_same_cards(case: Case) -> None:
    """`to` keeps every card's name, in short and in words, and the order of ranks."""
    deck = case.deck
    cards = term(deck, case.cards).as_long()
    full = deck.to(FULL, cards)
    assert FULL.names(full) == deck.names(cards)
    assert full.bit_count() == len(case.cards)
    for name in deck.names(cards):
        assert FULL.long_name(FULL.index(name)) == deck.long_name(deck.index(name))


@pytest.mark.parametrize(
    ("text", "index", "words"),
    [
        ("2C", 0, "two of clubs"),
        ("AS", 51, "ace of spades"),
        ("TD", 21, "ten of diamonds"),
        ("9H", 33, "nine of hearts"),
    ],
)
def test_some_names_in_full(text: str, index: int, words: str) -> None:
    """A few cards whose bits and words are written by hand."""
    assert (FULL.index(text), FULL.name(index), FULL.long_name(index)) == (index, text, words)


@pytest.mark.parametrize(("text", "name"), [("10h", "TH"), (" qd ", "QD"), ("aC", "AC")])
def test_other_ways_to_write_a_card(text: str, name: str) -> None:
    """Small letters, spaces and `10` are read as well."""
    assert FULL.index(text) == FULL.index(name)


@pytest.mark.parametrize(
    ("deck", "text"), [(FULL, "1H"), (FULL, "H9"), (FULL, ""), (FULL, "9HH"), (Deck(4, 4), "TC"), (Deck(2, 13), "AH")]
)
def test_what_is_no_card(deck: Deck, text: str) -> None:
    """Any other text, and a card that a small deck has not, is refused with what to write instead."""
    with pytest.raises(ValueError, match=rf"^'{text}' is no card; write a rank of .* and a suit of .*, as 9H$"):
        deck.index(text)

"""What a deal says beside the hands: who has a card too many or too few, and what a lone player has taken already."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from tricklaw.model.cards import Deck
from tricklaw.model.state import CALLED_BY, MARKS, NEEDS_MORE, TAKEN, TOO_FEW, TOO_MANY, Slot
from tricklaw.model.table import CALLER, CLAIMS, WRONG_NUMBERS, Table

Marks = Mapping[str, int]
"""Fields of the state that a deal fills (`state.MARKS`), as far as they are not empty."""


OF_SEATS = (TOO_MANY, TOO_FEW, CALLED_BY)
"""The marks that are sets of players."""


def marks_of(slots: Iterable[Slot], fields: Mapping[str, int]) -> dict[str, int]:
    """The marks of a state."""
    return {slot.name: fields[slot.name] for slot in slots if slot.name in MARKS and fields[slot.name]}


def moved(marks: Marks, deck: Deck, other: Deck) -> dict[str, int]:
    """The same marks where cards are those of another deck."""
    return {name: deck.to(other, value) if name == TAKEN else value for name, value in marks.items()}


def proper(hands: Sequence[int], marks: Marks) -> list[int]:
    """How many cards each of the players should hold, to judge by his own hand."""
    many, few = marks.get(TOO_MANY, 0), marks.get(TOO_FEW, 0)
    return [hand.bit_count() - (many >> i & 1) + (few >> i & 1) for i, hand in enumerate(hands)]


def sound(hands: Sequence[int], marks: Marks) -> bool:
    """Whether the deal is one: nobody without cards, no card in two places, as many to each as the marks say."""
    places = [*hands, marks.get(TAKEN, 0)]
    apart = sum(places).bit_count() == sum(place.bit_count() for place in places)
    return apart and all(hands) and len(set(proper(hands, marks))) == 1


def marks_in_words(marks: Marks, deck: Deck, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The marks with the names of cards and players; `yes` for a mark that is neither."""
    found = {}
    for name, value in marks.items():
        if name == TAKEN:
            found[name] = tuple(deck.names(value))
        elif name in OF_SEATS:
            found[name] = tuple(n for i, n in enumerate(names) if value >> i & 1)
        else:
            found[name] = ("yes",)
    return found


def parse_marks(words: Mapping[str, Iterable[str]], deck: Deck, names: Sequence[str]) -> dict[str, int]:
    """The inverse of `marks_in_words`.

    Raises:
        ValueError: a word is no card or player, or there is no such mark.
    """
    found = {}
    for name, said in words.items():
        if name not in MARKS:
            raise ValueError(f"a deal says nothing of {name!r}; write {', '.join(MARKS)}")
        if name == TAKEN:
            found[name] = deck.parse(" ".join(said))
        elif name in OF_SEATS:
            found[name] = sum(1 << names.index(n) for n in said)
        else:
            found[name] = int(list(said) == ["yes"])
    return found


def random_marks(
    deck: Deck, table: Table, hands: Sequence[int], chance: random.Random
) -> tuple[tuple[int, ...], Marks]:
    """The hands, often with a card too many or too few; who has called the game, and cards taken already."""
    full, marks = list(hands), dict[str, int]()
    rest = [1 << i for i in range(deck.size) if not sum(hands) >> i & 1]
    chance.shuffle(rest)
    if WRONG_NUMBERS in table.covers and chance.random() < 0.5:
        for seat in chance.sample(range(table.seats), chance.choice((1, 1, 2, table.seats))):
            if rest and chance.random() < 0.5:
                full[seat] |= rest.pop()
                marks[TOO_MANY] = marks.get(TOO_MANY, 0) | 1 << seat
            elif full[seat].bit_count() > 1:
                full[seat] &= full[seat] - 1
                marks[TOO_FEW] = marks.get(TOO_FEW, 0) | 1 << seat
    if CALLER in table.covers:
        marks[CALLED_BY] = 1 << chance.randrange(table.seats)
    if CLAIMS in table.covers:
        taken = sum(card for card in rest if chance.random() < 0.5) if chance.random() < 0.7 else 0
        more = int(chance.random() < 0.3)
        marks |= {name: value for name, value in ((TAKEN, taken), (NEEDS_MORE, more)) if value}
    return tuple(full), marks

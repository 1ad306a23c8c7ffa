"""The table as a drawing: who sits where, the cards before each, the trick in the middle; and the same in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tricklaw.reports.replays import Position
from tricklaw.reports.wording import SYMBOLS, by_suit, card, cards, hand, listed, ordered, rank

PLACES = {4: ("south", "west", "north", "east"), 3: ("south", "west", "east")}
"""Where the players sit on the page, clockwise in the order of play."""

_FEW = 5


@dataclass(frozen=True)
class Card:
    """A card as it is drawn: its rank and sign, what marks it, and whether it has just moved."""

    rank: str
    symbol: str
    red: bool
    marks: tuple[str, ...] = ()
    new: bool = False


@dataclass(frozen=True)
class Seat:
    """A player's part of the drawing.

    Attributes:
        name: the player.
        place: where he sits on the page.
        partners: whom he plays with; empty if with nobody.
        due: what he is to do now: `to lead`, `to play`, or nothing.
        open: his cards that are liable, face up or thrown.
        few: his other cards, where they are few.
        many: his other cards by suits, where they are many: the sign, whether it is red, and the ranks.
        trick: his cards in the trick.
        turning: his card of the preceding trick, not yet turned and quitted.
    """

    name: str
    place: str
    partners: str
    due: str
    open: tuple[Card, ...]
    few: tuple[Card, ...]
    many: tuple[tuple[str, bool, str], ...]
    trick: tuple[Card, ...]
    turning: tuple[Card, ...]


@dataclass(frozen=True)
class Drawing:
    """The whole table, whether cards of the preceding trick still lie on it, and what it shows in words."""

    seats: tuple[Seat, ...]
    turning: bool
    words: str


def draw(position: Position, sides: Sequence[Sequence[str]], changed: frozenset[str] = frozenset()) -> Drawing:
    """The drawing of a position.

    Parameters:
        position: where the cards are.
        sides: who plays with whom.
        changed: the cards that are to be marked as moved.
    """
    places = dict(zip(position.hands, PLACES[len(position.hands)], strict=True))
    seats = (_seat(name, place, position, sides, changed) for name, place in places.items())
    return Drawing(tuple(seats), bool(position.turning), " ".join(_words(position)))


def _seat(name: str, place: str, position: Position, sides: Sequence[Sequence[str]], changed: frozenset[str]) -> Seat:
    def drawn(names: Sequence[str], *more: str) -> tuple[Card, ...]:
        return tuple(_card(n, (*position.marks(n), *more), n in changed) for n in names)

    held = position.hands[name]
    marked = [n for n in held if position.marks(n)]
    plain = [n for n in held if n not in marked]
    trick, turning = position.trick.get(name, ()), position.turning.get(name, ())
    mates = [p for side in sides if name in side for p in side if p != name]
    led = [n for n in trick if n == next(iter(position.order), "")]
    return Seat(
        name=name,
        place=place,
        partners=f"with {listed(mates)}" if mates else "alone",
        due=("to play" if position.order else "to lead") if name in position.turn else "",
        open=drawn(marked),
        few=drawn(plain) if len(plain) <= _FEW else (),
        many=tuple(_rows(plain)) if len(plain) > _FEW else (),
        trick=tuple(c for n in trick for c in drawn([n], *(["led"] if n in led else []))),
        turning=drawn(turning),
    )


def _card(name: str, marks: tuple[str, ...], new: bool) -> Card:
    shown = tuple(m for m in marks if m != "face up") if "liable" in marks else marks
    return Card(rank(name), SYMBOLS[name[1]], name[1] in "DH", shown, new)


def _rows(names: Sequence[str]) -> Iterator[tuple[str, bool, str]]:
    for letter, _, ranks in by_suit(names):
        yield SYMBOLS[letter], letter in "DH", " ".join(ranks)


def _words(position: Position) -> Iterator[str]:
    """The drawing in words, for those who cannot see it."""
    for name, held in position.hands.items():
        yield f"{name} holds {hand(held)}." if held else f"{name} holds no card."
    if position.order:
        owners = {c: name for name, mine in position.trick.items() for c in mine}
        yield f"In the trick lie {listed(f'{card(c)} from {owners[c]}' for c in position.order)}."
    for name, mine in position.turning.items():
        yield f"{name} has not turned {cards(mine)}."
    for what, marked in (("Liable to be called", position.liable), ("Thrown and not yet indicated", position.thrown)):
        if marked:
            yield f"{what}: {hand(ordered(marked))}."
    for name in position.turn:
        yield f"{name} is to {'play' if position.order else 'lead'}."

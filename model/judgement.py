"""What the law says of a state, read out of the words that the machine code returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tricklaw.model.rights import Option, Right


class RightNow(NamedTuple):
    """What a right comes to against one player: sets of seats as integers, the player as his index."""

    right: str
    seat: int
    open: bool
    owners: int
    enforcers: int


class DemandNow(NamedTuple):
    """A demand in force: the right it rests on, what is demanded, of whom, the cards that comply, whether excused."""

    right: str
    option: str
    seat: int
    required: int
    excused: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the outputs of the judgement stand: the table, lawful cards, rights, demands in force, bars."""

    seats: int
    size: int
    rights: tuple[str, ...]
    bounds: tuple[tuple[Right, Option, int], ...]
    bars: tuple[str, ...]

    @property
    def first_right(self) -> int:
        """The output of the first right."""
        return 1 + 2 * self.seats

    @property
    def first_bound(self) -> int:
        """The output of the first demand."""
        return self.first_right + len(self.rights)

    @property
    def first_bar(self) -> int:
        """The output of the first bar."""
        return self.first_bound + len(self.bounds)


class Judgement:
    """What the law says of a state. Cards and seats are sets as integers; `seat` is an index."""

    __slots__ = ("_frame", "_words")

    def __init__(self, frame: Frame, words: tuple[int, ...]) -> None:
        self._frame, self._words = frame, words

    def _table(self, field: int) -> int:
        seats = self._frame.seats
        return self._words[0] >> field * seats & (1 << seats) - 1

    @property
    def to_act(self) -> int:
        """Whose turn it is to lead or play; nobody where he has no card."""
        return self._table(0)

    @property
    def takes_back(self) -> int:
        """Those who may lawfully take a card back now."""
        return self._table(1)

    @property
    def quits(self) -> int:
        """Those who may lawfully turn and quit now."""
        return self._table(2)

    @property
    def over(self) -> bool:
        """The hand is over."""
        return bool(self._table(3) & 1)

    def leads(self, seat: int) -> int:
        """The cards that the player may lawfully lead now."""
        return self._words[1 + seat]

    def plays(self, seat: int) -> int:
        """The cards that the player may lawfully play now."""
        return self._words[1 + self._frame.seats + seat]

    def lays(self, seat: int) -> int:
        """The cards that the player may lawfully lead or play now."""
        return self.leads(seat) | self.plays(seat)

    def right(self, name: str, seat: int) -> RightNow:
        """What the right comes to against the player."""
        frame = self._frame
        return self._right(frame.rights.index(name), seat)

    def _right(self, at: int, seat: int) -> RightNow:
        frame = self._frame
        n = frame.seats
        everybody = (1 << n) - 1
        part = self._words[frame.first_right + at] >> seat * (2 * n + 1)
        return RightNow(frame.rights[at], seat, bool(part >> 2 * n & 1), part & everybody, part >> n & everybody)

    def open_rights(self) -> list[RightNow]:
        """All rights that may be exacted now, against whom and by whom."""
        frame = self._frame
        n = frame.seats
        flags = sum(1 << 2 * n + i * (2 * n + 1) for i in range(n))
        found = []
        for at in range(len(frame.rights)):
            if self._words[frame.first_right + at] & flags:
                found += [now for i in range(n) if (now := self._right(at, i)).open]
        return found

    def demands(self) -> list[DemandNow]:
        """All demands in force."""
        frame, found = self._frame, []
        for at, (right, option, seat) in enumerate(frame.bounds, frame.first_bound):
            word = self._words[at]
            if word >> frame.size & 1:
                cards = word & (1 << frame.size) - 1
                found.append(DemandNow(right.id, option.text, seat, cards, bool(word >> frame.size + 1)))
        return found

    def bars(self) -> dict[str, int]:
        """For the player to act: what each clause, or demand (`comply ID`), forbids him of his cards; if anything."""
        frame = self._frame
        return {n: w for n, w in zip(frame.bars, self._words[frame.first_bar :], strict=True) if w}

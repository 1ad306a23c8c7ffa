"""The table: how many sit at it, who plays a dummy, how tricks are quitted; and who may sit with whom, as phrases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from tricklaw.model.errors import UnknownName, nearest

SEAT_NAMES = {4: ("A", "Y", "B", "Z"), 3: ("V", "M", "H")}
"""The seats in clockwise order."""

Groups = tuple[int, ...]
"""The sides of a table, each a set of seats as an integer with one bit a seat."""


WRONG_NUMBERS, CLAIMS, CALLER, OMISSIONS = "wrong numbers", "claims", "a caller", "omitted plays"

COVERS = {
    WRONG_NUMBERS: "a player may hold a card too many or too few, and it may be pointed out",
    OMISSIONS: "a player may omit to play to a trick, which is then complete without a card of his",
    CALLER: "one player of a side has called the game, the lone player where there is one",
    CLAIMS: "hands may be laid open, games claimed and given up; the cards taken by a lone player are kept",
}
"""What the law of a code may speak of beside ordinary play."""


@dataclass(frozen=True)
class Table:
    """What is the same at a table whatever the deal.

    Attributes:
        seats: how many play.
        declarer: the index of the seat whose player plays the cards of his partner, the dummy, too; None: nobody does.
        gathered: whether one player gathers a whole trick; else each turns and quits his own card.
        pack: the name of the pack that the game is played with.
        trumps: how many trump suits there may be: none, one.
        covers: what may happen beside ordinary play: keys of `COVERS`.
    """

    seats: int = 4
    declarer: int | None = None
    gathered: bool = False
    pack: str = "whist"
    trumps: tuple[int, ...] = (0, 1)
    covers: frozenset[str] = frozenset()

    @property
    def dummy(self) -> int | None:
        """The index of the dummy's seat, opposite the declarer's."""
        return None if self.declarer is None else (self.declarer + 2) % self.seats


def _opposite(seats: int) -> list[Groups]:
    return [(0b0101, 0b1010)] if seats == 4 else []


def _adjacent(seats: int) -> list[Groups]:
    return [(0b0011, 0b1100), (0b0110, 0b1001)] if seats == 4 else []


def _one_against_rest(seats: int) -> list[Groups]:
    everybody = (1 << seats) - 1
    return [(1 << i, everybody & ~(1 << i)) for i in range(seats)]


def _each_for_himself(seats: int) -> list[Groups]:
    return [tuple(1 << i for i in range(seats))]


def _any_pair(seats: int) -> list[Groups]:
    everybody = (1 << seats) - 1
    pairs = [1 << i | 1 << j for i, j in combinations(range(seats), 2)]
    return [(p, everybody & ~p) for p in pairs if p & 1]


ARRANGEMENTS = {
    "partners opposite": (_opposite, "two against two, partners facing each other"),
    "partners adjacent": (_adjacent, "two against two, partners side by side"),
    "two against two": (_any_pair, "two against two, the partners in any two seats"),
    "one against the rest": (_one_against_rest, "a lone player in any seat against all others"),
    "each for himself": (_each_for_himself, "nobody has a partner"),
}
"""Arrangement phrases and what they mean."""


def arrangements(phrases: tuple[str, ...], seats: int) -> list[Groups]:
    """All the partitions of the seats that the phrases allow.

    Raises:
        UnknownName: a phrase that is no arrangement.
    """
    found: list[Groups] = []
    for phrase in phrases:
        if phrase not in ARRANGEMENTS:
            raise UnknownName(f"unknown arrangement {phrase!r}{nearest(phrase, ARRANGEMENTS)}")
        found += [g for g in ARRANGEMENTS[phrase][0](seats) if g not in found]
    return found

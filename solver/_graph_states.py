"""A node of the graph in words: what is irregular about a table, with the players told as first hand to fourth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

HANDS = ("first hand", "second hand", "third hand", "fourth hand")
"""The players, counted from whoever led to the trick; from the player who has the right to lead while nothing is led."""

SHORT = ("1st", "2nd", "3rd", "4th")
"""The same in short."""

Hands = tuple[int, ...]
"""Players by their place in `HANDS`."""


def hands(which: Iterable[int]) -> str:
    """Players in words: `first and third hand`."""
    *rest, last = [HANDS[i] for i in which] or ["nobody"]
    return f"{', '.join(r.removesuffix(' hand') for r in rest)} and {last}" if rest else last


@dataclass(frozen=True, order=True)
class Matter:
    """Something irregular at the table, whoever it concerns.

    Attributes:
        what: `right open`, `right dormant`, `demand`, `liable`, or one of those that stand alone.
        right: the right concerned, if any.
        option: what is demanded, if anything.
    """

    what: str
    right: str = ""
    option: str = ""

    def __str__(self) -> str:
        match self.what:
            case "right open":
                return f"{self.right} open"
            case "right dormant":
                return f"{self.right} dormant"
            case "demand":
                return f"{self.right}: {self.option}"
            case _:
                return self.what


LED = "lead out of turn"
NOTICED = "lead out of turn, noticed"
RENOUNCE = "a renounce on the table"
CORRECTING = "a renounce being corrected"
THROWN = "cards thrown together"
OMITTED = "a card omitted from the trick"
ROTATION = "played out of rotation"
LIABLE = "a card liable to be called"
ALONE = (LED, NOTICED, ROTATION, RENOUNCE, CORRECTING, THROWN, OMITTED, LIABLE)
"""The matters that concern no right."""


@dataclass(frozen=True)
class Situation:
    """What a node keeps of a state.

    Attributes:
        played: who has a card in the trick.
        proper: who had the right to lead, where another has led.
        flags: what else lies on the table: `noticed`, `not quitted`, `over`, `renounce`, `correcting`, `thrown`,
            `omitted`.
        liable: for each hand 0, 1 or 2 for no card liable, one, or more.
        open: against whom rights are open.
        dormant: of which offenders rights are pending that are open against nobody of their side.
        demands: whom demands bind, by right and what is demanded.
        partners: for each hand its partners, where the game has several arrangements.
    """

    played: Hands
    proper: Hands
    flags: frozenset[str]
    liable: tuple[int, ...]
    open: Mapping[str, Hands]
    dormant: Mapping[str, Hands]
    demands: Mapping[tuple[str, str], Hands]
    partners: tuple[Hands, ...] = ()

    @classmethod
    def of(cls, values: Mapping[tuple[str, str, str], int], seats: int) -> Situation:
        """A situation from the values of its traits."""

        def of_rights(tells: str) -> dict[str, Hands]:
            return {right: _members(value) for (t, right, _), value in values.items() if t == tells and value}

        def trait(tells: str) -> Hands:
            return _members(values[tells, "", ""])

        some, several = trait("liable"), trait("several liable")
        return cls(
            played=trait("played"),
            proper=trait("proper leader"),
            flags=frozenset(flag for flag in FLAGS if values[flag, "", ""]),
            liable=tuple((i in some) + (i in several) for i in range(seats)),
            open=of_rights("open"),
            dormant=of_rights("dormant"),
            demands={(r, o): _members(value) for (t, r, o), value in values.items() if t == "demand" and value},
            partners=tuple(_members(value) for (t, _, _), value in values.items() if t == "partners"),
        )

    @cached_property
    def matters(self) -> frozenset[Matter]:
        """Everything irregular about it."""
        return frozenset(self._matters())

    def _matters(self) -> Iterator[Matter]:
        yield from (Matter("right open", right) for right in self.open)
        yield from (Matter("right dormant", right) for right in self.dormant)
        yield from (Matter("demand", right, option) for right, option in self.demands)
        if self.proper:
            yield Matter(NOTICED if "noticed" in self.flags else LED)
        if self.played != tuple(range(len(self.played))):
            yield Matter(ROTATION)
        if any(self.liable):
            yield Matter(LIABLE)
        yield from (Matter(what) for flag, what in _LYING.items() if flag in self.flags)

    @property
    def over(self) -> bool:
        """The hand is over."""
        return "over" in self.flags

    @property
    def regular(self) -> bool:
        """Nothing irregular is about."""
        return not self.matters

    @property
    def stage(self) -> str:
        """What stage the trick is in."""
        if self.over:
            return "hand over"
        if not self.played:
            return "trick complete, not quitted" if "not quitted" in self.flags else "not led"
        after = ", preceding trick not quitted" if "not quitted" in self.flags else ""
        in_turn = self.played == tuple(range(len(self.played)))
        who = f"{len(self.played)} played" if in_turn else f"{hands(self.played)} played"
        if not self.proper:
            return f"led, {who}{after}"
        return f"led out of turn ({hands(self.proper)} to lead), {self._noticed}, {who}{after}"

    @property
    def _noticed(self) -> str:
        return "noticed" if "noticed" in self.flags else "unnoticed"

    def __str__(self) -> str:
        return "; ".join((self.stage, *self.details()))

    def details(self) -> Iterator[str]:
        """Everything irregular but the lead, a phrase each."""
        yield from (f"{right} open against {hands(who)}" for right, who in self.open.items())
        yield from (f"{right} dormant for {hands(who)}" for right, who in self.dormant.items())
        yield from (f"{hands(who)} bound under {right}: {option}" for (right, option), who in self.demands.items())
        for number, words in ((1, "a liable card"), (2, "liable cards")):
            if who := [i for i, held in enumerate(self.liable) if held == number]:
                yield f"{words} with {hands(who)}"
        yield from (what for flag, what in _LYING.items() if flag in self.flags)
        if alone := [i for i, mates in enumerate(self.partners) if not mates]:
            yield f"{hands(alone)} alone" if len(alone) == 1 else "each for himself"
        elif self.partners:
            yield f"first and {hands(self.partners[0])} partners"


_LYING = {"renounce": RENOUNCE, "correcting": CORRECTING, "thrown": THROWN, "omitted": OMITTED}
FLAGS = ("noticed", "not quitted", "over", *_LYING)


def _members(value: int) -> Hands:
    return tuple(i for i in range(value.bit_length()) if value >> i & 1)

"""Who may sit with whom: the arrangements of sides that a game allows, as phrases."""

from __future__ import annotations

from itertools import combinations

from tricklaw.model.errors import UnknownName, nearest

Groups = tuple[int, ...]
"""The sides of a table, each a set of seats as an integer with one bit a seat."""


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

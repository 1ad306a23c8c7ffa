"""Assignments of readings: all combinations of the choices, and the exact condition under which something holds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.system import READING, System
from tricklaw.model.terms import Bool, bits, both, either

Assignment = tuple[int, ...]
"""The index of the choice made for each reading, in the order of `System.readings`."""

Undecided = Mapping[str, set[Assignment]]
"""Parts with the assignments under which they are neither proved nor refuted."""


def assignments(system: System, fixed: Mapping[str, str]) -> list[Assignment]:
    """All combinations of choices that agree with the fixed ones; the recommended choices come first."""
    ranges = [
        [choices.index(fixed[key])] if key in fixed else list(range(len(choices)))
        for key, choices in system.readings.items()
    ]
    return list(product(*ranges))


def check_fixed(system: System, fixed: Mapping[str, str]) -> None:
    """See that each fixed reading is one of the code's and its choice one of the reading's.

    Raises:
        UnknownName: it is not; the message names the nearest.
    """
    known = system.code.head.readings
    for key, choice in fixed.items():
        if key not in known:
            raise UnknownName(f"unknown reading {key!r} of {system.code.id}{nearest(key, known)}")
        if choice not in known[key].choices:
            raise UnknownName(f"unknown choice {choice!r} of reading {key}{nearest(choice, known[key].choices)}")


def named(system: System, assignment: Assignment) -> dict[str, str]:
    """The choices by name."""
    return {key: choices[i] for (key, choices), i in zip(system.readings.items(), assignment, strict=True)}


def assignment(system: System, chosen: Mapping[str, str]) -> Assignment:
    """The assignment of choices by name; the first choice where none is named."""
    return tuple(choices.index(chosen.get(key, choices[0])) for key, choices in system.readings.items())


def assignment_in(system: System, rigid: Mapping[str, int]) -> Assignment:
    """The choices among the values of the rigid constants."""
    return tuple(rigid[READING + key] for key in system.readings)


def grouped(undecided: Undecided) -> dict[frozenset[Assignment], list[str]]:
    """The parts by what is left of them."""
    found: dict[frozenset[Assignment], list[str]] = {}
    for name, left in undecided.items():
        found.setdefault(frozenset(left), []).append(name)
    return found


def choices(system: System, key: str, among: Iterable[Assignment]) -> list[frozenset[Assignment]]:
    """The assignments by the choice that they make for one reading."""
    at = list(system.readings).index(key)
    found: dict[int, set[Assignment]] = {}
    for a in among:
        found.setdefault(a[at], set()).add(a)
    return [frozenset(some) for some in found.values()]


def some_of(among: Iterable[Assignment], many: int) -> list[Assignment]:
    """At most so many of the assignments: the first, and others drawn with a fixed seed."""
    first, *others = among
    return [first, *random.Random(many).sample(others, min(many - 1, len(others)))]


def _relevant(chosen: set[Assignment], everything: Sequence[Assignment]) -> list[int]:
    """The readings on which membership depends: the smallest set of positions that decides it."""
    width = len(everything[0]) if everything else 0
    for size in range(width + 1):
        for positions in combinations(range(width), size):
            inside = {tuple(a[i] for i in positions) for a in everything if a in chosen}
            outside = {tuple(a[i] for i in positions) for a in everything if a not in chosen}
            if not inside & outside:
                return list(positions)
    return list(range(width))


def _cases(chosen: Iterable[Assignment], everything: Sequence[Assignment]) -> tuple[list[int], list[Assignment]]:
    inside = set(chosen)
    positions = _relevant(inside, everything)
    return positions, sorted({tuple(a[i] for i in positions) for a in inside})


def _merged(cases: list[Assignment], sizes: list[set[int]]) -> list[list[set[int]]]:
    """The cases as few boxes: for each position the set of choices, grown greedily."""
    left, boxes = set(cases), []
    while left:
        box = [{i} for i in min(left)]
        for position, choices in enumerate(sizes):
            for choice in sorted(choices - box[position]):
                grown = [*box[:position], box[position] | {choice}, *box[position + 1 :]]
                if all(c in set(cases) for c in product(*grown)):
                    box = grown
        boxes.append(box)
        left -= set(product(*box))
    return boxes


def condition(system: System, chosen: Iterable[Assignment], everything: Sequence[Assignment]) -> str:
    """The set of assignments in words: `RS7 = passes`, `RS1 = a or b, and RS2 = c; or RS1 = d`."""
    positions, cases = _cases(chosen, everything)
    keys = [list(system.readings)[i] for i in positions]
    sizes = [{a[i] for a in everything} for i in positions]
    texts = []
    for box in _merged(cases, sizes):
        parts = [
            f"{key} = {' or '.join(system.readings[key][i] for i in sorted(choices))}"
            for key, choices, size in zip(keys, box, sizes, strict=True)
            if choices != size
        ]
        texts.append(" and ".join(parts))
    return "; or ".join(texts)


def constraint(system: System, chosen: Iterable[Assignment], everything: Sequence[Assignment]) -> Bool:
    """The same set as a term over the rigid constants."""
    positions, cases = _cases(chosen, everything)
    keys = [list(system.readings)[i] for i in positions]
    rigid = system.view.rigid
    return either(
        *(both(*(rigid[READING + k] == bits(i, 2) for k, i in zip(keys, case, strict=True))) for case in cases)
    )


def fixed_constraint(system: System, fixed: Mapping[str, str]) -> Bool:
    """The fixed readings as a term."""
    rigid = system.view.rigid
    return both(
        *(
            rigid[READING + key] == bits(system.readings[key].index(choice), 2)
            for key, choice in fixed.items()
            if key in system.readings
        )
    )

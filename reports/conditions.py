"""The condition of a verdict in the words of the readings: which question must be answered how.

A condition is written `RS7 = passes`, `RS1 = a or b and RS2 = c; or RS1 = d`, or several of these as `(...) and (...)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tricklaw.model.law import Reading


@dataclass(frozen=True)
class Answer:
    """A reading with the choices that are meant, each by its name and its words."""

    key: str
    asks: str
    choices: tuple[tuple[str, str], ...]


Case = tuple[Answer, ...]
"""Answers that must all be given."""

Condition = tuple[tuple[Case, ...], ...]
"""Groups, of each of which one case must apply."""


def parse_condition(text: str, readings: Mapping[str, Reading]) -> Condition:
    """The condition in words; empty where it is not written as above, or speaks of a reading that is not there."""
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    groups = inner.split(") and (") if inner != text else [text]
    found = tuple(tuple(_case(case, readings) for case in group.split("; or ")) for group in groups)
    return found if all(case for group in found for case in group) else ()


def _case(text: str, readings: Mapping[str, Reading]) -> Case:
    atoms = [_atom(key, reading) for key, reading in readings.items()]
    one = "|".join(atoms)
    if not atoms or not re.fullmatch(f"(?:{one})(?: and (?:{one}))*", text):
        return ()
    return tuple(_answer(match[0], readings) for match in re.finditer(one, text))


def _atom(key: str, reading: Reading) -> str:
    choice = "|".join(re.escape(name) for name in sorted(reading.choices, key=len, reverse=True))
    return f"{re.escape(key)} = (?:{choice})(?: or (?:{choice}))*"


def _answer(text: str, readings: Mapping[str, Reading]) -> Answer:
    key, _, chosen = text.partition(" = ")
    reading = readings[key]
    names = [name for name in reading.choices if f" or {name} or " in f" or {chosen} or "]
    return Answer(key, reading.asks, tuple((name, reading.choices[name]) for name in names))


def of_choices(choices: Mapping[str, str], readings: Mapping[str, Reading]) -> Case:
    """One choice for each reading, in words; readings that the code does not have are left out."""
    known = {key: choice for key, choice in choices.items() if key in readings and choice in readings[key].choices}
    return tuple(
        Answer(key, readings[key].asks, ((choice, readings[key].choices[choice]),)) for key, choice in known.items()
    )

"""The closed set of phrases: short English expressions of the law files, each a function that returns a Z3 term.

Adding a phrase is writing one decorated function in a module of this package. Its docstring is what `tricklaw phrases`
prints. A phrase may have one argument in braces, the id of a clause: `the right {clause} is open`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tricklaw.model.errors import UnknownName, nearest


class Sort(StrEnum):
    """What a phrase stands for."""

    SEATS = "seats"
    CONDITION = "condition"
    EVENT = "event"
    CARDS = "cards"
    ACTS = "acts"
    MUST = "must"
    DEMAND = "demand"
    EFFECT = "effect"


SORT_OF_KEY = {
    "duty": Sort.SEATS, "permission": Sort.SEATS, "immunity": Sort.SEATS, "against": Sort.SEATS, "by": Sort.SEATS,
    "for_": Sort.SEATS, "lost_to": Sort.SEATS, "liable": Sort.CARDS, "cards": Sort.CARDS, "consequence": Sort.EFFECT,
    "arises": Sort.EVENT, "lost": Sort.EVENT, "discharged": Sort.EVENT, "when": Sort.EVENT, "while_": Sort.CONDITION,
    "unless": Sort.CONDITION, "closed": Sort.CONDITION, "excused": Sort.CONDITION, "demands": Sort.DEMAND,
    "must": Sort.MUST, "must_not": Sort.ACTS, "may": Sort.ACTS,
}  # fmt: skip
"""Which sort of phrase each key of a clause takes."""


@dataclass(frozen=True)
class Phrase:
    """One phrase: its text, with `{clause}` where it names a clause, and its function."""

    text: str
    sort: Sort
    function: Callable[..., Any]
    covers: str = ""
    """What the code must cover (`table.COVERS`) for the phrase to mean something."""

    @property
    def doc(self) -> str:
        """The meaning, in a sentence."""
        return " ".join((self.function.__doc__ or "").split())

    @property
    def pattern(self) -> re.Pattern[str]:
        """A regular expression for the phrase, its arguments as groups."""
        return re.compile(re.escape(self.text).replace(r"\{clause\}", r"(?P<clause>[A-Z][\w.]+)") + r"\Z")


PHRASES: dict[tuple[Sort, str], Phrase] = {}
"""All phrases, by sort and text."""


def phrase(sort: Sort, text: str, covers: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the meaning of a phrase of that sort, in codes that cover what it needs."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if (sort, text) in PHRASES:
            raise ValueError(f"phrase {text!r} is defined twice as {sort}")
        PHRASES[sort, text] = Phrase(text, sort, function, covers)
        return function

    return register


def lookup(sort: Sort, text: str) -> tuple[Phrase, tuple[str, ...]]:
    """The phrase that a text is, and its arguments.

    Raises:
        UnknownName: no phrase of that sort reads so; the message names the nearest.
    """
    found = PHRASES.get((sort, text))
    if found and "{" not in text:
        return found, ()
    for (kind, _), candidate in PHRASES.items():
        if kind is sort and "{" in candidate.text and (match := candidate.pattern.match(text)):
            return candidate, (match["clause"],)
    known = [t for k, t in PHRASES if k is sort]
    elsewhere = [k for k, t in PHRASES if t == text]
    hint = f"; it is a phrase for {elsewhere[0]}" if elsewhere else nearest(text, known)
    raise UnknownName(f"unknown phrase for {sort}: {text!r}{hint}")

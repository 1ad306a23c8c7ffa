"""What a phrase means where it is read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, lookup
from tricklaw.model.terms import Bool, both, either


def meaning(sort: Sort, text: str, c: Context) -> Any:
    """The term that a phrase of that sort is, read against a state, perhaps an act, and the player spoken of."""
    found, arguments = lookup(sort, text)
    return found.function(c, *arguments)


def all_of(conditions: Iterable[str], c: Context) -> Bool:
    """Whether all the condition phrases hold."""
    return both(*(meaning(Sort.CONDITION, t, c) for t in conditions))


def any_of(conditions: Iterable[str], c: Context) -> Bool:
    """Whether any of the condition phrases holds."""
    return either(*(meaning(Sort.CONDITION, t, c) for t in conditions))

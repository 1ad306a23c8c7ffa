"""What can be wrong with what a user gives us, always told with its place and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A place in a file; line and column count from 1, 0 means the whole file."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


class TricklawError(Exception):
    """Anything wrong with a user's input: a law file, a case, a name on the command line."""

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = message
        self.place = place
        super().__init__(f"{place}: {message}" if place else message)


class LawError(TricklawError):
    """A law file that cannot be read or does not fit together."""


class LawErrors(TricklawError):
    """All that is wrong with a code, in the order of its files; printed one a line."""

    def __init__(self, errors: Sequence[LawError]) -> None:
        self.errors = tuple(errors)
        if len(self.errors) == 1:
            super().__init__(self.errors[0].message, self.errors[0].place)
        else:
            super().__init__("\n".join(str(error) for error in self.errors))

    def __reduce__(self) -> tuple[type[LawErrors], tuple[tuple[LawError, ...]]]:
        return type(self), (self.errors,)


class CaseError(TricklawError):
    """A case that cannot be played as it is written."""


class UnknownName(TricklawError):
    """A code, game, property, phrase or reading that does not exist."""


def nearest(word: str, known: Iterable[str], limit: int = 3) -> str:
    """`; the nearest known: 'a', 'b'`, or an empty text where nothing is near."""
    from rapidfuzz import fuzz, process

    found = process.extract(word, list(known), scorer=fuzz.WRatio, limit=limit, score_cutoff=60)
    if not found:
        return ""
    return "; nearest: " + ", ".join(repr(name) for name, _, _ in found)

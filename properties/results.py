"""Whether the results that a law fixes can stand together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tricklaw.model.law import Clause, Kind
from tricklaw.model.results import opposed, result_of
from tricklaw.model.system import System
from tricklaw.model.terms import meet, none, some
from tricklaw.properties.base import Claim, Part, define


@define(
    "no-opposed-results",
    says="No player is given two results of one hand that cannot stand together.",
    formal="for each two clauses that fix opposed results: no player has both, unless one clause overrides the other",
    failure="By one clause a player has won, by another he has lost, and the law does not say which prevails.",
)
def no_opposed_results(system: System) -> Iterator[Part]:
    """Part by pair of clauses; the premise is that the first of them has fixed its result."""
    v = system.view
    for one, other in combinations(system.code.of_kind(Kind.RESULT), 2):
        if opposed(one.result or "", other.result or "") and not _ranked(one, other):
            first, second = v[result_of(one.id)], v[result_of(other.id)]
            yield Part(f"{one.id} and {other.id}", Claim(some(first), none(meet(first, second))))


def _ranked(one: Clause, other: Clause) -> bool:
    return one.id in other.overrides or other.id in one.overrides

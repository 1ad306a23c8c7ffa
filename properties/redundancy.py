"""Whether every clause does something: the law without it is another law.

The same machine is made a second time with a constant for each clause that says that it is taken out. A clause does
something if, after some play, the law without it says otherwise of some act: whether it is lawful, whether who speaks is
entitled to, or what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import z3

from tricklaw.model.acts import ActKind
from tricklaw.model.law import Clause, Kind
from tricklaw.model.names import variables
from tricklaw.model.steps import Step
from tricklaw.model.system import REMOVED, System
from tricklaw.model.terms import FALSE, TRUE, Bool, both
from tricklaw.properties.base import Claim, Part, define

IDLE = (Kind.EMBODIED, Kind.NOT_MODELLED)
"""Clauses that the machine has no term for: what they say is how it is made, or is left out."""


@define(
    "no-dead-clause",
    says="Every clause does something.",
    formal="for each clause: after some play some act is lawful or unlawful, or is said by one entitled or not, or has "
    "consequences, that would be otherwise if the clause were struck out",
    failure="The clause can never apply, or says only what the other clauses say: struck out, the law would be the same.",
)
def no_dead_clause(system: System) -> Iterator[Part]:
    """Part by clause; it is shown by an act about which the clause makes a difference."""
    twin = System(system.code, system.game, system.deck, system.suffix, removable=True)
    for clause in system.code.clauses:
        if clause.kind not in IDLE:
            yield Part(clause.id, act=_claim(twin, clause), watched=False, exists=True)


def _claim(twin: System, clause: Clause) -> Callable[[Step], Claim | None]:
    without, known = twin.removed(clause).decl().name(), dict[ActKind, Bool]()

    def claim(step: Step) -> Claim | None:
        if step.kind not in known:
            known[step.kind] = _same(twin, step, without)
        return None if z3.is_true(known[step.kind]) else Claim(step.possible, known[step.kind])

    return claim


def _same(twin: System, step: Step, without: str) -> Bool:
    """That the act is and does the same if the clause is struck out."""
    other = twin.step(step.kind)
    found = []
    for term in (other.unlawful, other.legit, *other.changes.values()):
        named = variables(term)
        if without in named:
            rest = [(z3.Bool(name), FALSE) for name in named if name.startswith(REMOVED) and name != without]
            stands, struck = (z3.substitute(term, *rest, (z3.Bool(without), gone)) for gone in (FALSE, TRUE))
            found.append(z3.simplify(stands == struck))
    return z3.simplify(both(*found))

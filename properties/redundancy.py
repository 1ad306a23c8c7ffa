"""Whether every clause, and every precedence of one over another, does something: the law without it is another law.

The same machine is made a second time with a constant for each of them that says that it is struck out. It does something
if, after some play, the law without it says otherwise of some act: whether it is lawful, whether who speaks is entitled
to, or what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import z3

from tricklaw.model.acts import ActKind
from tricklaw.model.law import Kind
from tricklaw.model.names import variables
from tricklaw.model.steps import Step
from tricklaw.model.system import REMOVED, System, precedence
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
    terms = Terms(system)
    for clause in system.code.clauses:
        if clause.kind not in IDLE:
            yield Part(clause.id, act=_claim(terms, clause.id), watched=False, exists=True)


@define(
    "no-idle-precedence",
    says="Where one clause is said to prevail over another, the two do meet.",
    formal="for each clause and each other that it overrides: after some play some act is lawful or unlawful, or has "
    "consequences, that would be otherwise if neither were ranked above the other",
    failure="The two never meet, or do not clash where they do: there is nothing to be ranked.",
)
def no_idle_precedence(system: System) -> Iterator[Part]:
    """Part by two clauses; it is shown by a play in which they clash, and one prevails."""
    clauses, terms = {clause.id: clause for clause in system.code.clauses}, Terms(system)
    for clause in clauses.values():
        for under in (clauses[name] for name in clause.overrides if name in clauses):
            if not {clause.kind, under.kind} & set(IDLE):
                name = precedence(clause, under)
                yield Part(name, act=_claim(terms, name), watched=False, exists=True)


class Terms:
    """What makes an act of each kind what it is, in the machine that clauses can be struck out of."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._by_kind: dict[ActKind, dict[str, list[_Struck]]] = {}

    def about(self, kind: ActKind, constant: str) -> list[_Struck]:
        """The terms that a constant for something struck out occurs in."""
        if kind not in self._by_kind:
            found = self._by_kind[kind] = {}
            twin = self.system.twin.step(kind)
            for term in (twin.unlawful, twin.legit, *twin.changes.values()):
                names = [name for name in variables(term) if name.startswith(REMOVED)]
                struck = _Struck(term, names, _without(term, names))
                for name in names:
                    found.setdefault(name, []).append(struck)
        return self._by_kind[kind].get(constant, [])

    def same_without(self, kind: ActKind, constant: str) -> Bool:
        """That an act of that kind is and does the same if that alone is struck out."""
        pairs = [(of.whole, _without(of.term, of.names, constant)) for of in self.about(kind, constant)]
        return z3.simplify(both(*(whole == less for whole, less in pairs if not whole.eq(less))))


class _Struck(NamedTuple):
    """A term, the constants in it for what is struck out, and the same where nothing is."""

    term: Bool
    names: list[str]
    whole: Bool


def _without(term: Bool, names: Iterable[str], struck: str = "") -> Bool:
    """The term with that alone struck out, or nothing."""
    values = [(z3.Bool(name), TRUE if name == struck else FALSE) for name in names]
    return z3.simplify(z3.substitute(term, *values)) if values else term


def _claim(terms: Terms, struck: str) -> Callable[[Step], Claim | None]:
    known = dict[ActKind, Bool]()

    def claim(step: Step) -> Claim | None:
        if step.kind not in known:
            known[step.kind] = terms.same_without(step.kind, REMOVED + struck)
        return None if z3.is_true(known[step.kind]) else Claim(step.possible, known[step.kind])

    return claim

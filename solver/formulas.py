"""Formulas as sets of names and as text."""

from __future__ import annotations

from collections.abc import Iterable

import z3

from tricklaw.model.terms import Bool, both


def variables(term: z3.ExprRef) -> frozenset[str]:
    """The names of the constants that occur in a term."""
    seen: set[int] = set()
    found: set[str] = set()
    stack = [term]
    while stack:
        node = stack.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        if node.num_args() == 0 and node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found.add(node.decl().name())
        stack.extend(node.children())
    return frozenset(found)


def smt2(assertions: Iterable[Bool]) -> str:
    """The conjunction as SMT-LIB text, without (check-sat)."""
    solver = z3.Solver()
    solver.add(both(*assertions))  # one assertion: what the conjuncts share is written once
    text: str = solver.to_smt2()
    return text.replace("(check-sat)", "").replace("; benchmark generated from python API\n", "")

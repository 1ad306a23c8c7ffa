"""Formulas as sets of names and as text."""

from __future__ import annotations

import re
from collections.abc import Iterable

import z3

from tricklaw.model.terms import Bool, both

_NAMES: dict[str, int] = {}
_MASKS: dict[int, int] = {}
_ROOTS: list[z3.ExprRef] = []
"""The constants seen, each with its bit; those of every term seen, by the term's number; what keeps the numbers valid."""


_SHARED = re.compile(r"[$?]x\d+")
"""The names that Z3 gives to what is shared: formulas, terms."""


def variables(term: z3.ExprRef) -> frozenset[str]:
    """The names of the constants that occur in a term. What terms share is gone through once in the life of the process."""
    if term.get_id() not in _MASKS:
        _ROOTS.append(term)
        _walk(term)
    mask = _MASKS[term.get_id()]
    return frozenset(name for name, bit in _NAMES.items() if mask & bit)


def _walk(term: z3.ExprRef) -> None:
    stack = [(term, term.get_id(), False)]
    while stack:
        node, number, children_done = stack.pop()
        if number in _MASKS:
            continue
        children = node.children()
        if children_done:
            mask = 0
            for child in children:
                mask |= _MASKS[child.get_id()]
            _MASKS[number] = mask
        elif children:
            stack.append((node, number, True))
            stack += [(child, i, False) for child in children if (i := child.get_id()) not in _MASKS]
        elif node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            _MASKS[number] = _NAMES.setdefault(node.decl().name(), 1 << len(_NAMES))
        else:
            _MASKS[number] = 0


def smt2(assertions: Iterable[Bool]) -> str:
    """The conjunction as SMT-LIB text, without (check-sat); the same text for the same terms, so that it can be a key.

    Z3 names what is shared after numbers that depend on all the terms made before; here it is numbered as it comes.
    """
    solver = z3.Solver()
    solver.add(both(*assertions))  # one assertion: what the conjuncts share is written once
    text: str = solver.to_smt2()
    names: dict[str, str] = {}
    text = _SHARED.sub(lambda found: names.setdefault(found[0], f"{found[0][0]}x{len(names)}"), text)
    return text.replace("(check-sat)", "").replace("; benchmark generated from python API\n", "")

"""The names of the constants that occur in terms."""

from __future__ import annotations

import z3

_NAMES: dict[str, int] = {}
_MASKS: dict[int, int] = {}
_ROOTS: list[z3.ExprRef] = []
"""The constants seen, each with its bit; those of every term seen, by the term's number; what keeps the numbers valid."""


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

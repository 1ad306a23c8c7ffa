"""Formulas as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import z3

from tricklaw.model.terms import Bool, both

_SHARED = re.compile(r"[$?]x\d+")
"""The names that Z3 gives to what is shared: formulas, terms."""


def smt2(assertions: Iterable[Bool]) -> str:
    """The conjunction as SMT-LIB text, without (check-sat); the same text for the same terms, so that it can be a key.

    Z3 names what is shared after numbers that depend on all the terms made before; here it is numbered as it comes.
    """
    whole = _conjunction(list(assertions))  # what the conjuncts share is written once; a solver would take it in first
    text: str = z3.Z3_benchmark_to_smtlib_string(
        whole.ctx_ref(), "", "", "unknown", "", 0, (z3.Ast * 0)(), whole.as_ast()
    )
    names: dict[str, str] = {}
    text = _SHARED.sub(lambda found: names.setdefault(found[0], f"{found[0][0]}x{len(names)}"), text)
    return text.replace("(check-sat)", "").removeprefix("; \n")


def _conjunction(parts: Sequence[Bool]) -> Bool:
    """All of them, by Z3's own call: there may be hundreds, and `z3.And` looks at each several times."""
    if len(parts) < 2:
        return both(*parts)
    array = (z3.Ast * len(parts))(*(part.as_ast() for part in parts))
    return z3.BoolRef(z3.Z3_mk_and(parts[0].ctx_ref(), len(parts), array), parts[0].ctx)

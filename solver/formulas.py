"""Formulas as text."""

from __future__ import annotations

import re
from collections.abc import Iterable

import z3

from tricklaw.model.terms import Bool, both

_SHARED = re.compile(r"[$?]x\d+")
"""The names that Z3 gives to what is shared: formulas, terms."""


def smt2(assertions: Iterable[Bool]) -> str:
    """The conjunction as SMT-LIB text, without (check-sat); the same text for the same terms, so that it can be a key.

    Z3 names what is shared after numbers that depend on all the terms made before; here it is numbered as it comes.
    """
    whole = both(*assertions)  # one formula: what the conjuncts share is written once; a solver would take it in first
    text: str = z3.Z3_benchmark_to_smtlib_string(
        whole.ctx_ref(), "", "", "unknown", "", 0, (z3.Ast * 0)(), whole.as_ast()
    )
    names: dict[str, str] = {}
    text = _SHARED.sub(lambda found: names.setdefault(found[0], f"{found[0][0]}x{len(names)}"), text)
    return text.replace("(check-sat)", "").removeprefix("; \n")

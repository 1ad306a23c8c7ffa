"""Formulas as text: a key to what has been answered before."""

import subprocess
import sys

import z3

from tricklaw.solver.formulas import smt2

SHARED = """
import sys, z3
from tricklaw.solver.formulas import smt2
x = z3.BitVec("x", 64)
junk = [x * k for k in range(int(sys.argv[1]))]
twice = (x + 1) * (x + 2)
both = z3.And(twice > 5, twice < x * 7)
print(smt2([z3.Or(both, twice == 9), z3.Implies(both, twice + twice == x)]))
"""


def test_the_same_formulas_are_the_same_text_whatever_was_made_before() -> None:
    """In another process that has made other terms first."""
    texts = [
        subprocess.run([sys.executable, "-c", SHARED, many], capture_output=True, text=True, check=True).stdout
        for many in ("0", "1000")
    ]
    assert "x0" in texts[0]
    assert texts[0] == texts[1]


def test_the_text_says_what_the_formulas_say() -> None:
    """Read back, it is equivalent."""
    x = z3.BitVec("x", 16)
    twice = (x + 1) * (x + 2)
    formula = z3.And(twice > 5, z3.Or(twice == 9, twice * twice < x))
    (read,) = [z3.And(*z3.parse_smt2_string(smt2([formula])))]
    solver = z3.Solver()
    solver.add(read != formula)
    assert solver.check() == z3.unsat

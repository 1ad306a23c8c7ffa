"""A thin layer over Z3's terms: folding of constants, sets as bit-vectors, selection by a one-hot set.

Only standard SMT-LIB operations of QF_BV are built, so that any solver can read what is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import z3

Bits: TypeAlias = z3.BitVecRef
"""A bit-vector term read as a set: of cards (one bit a card), seats or suits."""

Bool: TypeAlias = z3.BoolRef

TRUE: Bool = z3.BoolVal(True)
FALSE: Bool = z3.BoolVal(False)


def is_zero(term: z3.ExprRef) -> bool:
    """Whether the term is literally the empty set."""
    return bool(z3.is_bv_value(term) and term.as_long() == 0)


def is_ones(term: z3.ExprRef) -> bool:
    """Whether the term is literally the full set of its width."""
    return bool(z3.is_bv_value(term) and term.as_long() == (1 << term.size()) - 1)


def both(*parts: Bool) -> Bool:
    """Conjunction, folded where a part is literally true or false."""
    kept = [p for p in parts if not z3.is_true(p)]
    if any(z3.is_false(p) for p in kept):
        return FALSE
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else z3.And(*kept)


def either(*parts: Bool) -> Bool:
    """Disjunction, folded where a part is literally true or false."""
    kept = [p for p in parts if not z3.is_false(p)]
    if any(z3.is_true(p) for p in kept):
        return TRUE
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else z3.Or(*kept)


def negate(part: Bool) -> Bool:
    """Negation, folded where the part is literally true or false."""
    if z3.is_true(part):
        return FALSE
    if z3.is_false(part):
        return TRUE
    return z3.Not(part)


def implies(premise: Bool, conclusion: Bool) -> Bool:
    """Implication, folded as `either(negate(premise), conclusion)`."""
    return either(negate(premise), conclusion)


def when(condition: Bool, then: Bits, otherwise: Bits) -> Bits:
    """If-then-else over bit-vectors, folded where the condition is literal."""
    if z3.is_true(condition):
        return then
    if z3.is_false(condition):
        return otherwise
    if then.eq(otherwise):
        return then
    return z3.If(condition, then, otherwise)


def choose(condition: Bool, then: Bool, otherwise: Bool) -> Bool:
    """If-then-else over Booleans, folded where the condition is literal."""
    if z3.is_true(condition):
        return then
    if z3.is_false(condition):
        return otherwise
    return z3.If(condition, then, otherwise)


def bits(value: int, width: int) -> Bits:
    """The literal set with the bits of `value`."""
    return z3.BitVecVal(value, width)


def empty(like: Bits) -> Bits:
    """The empty set of the same width."""
    return bits(0, like.size())


def meet(*sets: Bits) -> Bits:
    """Intersection, folded on literal empty and full sets."""
    if any(is_zero(s) for s in sets):
        return empty(sets[0])
    kept = [s for s in sets if not is_ones(s)]
    if not kept:
        return sets[0]
    out = kept[0]
    for part in kept[1:]:
        out = out & part
    return out


def join(*sets: Bits) -> Bits:
    """Union, folded on literal empty and full sets."""
    for s in sets:
        if is_ones(s):
            return s
    kept = [s for s in sets if not is_zero(s)]
    if not kept:
        return sets[0]
    out = kept[0]
    for part in kept[1:]:
        out = out | part
    return out


def union(sets: Iterable[Bits], width: int) -> Bits:
    """The union of any number of sets of the given width."""
    return join(bits(0, width), *sets)


def less(one: Bits, other: Bits) -> Bits:
    """Set difference."""
    if is_zero(one) or is_zero(other):
        return one
    if z3.is_bv_value(other):
        return meet(one, bits(~other.as_long() & ((1 << other.size()) - 1), other.size()))
    return one & ~other


def some(term: Bits) -> Bool:
    """The set is not empty."""
    if z3.is_bv_value(term):
        return z3.BoolVal(term.as_long() != 0)
    return term != empty(term)


def none(term: Bits) -> Bool:
    """The set is empty."""
    if z3.is_bv_value(term):
        return z3.BoolVal(term.as_long() == 0)
    return term == empty(term)


def within(part: Bits, whole: Bits) -> Bool:
    """`part` is a subset of `whole`."""
    return none(less(part, whole))


def meets(one: Bits, other: Bits) -> Bool:
    """The two sets have a member in common."""
    return some(meet(one, other))


def at_most_one(term: Bits) -> Bool:
    """The set has no more than one member."""
    return none(term & (term - bits(1, term.size())))


def exactly_one(term: Bits) -> Bool:
    """The set has one member."""
    return both(some(term), at_most_one(term))


def count(term: Bits) -> Bits:
    """How many members the set has, as a number of as many bits as the set's size takes."""
    width = term.size().bit_length()
    total = bits(0, width)
    for i in range(term.size()):
        total = total + z3.ZeroExt(width - 1, z3.Extract(i, i, term))
    return total


def bit(term: Bits, index: int) -> Bool:
    """Whether the set has the member of the given index."""
    if z3.is_bv_value(term):
        return z3.BoolVal(bool(term.as_long() >> index & 1))
    return z3.Extract(index, index, term) == bits(1, 1)


def gate(condition: Bool, term: Bits) -> Bits:
    """The set where the condition holds, else the empty set."""
    return when(condition, term, empty(term))


def select(chosen: Bits, options: Sequence[Bits]) -> Bits:
    """The union of the options at the chosen indices (one-hot: that option)."""
    return union((gate(bit(chosen, i), option) for i, option in enumerate(options)), options[0].size())


def select_bool(chosen: Bits, options: Sequence[Bool]) -> Bool:
    """Whether some chosen index has a true option."""
    return either(*(both(bit(chosen, i), option) for i, option in enumerate(options)))


def collect(flags: Sequence[Bool]) -> Bits:
    """The set of the indices whose flag is true."""
    width = len(flags)
    return union((gate(flag, bits(1 << i, width)) for i, flag in enumerate(flags)), width)


def evaluate(terms: Sequence[z3.ExprRef], values: Sequence[tuple[z3.ExprRef, z3.ExprRef]]) -> list[int]:
    """The terms' values, a Bool as 0 or 1; all under one application, so that what they share is simplified once."""
    together = z3.Function("together", *(term.sort() for term in terms), z3.BoolSort())
    found = z3.simplify(z3.substitute(together(*terms), *values)).children()
    return [int(z3.is_true(f)) if z3.is_bool(f) else f.as_long() for f in found]

"""What each Z3 operator is in LLVM.

A Bool is an ``i1``. A bit-vector lives in an integer of 64 bits, or of the next multiple of 64, whose bits above the
vector's own width are zero: so sets of cards need no masks. Semantics are SMT-LIB's: division by zero gives all ones,
its remainder the dividend; a shift by the width or more gives zeros (or sign bits); a rotation is modulo the width.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import z3

from tricklaw.model._native_terms import Node


def container(width: int) -> int:
    """The number of bits of the LLVM integer that holds a value of this width (0: a Bool)."""
    return -(-width // 64) * 64 if width else 1


class Writer:
    """The lines of one LLVM function, in static single assignment form."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def line(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(text)

    def value(self, text: str) -> str:
        """Append an instruction and return the name of its result."""
        self._count += 1
        self.lines.append(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def binary(self, operator: str, bits: int, left: str, right: str | int) -> str:
        """An arithmetic or bitwise instruction on integers of so many bits."""
        return self.value(f"{operator} i{bits} {left}, {right}")

    def compare(self, predicate: str, bits: int, left: str, right: str | int) -> str:
        """A comparison, as an ``i1``."""
        return self.value(f"icmp {predicate} i{bits} {left}, {right}")

    def select(self, condition: str, bits: int, then: str | int, otherwise: str | int) -> str:
        """The second operand where the condition holds, the third elsewhere."""
        return self.value(f"select i1 {condition}, i{bits} {then}, i{bits} {otherwise}")

    def resize(self, name: str, before: int, after: int) -> str:
        """Zero-extend or truncate from one number of bits to another."""
        if before == after:
            return name
        return self.value(f"{'zext' if before < after else 'trunc'} i{before} {name} to i{after}")

    def tree(self, operator: str, bits: int, operands: Sequence[str]) -> str:
        """An associative operator over many operands, balanced so that the processor can overlap the work."""
        level = list(operands)
        while len(level) > 1:
            pairs = [self.binary(operator, bits, *level[at : at + 2]) for at in range(0, len(level) - 1, 2)]
            level = pairs + level[len(pairs) * 2 :]
        return level[0]


class Operation:
    """A node about to be written: its operands by name, its widths and containers."""

    def __init__(self, writer: Writer, node: Node, operands: Sequence[str], widths: Sequence[int]) -> None:
        self.writer = writer
        self.operands = operands
        self.widths = widths
        self.parameters = node.parameters
        self.width = node.width
        self.bits = container(node.width)
        self.mask = (1 << node.width) - 1
        self.inner = container(widths[0]) if widths else 1

    def binary(self, operator: str, left: str, right: str | int) -> str:
        """An instruction in the container of the result."""
        return self.writer.binary(operator, self.bits, left, right)

    def masked(self, name: str) -> str:
        """The value with the bits above the width cleared."""
        return name if self.width == self.bits else self.binary("and", name, self.mask)

    def negated(self, name: str) -> str:
        """Bitwise complement within the width, or Boolean negation."""
        return self.binary("xor", name, self.mask if self.width else "true")


Lowering: TypeAlias = Callable[[Operation], str]


def _bitwise(operator: str, *, complement: bool = False) -> Lowering:
    def lower(do: Operation) -> str:
        result = do.writer.tree(operator, do.bits, do.operands)
        return do.negated(result) if complement else result

    return lower


def _arithmetic(operator: str) -> Lowering:
    return lambda do: do.masked(do.writer.tree(operator, do.bits, do.operands))


def _subtract(do: Operation) -> str:
    result = do.operands[0]
    for operand in do.operands[1:]:
        result = do.binary("sub", result, operand)
    return do.masked(result)


def _equal(do: Operation) -> str:
    first, *others = do.operands
    return do.writer.tree("and", 1, [do.writer.compare("eq", do.inner, first, other) for other in others])


def _distinct(do: Operation) -> str:
    pairs = [(left, right) for at, left in enumerate(do.operands) for right in do.operands[:at]]
    return do.writer.tree("and", 1, [do.writer.compare("ne", do.inner, *pair) for pair in pairs]) if pairs else "true"


def _implies(do: Operation) -> str:
    return do.binary("or", do.negated(do.operands[0]), do.operands[1])


def _choose(do: Operation) -> str:
    return do.writer.select(do.operands[0], do.bits, *do.operands[1:])


def _unsigned(predicate: str) -> Lowering:
    return lambda do: do.writer.compare(predicate, do.inner, *do.operands)


def _signed(predicate: str) -> Lowering:
    def lower(do: Operation) -> str:
        sign = 1 << (do.widths[0] - 1)
        flipped = [do.writer.binary("xor", do.inner, operand, sign) for operand in do.operands]
        return do.writer.compare(predicate, do.inner, *flipped)

    return lower


def _shift_out(operator: str) -> Lowering:
    def lower(do: Operation) -> str:
        value, amount = do.operands
        if amount.isdigit():
            return do.masked(do.binary(operator, value, amount)) if int(amount) < do.width else "0"
        inside = do.writer.compare("ult", do.bits, amount, do.width)
        return do.masked(do.writer.select(inside, do.bits, do.binary(operator, value, amount), 0))

    return lower


def _shift_signed(do: Operation) -> str:
    value, amount = do.operands
    inside = do.writer.compare("ult", do.bits, amount, do.width)
    amount = do.writer.select(inside, do.bits, amount, do.width - 1)
    return do.masked(do.binary("ashr", _extended(do, value, do.width), amount))


def _extended(do: Operation, value: str, width: int) -> str:
    """The value with its sign, at bit ``width - 1``, copied to all bits above."""
    sign = 1 << (width - 1)
    return do.binary("sub", do.binary("xor", value, sign), sign)


def _quotient(do: Operation, operator: str, value: str, divisor: str) -> str:
    """A division, or its remainder. LLVM calls the C runtime to divide 128 bits; for more it has code of its own."""
    bits = 192 if do.bits == 128 else do.bits
    value, divisor = (do.writer.resize(name, do.bits, bits) for name in (value, divisor))
    return do.writer.resize(do.writer.binary(operator, bits, value, divisor), bits, do.bits)


def _divide(do: Operation) -> str:
    value, divisor = do.operands
    zero = do.writer.compare("eq", do.bits, divisor, 0)
    quotient = _quotient(do, "udiv", value, do.writer.select(zero, do.bits, 1, divisor))
    return do.writer.select(zero, do.bits, do.mask, quotient)


def _remainder(do: Operation) -> str:
    value, divisor = do.operands
    zero = do.writer.compare("eq", do.bits, divisor, 0)
    rest = _quotient(do, "urem", value, do.writer.select(zero, do.bits, 1, divisor))
    return do.writer.select(zero, do.bits, value, rest)


def _joined(do: Operation, parts: Sequence[tuple[str, int]]) -> str:
    """Concatenation: named values with their widths, the most significant first."""
    shifted, below = [], 0
    for name, width in reversed(parts):
        wide = do.writer.resize(name, container(width), do.bits)
        shifted.append(do.binary("shl", wide, below) if below else wide)
        below += width
    return do.writer.tree("or", do.bits, shifted)


def _concatenate(do: Operation) -> str:
    return _joined(do, list(zip(do.operands, do.widths, strict=True)))


def _repeat(do: Operation) -> str:
    return _joined(do, [(do.operands[0], do.widths[0])] * do.parameters[0])


def _extract(do: Operation) -> str:
    high, low = do.parameters
    value = do.writer.binary("lshr", do.inner, do.operands[0], low) if low else do.operands[0]
    value = do.writer.resize(value, do.inner, do.bits)
    return value if high == do.widths[0] - 1 else do.masked(value)


def _zero_extend(do: Operation) -> str:
    return do.writer.resize(do.operands[0], do.inner, do.bits)


def _sign_extend(do: Operation) -> str:
    return do.masked(_extended(do, _zero_extend(do), do.widths[0]))


def _rotate(*, left: bool) -> Lowering:
    def lower(do: Operation) -> str:
        if do.parameters:
            amount: str | int = do.parameters[0] % do.width
            rest: str | int = do.width - 1 - do.parameters[0] % do.width
        else:
            amount = _quotient(do, "urem", do.operands[1], str(do.width))
            rest = do.binary("sub", str(do.width - 1), amount)
        there, back = ("shl", "lshr") if left else ("lshr", "shl")
        moved = do.binary(there, do.operands[0], amount)
        wrapped = do.binary(back, do.binary(back, do.operands[0], 1), rest)
        return do.masked(do.binary("or", moved, wrapped))

    return lower


def _reduce(predicate: str, *, ones: bool = False) -> Lowering:
    def lower(do: Operation) -> str:
        other = (1 << do.widths[0]) - 1 if ones else 0
        return do.writer.resize(do.writer.compare(predicate, do.inner, do.operands[0], other), 1, do.bits)

    return lower


def _same(do: Operation) -> str:
    return do.writer.resize(do.writer.compare("eq", do.inner, *do.operands), 1, do.bits)


_LOWERINGS: dict[int, Lowering] = {
    z3.Z3_OP_TRUE: lambda do: "true",
    z3.Z3_OP_FALSE: lambda do: "false",
    z3.Z3_OP_BNUM: lambda do: str(do.parameters[0]),
    z3.Z3_OP_AND: lambda do: do.writer.tree("and", 1, do.operands) if do.operands else "true",
    z3.Z3_OP_OR: lambda do: do.writer.tree("or", 1, do.operands) if do.operands else "false",
    z3.Z3_OP_XOR: _bitwise("xor"),
    z3.Z3_OP_NOT: lambda do: do.negated(do.operands[0]),
    z3.Z3_OP_IMPLIES: _implies,
    z3.Z3_OP_EQ: _equal,
    z3.Z3_OP_DISTINCT: _distinct,
    z3.Z3_OP_ITE: _choose,
    z3.Z3_OP_BAND: _bitwise("and"),
    z3.Z3_OP_BOR: _bitwise("or"),
    z3.Z3_OP_BXOR: _bitwise("xor"),
    z3.Z3_OP_BNAND: _bitwise("and", complement=True),
    z3.Z3_OP_BNOR: _bitwise("or", complement=True),
    z3.Z3_OP_BXNOR: _bitwise("xor", complement=True),
    z3.Z3_OP_BNOT: lambda do: do.negated(do.operands[0]),
    z3.Z3_OP_BNEG: lambda do: do.masked(do.binary("sub", "0", do.operands[0])),
    z3.Z3_OP_BADD: _arithmetic("add"),
    z3.Z3_OP_BMUL: _arithmetic("mul"),
    z3.Z3_OP_BSUB: _subtract,
    z3.Z3_OP_BSHL: _shift_out("shl"),
    z3.Z3_OP_BLSHR: _shift_out("lshr"),
    z3.Z3_OP_BASHR: _shift_signed,
    z3.Z3_OP_BUDIV: _divide,
    z3.Z3_OP_BUDIV_I: _divide,
    z3.Z3_OP_BUREM: _remainder,
    z3.Z3_OP_BUREM_I: _remainder,
    z3.Z3_OP_CONCAT: _concatenate,
    z3.Z3_OP_EXTRACT: _extract,
    z3.Z3_OP_ZERO_EXT: _zero_extend,
    z3.Z3_OP_SIGN_EXT: _sign_extend,
    z3.Z3_OP_REPEAT: _repeat,
    z3.Z3_OP_ULT: _unsigned("ult"),
    z3.Z3_OP_ULEQ: _unsigned("ule"),
    z3.Z3_OP_UGT: _unsigned("ugt"),
    z3.Z3_OP_UGEQ: _unsigned("uge"),
    z3.Z3_OP_SLT: _signed("ult"),
    z3.Z3_OP_SLEQ: _signed("ule"),
    z3.Z3_OP_SGT: _signed("ugt"),
    z3.Z3_OP_SGEQ: _signed("uge"),
    z3.Z3_OP_ROTATE_LEFT: _rotate(left=True),
    z3.Z3_OP_ROTATE_RIGHT: _rotate(left=False),
    z3.Z3_OP_EXT_ROTATE_LEFT: _rotate(left=True),
    z3.Z3_OP_EXT_ROTATE_RIGHT: _rotate(left=False),
    z3.Z3_OP_BREDOR: _reduce("ne"),
    z3.Z3_OP_BREDAND: _reduce("eq", ones=True),
    z3.Z3_OP_BCOMP: _same,
}


OPERATORS = frozenset(_LOWERINGS)
"""The operators that native code has, as Z3 declaration kinds."""


def lower(writer: Writer, node: Node, operands: Sequence[str], widths: Sequence[int]) -> str:
    """Write the instructions of a node and return the name of its value, or its text if it is a literal.

    Args:
        writer: the function that is being written.
        node: an operation of ``OPERATORS``.
        operands: the names or texts of the argument values.
        widths: the widths of the arguments, in bits (0: Bool).
    """
    return _LOWERINGS[node.kind](Operation(writer, node, operands, widths))

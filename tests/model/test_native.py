"""Native code does what Z3's terms say."""

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import z3

from tricklaw.model import _native_body, _native_object
from tricklaw.model.native import (
    Buffers,
    Field,
    Function,
    Native,
    NativeError,
    Place,
    Step,
    compile_native,
    pack_fields,
)

Term: TypeAlias = z3.ExprRef
WIDTHS = (1, 3, 8, 52, 63, 64)


def decoded(term: Term) -> int:
    """The value of a literal, a Bool as 0 or 1."""
    return int(z3.is_true(term)) if z3.is_bool(term) else int(term.as_long())


def evaluated(terms: Sequence[Term], values: dict[Term, int]) -> list[int]:
    """The terms' values by Z3's own evaluation."""
    literals = [
        (variable, z3.BoolVal(bool(value)) if z3.is_bool(variable) else z3.BitVecVal(value, variable.size()))
        for variable, value in values.items()
    ]
    together = z3.Function("together", *(term.sort() for term in terms), z3.BoolSort())(*terms)
    return [decoded(term) for term in z3.simplify(z3.substitute(together, *literals)).children()]


def parametric(make: Callable[..., Any], *parameters: int) -> Callable[[Term], Term]:
    """An operator of Z3's C interface with parameters, which z3py lacks."""
    return lambda term: z3.BitVecRef(make(term.ctx_ref(), *parameters, term.as_ast()), term.ctx)


def applied(make: Callable[..., Any]) -> Callable[[Term, Term], Term]:
    """A binary operator of Z3's C interface that z3py lacks."""
    return lambda a, b: z3.BitVecRef(make(a.ctx_ref(), a.as_ast(), b.as_ast()), a.ctx)


def compared(a: Term, b: Term) -> Term:
    """``bvcomp``, which only the SMT-LIB reader makes."""
    size = a.size()
    text = f"(declare-const x (_ BitVec {size}))(declare-const y (_ BitVec {size}))(assert (= (bvcomp x y) #b1))"
    (equation,) = z3.parse_smt2_string(text)
    return z3.substitute(equation.arg(0), (z3.BitVec("x", size), a), (z3.BitVec("y", size), b))


BINARY: dict[str, Callable[[Term, Term], Term]] = {
    "bvand": lambda a, b: a & b,
    "bvor": lambda a, b: a | b,
    "bvxor": lambda a, b: a ^ b,
    "bvadd": lambda a, b: a + b,
    "bvsub": lambda a, b: a - b,
    "bvmul": lambda a, b: a * b,
    "bvudiv": z3.UDiv,
    "bvurem": z3.URem,
    "bvudiv simplified": lambda a, b: z3.simplify(z3.UDiv(a, b)),
    "bvurem simplified": lambda a, b: z3.simplify(z3.URem(a, b)),
    "bvshl": lambda a, b: a << b,
    "bvlshr": z3.LShR,
    "bvashr": lambda a, b: a >> b,
    "bvnand": applied(z3.Z3_mk_bvnand),
    "bvnor": applied(z3.Z3_mk_bvnor),
    "bvxnor": applied(z3.Z3_mk_bvxnor),
    "ext_rotate_left": z3.RotateLeft,
    "ext_rotate_right": z3.RotateRight,
    "=": lambda a, b: a == b,
    "distinct": lambda a, b: a != b,
    "distinct of three": lambda a, b: z3.Distinct(a, b, a + 1),
    "bvult": z3.ULT,
    "bvule": z3.ULE,
    "bvugt": z3.UGT,
    "bvuge": z3.UGE,
    "bvslt": lambda a, b: a < b,
    "bvsle": lambda a, b: a <= b,
    "bvsgt": lambda a, b: a > b,
    "bvsge": lambda a, b: a >= b,
    "ite": lambda a, b: z3.If(z3.ULT(a, b), a, ~b),
    "ite of Bools": lambda a, b: z3.If(a < b, a == 1, b != 0),
    "and": lambda a, b: z3.And(a != 0, b != 0, z3.ULT(a, b)),
    "or": lambda a, b: z3.Or(a == 0, b == 0, a < b),
    "xor": lambda a, b: z3.Xor(a == 0, a < b),
    "not": lambda a, b: z3.Not(a == b),
    "=>": lambda a, b: z3.Implies(a < b, z3.ULT(a, b)),
    "= of Bools": lambda a, b: (a < b) == z3.ULT(a, b),
    "distinct of Bools": lambda a, b: (a < b) != z3.ULT(a, b),
    "bvcomp": lambda a, b: compared(a, b),
    "true and false": lambda a, b: z3.Or(z3.BoolVal(False), z3.And(z3.BoolVal(True), a == b)),
    "shift left by literals": lambda a, b: (a << 1) ^ (b << (b.size() - 1)) ^ (a << b.size()),
    "shift right by literals": lambda a, b: (
        z3.LShR(a, 1) ^ (b >> (b.size() - 1)) ^ (a >> b.size()) ^ z3.LShR(b, b.size())
    ),
    "division by literals": lambda a, b: z3.UDiv(a, z3.BitVecVal(0, a.size())) ^ z3.URem(b, z3.BitVecVal(0, a.size())),
}

UNARY: dict[str, Callable[[Term], Term]] = {
    "bvnot": lambda a: ~a,
    "bvneg": lambda a: -a,
    "bvredor": z3.BVRedOr,
    "bvredand": z3.BVRedAnd,
    "rotate_left": parametric(z3.Z3_mk_rotate_left, 5),
    "rotate_right": parametric(z3.Z3_mk_rotate_right, 3),
    "rotate_left by a multiple of the width": lambda a: parametric(z3.Z3_mk_rotate_left, a.size())(a),
    "numeral": lambda a: a ^ z3.BitVecVal(0xA5A5A5A5A5A5A5A5, a.size()),
}


def samples(width: int, count: int) -> Iterator[tuple[int, int]]:
    """Pairs of values: all pairs of those where mistakes are likely, then random ones."""
    most = (1 << width) - 1
    edges = sorted({0, 1, 2 & most, width & most, width - 1, most >> 1, most ^ (most >> 1), most - 1, most})
    yield from ((a, b) for a in edges for b in edges)
    rng = random.Random(width)
    yield from ((rng.getrandbits(width), rng.getrandbits(width) >> rng.randrange(width)) for _ in range(count))


def assert_same(native: Native, terms: Sequence[Term], width: int) -> None:
    """Compare the function `terms` with Z3 on all samples."""
    a, b = z3.BitVecs("a b", width)
    for x, y in samples(width, 20):
        found = native.call("terms", {"a": x}, {"b": y}, {})
        expected = evaluated(terms, {a: x, b: y})
        assert found == expected, (
            f"a={x:#x} b={y:#x}: {[t for t, f, e in zip(terms, found, expected, strict=True) if f != e]}"
        )


def compiled(terms: Sequence[Term], width: int) -> Native:
    """A function `terms` of the state field `a` and the rigid field `b`."""
    functions = [Function("terms", tuple(terms))]
    return compile_native([Field("a", width)], [Field("b", width)], [], functions, [], None)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_operator_agrees_with_z3(width: int) -> None:
    """Operators on values of up to 64 bits."""
    a, b = z3.BitVecs("a b", width)
    terms = [make(a, b) for make in BINARY.values()] + [make(a) for make in UNARY.values()]
    assert_same(compiled(terms, width), terms, width)


@pytest.mark.parametrize("width", [1, 8, 52])
def test_operators_that_change_the_width_agree_with_z3(width: int) -> None:
    """Concatenation, extraction, extension and repetition."""
    a, b = z3.BitVecs("a b", width)
    double = z3.Concat(a, b)
    terms = [
        z3.Extract(high, low, double)
        for high in range(2 * width)
        for low in (0, width // 2, high)
        if 0 <= high - low < 64
    ]
    terms += [z3.Extract(63, 0, z3.SignExt(64, a)), z3.Extract(63, 0, z3.ZeroExt(64, b))]
    terms += [z3.Extract(width, 1, z3.RepeatBitVec(5, a)), z3.SignExt(64 - width, b), z3.ZeroExt(64 - width, a)]
    assert_same(compiled(terms, width), terms, width)


@pytest.mark.parametrize("width", [65, 100, 128, 200])
def test_operators_on_wide_values_agree_with_z3(width: int) -> None:
    """Operators on intermediate values of more than 64 bits."""
    a, b = z3.BitVecs("a b", 64)
    wide = z3.Concat(a, z3.Extract(width - 65, 0, z3.Concat(b, a, b))), z3.SignExt(width - 64, b)
    terms = []
    for result in [make(*wide) for make in BINARY.values()] + [make(wide[0]) for make in UNARY.values()]:
        size = 0 if z3.is_bool(result) else result.size()
        parts = [z3.Extract(min(low + 63, size - 1), low, result) for low in range(0, size, 64)]
        terms += parts or [result]
    assert_same(compiled(terms, 64), terms, 64)


@pytest.mark.parametrize(
    ("term", "operator"),
    [(z3.BitVec("a", 8) % z3.BitVec("b", 8), "bvsmod"), (z3.BitVec("a", 8) / z3.BitVec("b", 8), "bvsdiv")],
)
def test_an_operator_that_is_not_there_is_named(term: Term, operator: str) -> None:
    """The message has the operator and where it is used."""
    with pytest.raises(NativeError, match=f"no operator '{operator}', used in \\({operator} a b\\)"):
        compiled([term == 0], 8)


def test_other_sorts_are_refused() -> None:
    """Integers are no bit-vectors."""
    with pytest.raises(NativeError, match="takes Bool and BitVec terms only, not the Int"):
        compiled([z3.BV2Int(z3.BitVec("a", 8)) == 3], 8)


def test_quantifiers_are_refused() -> None:
    """A bound variable has no value."""
    with pytest.raises(NativeError, match="quantifier-free"):
        compiled([z3.ForAll([z3.BitVec("x", 8)], z3.BitVec("x", 8) == z3.BitVec("a", 8))], 8)


def test_deep_terms_need_no_recursion() -> None:
    """A term is walked without recursion."""
    a, b = z3.BitVecs("a b", 16)
    term = a
    for number in range(3_000):
        term = (term ^ b) + number
    expected = 7
    for number in range(3_000):
        expected = ((expected ^ 99) + number) & 0xFFFF
    assert compiled([term], 16).call("terms", {"a": 7}, {"b": 99}, {}) == [expected]


# A random system, large enough for every stage ------------------------------------------------------------------------

STATE = [
    *(Field(f"set{i}", 24) for i in range(5)),
    *(Field(f"seat{i}", 4) for i in range(5)),
    *(Field(f"yes{i}", 1) for i in range(6)),
]
RIGID = [Field("trumps", 24), Field("mates", 4), Field("reading", 1)]
ACT = [Field("actor", 4), Field("cards", 24), Field("seat", 4)]


class Grower:
    """Random terms over the fields that are in the pools."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.sets = [z3.BitVec(field.name, 24) for field in STATE[:5]] + [z3.BitVec("trumps", 24)]
        self.seats = [z3.BitVec(field.name, 4) for field in STATE[5:10]] + [z3.BitVec("mates", 4)]
        self.bools = [z3.Bool(field.name) for field in STATE[10:]] + [z3.Bool("reading")]

    def pick(self, pool: list[Term]) -> Term:
        """A term of a pool, rather one of the last."""
        return pool[-1 - min(int(self.rng.expovariate(0.1)), len(pool) - 1)]

    def grow(self, count: int) -> None:
        """Add terms to the pools."""
        for _ in range(count):
            x, y, s, t = self.pick(self.sets), self.pick(self.sets), self.pick(self.seats), self.pick(self.seats)
            p, q = self.pick(self.bools), self.pick(self.bools)
            self.sets.append(self.rng.choice([x & y, x | y, x & ~y, x ^ y, z3.If(p, x, y), z3.LShR(x, 6)]))
            self.seats.append(
                self.rng.choice(
                    [s & t, s | t, s ^ t, z3.If(q, s, t), z3.Concat(z3.Extract(2, 0, s), z3.Extract(3, 3, s))]
                )
            )
            self.bools.append(
                self.rng.choice([z3.And(p, q), z3.Or(p, q), z3.Not(p), z3.If(p, q, x == y), x & y != 0, s == t])
            )
            self.bools.append(
                self.rng.choice([z3.ULT(x, y), s & t == 0, z3.Implies(p, q), z3.Xor(p, q), z3.Concat(x, y, x) == 0])
            )


def random_system(seed: int, size: int) -> tuple[list[Function], list[Step]]:
    """Three steps and two functions."""
    grower = Grower(seed)
    grower.grow(size)
    state_only = Function("of the state", (*grower.sets[-4:], *grower.seats[-2:], *grower.bools[-5:]))
    grower.seats.append(z3.BitVec("actor", 4))
    grower.grow(size)
    grower.sets.append(z3.BitVec("cards", 24))
    grower.seats.append(z3.BitVec("seat", 4))
    steps = []
    for number in range(3):
        grower.grow(size)
        changes = {f"set{i}": grower.sets[-1 - i] for i in range(4)} | {
            f"seat{i}": grower.seats[-1 - i] for i in range(number + 2)
        }
        changes |= {f"yes{i}": grower.bools[-1 - i] for i in range(3)} | {
            "yes4": z3.If(grower.bools[-4], z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
        }
        possible = z3.And(
            z3.Or(grower.bools[-5], grower.bools[7]),
            z3.Implies(grower.bools[-6], grower.seats[-1] != 0),
            z3.Or(*grower.bools[-9:-6]),
        )
        steps.append(Step(f"step{number}", possible, tuple(grower.bools[-14:-4]), changes))
    return [state_only, Function("of the act", (grower.sets[-1], grower.bools[-1]))], steps


def random_values(rng: random.Random, fields: Sequence[Field]) -> dict[str, int]:
    """A value for each field."""
    return {field.name: rng.getrandbits(field.width) & rng.getrandbits(field.width) for field in fields}


def variables(values: dict[str, int]) -> dict[Term, int]:
    """The values by Z3 variable."""
    widths = {field.name: field.width for field in STATE + RIGID + ACT}
    return {
        z3.Bool(name) if widths[name] == 1 else z3.BitVec(name, widths[name]): value for name, value in values.items()
    }


@pytest.mark.parametrize("outer", [(), ("actor",), ("actor", "seat")])
@pytest.mark.parametrize(
    ("seed", "size", "piece"), [(1, 5, 1000), (2, 15, 1000), (3, 60, 1000), (1, 60, 10), (5, 60, 20)]
)
def test_steps_agree_with_z3_whatever_was_run_before(
    seed: int, size: int, piece: int, outer: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values kept between calls are used only where they are valid; gates hold wherever a step is possible.

    Also where long functions are divided into pieces.
    """
    monkeypatch.setattr(_native_body, "PIECE", piece)
    functions, steps = random_system(seed, size)
    native = compile_native(STATE, RIGID, ACT, functions, steps, None, outer=outer)
    rng = random.Random(seed)
    state, rigid, act = random_values(rng, STATE), random_values(rng, RIGID), random_values(rng, ACT)
    possible = 0
    for _ in range(60):
        changed = rng.randrange(6)
        state = random_values(rng, STATE) if changed < 2 else state
        rigid = random_values(rng, RIGID) if changed == 0 else rigid
        act = act | random_values(rng, [field for field in ACT if rng.randrange(2)])
        values = variables(state | rigid | act)
        step = rng.choice(steps)
        expected_possible, *expected = evaluated(step.terms, values)
        found, flags, after = native.step(step.name, state, rigid, act)
        assert found == expected_possible
        if found:
            possible += 1
            assert flags == sum(flag << at for at, flag in enumerate(expected[: len(step.flags)]))
            assert after == state | dict(zip(step.changes, expected[len(step.flags) :], strict=True))
            assert gates_open(native, step.name, state, rigid, act)
        for function in functions:
            assert native.call(function.name, state, rigid, act) == evaluated(function.outputs, values)
    assert possible


def gates_open(native: Native, name: str, state: dict[str, int], rigid: dict[str, int], act: dict[str, int]) -> bool:
    """Whether the gates of a step let it be tried."""
    native.step(name, state, rigid, act)
    buffers, gate = native._buffers, native.gates[name]
    run = _native_bind(gate.address, buffers) if gate.address else None
    if run:
        run()
    return (gate.slot < 0 or bool(buffers.T[gate.slot])) and (run is None or bool(buffers.O[0]))


def _native_bind(address: int, buffers: Buffers) -> Callable[[], None]:
    from tricklaw.model.native import _bind

    return _bind(address, *(array.ctypes.data for array in (buffers.T, buffers.R, buffers.W, buffers.A, buffers.O)))


def small() -> tuple[list[Field], list[Field], list[Field], list[Function], list[Step]]:
    """Tokens in two heaps; whose turn it is."""
    left, right, turn = z3.BitVec("left", 5), z3.BitVec("right", 5), z3.BitVec("turn", 2)
    most, actor, taken = z3.BitVec("most", 3), z3.BitVec("actor", 2), z3.BitVec("taken", 5)
    enough = z3.And(taken != 0, z3.ULE(taken, left), z3.ULE(taken, z3.ZeroExt(2, most)))
    take = Step("take", z3.And(enough, actor == turn), (left == taken,), {"left": left - taken, "turn": ~turn})
    swap = Step("swap", z3.And(left == 0, right != 0), (), {"left": right, "right": left})
    state, rigid = [Field("left", 5), Field("right", 5), Field("turn", 2)], [Field("most", 3)]
    return state, rigid, [Field("actor", 2), Field("taken", 5)], [Function("heaps", (left, right))], [take, swap]


HEAPS = {"left": 7, "right": 3, "turn": 1}


def test_gates_tell_that_no_act_is_possible() -> None:
    """A step whose guard has a condition on the state alone is gated by it, and by one on the actor."""
    native = compile_native(*small(), None, outer=["actor"])
    assert gates_open(native, "swap", {"left": 0, "right": 3, "turn": 1}, {"most": 3}, {})
    assert not gates_open(native, "swap", HEAPS, {"most": 3}, {})
    assert gates_open(native, "take", HEAPS, {"most": 3}, {"actor": 1})
    assert not gates_open(native, "take", HEAPS, {"most": 3}, {"actor": 2})


def test_a_step_gives_possibility_flags_and_the_next_state() -> None:
    """What is not possible has neither flags nor a next state; fields that do not change are kept."""
    native = compile_native(*small(), None)
    assert native.step("take", HEAPS, {"most": 3}, {"actor": 1, "taken": 2}) == (
        True,
        0,
        {"left": 5, "right": 3, "turn": 2},
    )
    assert native.step("take", HEAPS, {"most": 7}, {"actor": 1, "taken": 7}) == (
        True,
        1,
        {"left": 0, "right": 3, "turn": 2},
    )
    assert native.step("take", HEAPS, {"most": 3}, {"actor": 2, "taken": 2}) == (False, 0, {})
    assert native.step("swap", HEAPS, {"most": 3}, {}) == (False, 0, {})
    assert native.call("heaps", HEAPS, {"most": 3}, {}) == [7, 3]


def test_buffers_run_without_dictionaries() -> None:
    """The same code on arrays."""
    native = compile_native(*small(), None)
    buffers = Buffers(native)
    buffers.R[:1], buffers.W[:], buffers.A[:] = 3, native.pack(HEAPS), (1, 2)
    buffers.settle()
    buffers.prepare()
    buffers.run["take"]()
    assert buffers.O[0] == 1
    assert native.unpack(buffers.O[2 : 2 + native.words]) == {"left": 5, "right": 3, "turn": 2}


def test_known_rigid_fields_are_folded_into_the_code() -> None:
    """They may be left out of a call, but not contradicted."""
    native = compile_native(*small(), None, known={"most": 2})
    assert native.step("take", HEAPS, {}, {"actor": 1, "taken": 2})[0]
    assert not native.step("take", HEAPS, {"most": 2}, {"actor": 1, "taken": 3})[0]
    with pytest.raises(NativeError, match="rigid field 'most' was compiled as 2, it cannot be 3"):
        native.step("take", HEAPS, {"most": 3}, {"actor": 1, "taken": 3})
    with pytest.raises(NativeError, match="'left' has a known value but is not a rigid field"):
        compile_native(*small(), None, known={"left": 2})


def test_known_fields_change_nothing_else() -> None:
    """A random system with some rigid fields known agrees with the same system without."""
    functions, steps = random_system(5, 40)
    known = {"trumps": 0xF0F, "reading": 1}
    plain = compile_native(STATE, RIGID, ACT, functions, steps, None)
    folded = compile_native(STATE, RIGID, ACT, functions, steps, None, known=known)
    rng = random.Random(5)
    for _ in range(100):
        state, act = random_values(rng, STATE), random_values(rng, ACT)
        rigid = random_values(rng, RIGID) | known
        for step in steps:
            assert plain.step(step.name, state, rigid, act) == folded.step(step.name, state, rigid, act)


def test_fields_share_words_and_straddle_none() -> None:
    """First-fit decreasing; packing and unpacking are inverse."""
    assert pack_fields([Field("a", 10), Field("b", 60), Field("c", 54), Field("d", 4)]) == (
        {"b": Place(0, 0, 2**60 - 1), "c": Place(1, 0, 2**54 - 1), "a": Place(1, 54, 1023), "d": Place(0, 60, 15)},
        2,
    )
    native = compile_native(STATE, [], [], [], [], None)
    rng = random.Random(0)
    for _ in range(50):
        state = {field.name: rng.getrandbits(field.width) for field in STATE}
        assert native.unpack(native.pack(state)) == state
    assert native.words == -(-sum(field.width for field in STATE) // 64)


@pytest.mark.parametrize(
    ("state", "rigid", "act", "message"),
    [
        ({"left": 32, "right": 0, "turn": 1}, {"most": 3}, {}, "field 'left' has 5 bits, the value 32 does not fit"),
        ({"left": -1, "right": 0, "turn": 1}, {"most": 3}, {}, "field 'left' has 5 bits, the value -1 does not fit"),
        ({"left": 3, "turn": 1}, {"most": 3}, {}, "state field 'right' has no value"),
        (HEAPS, {}, {}, "rigid field 'most' has no value"),
        (HEAPS, {"most": 8}, {}, "field 'most' has 3 bits, the value 8 does not fit"),
        (HEAPS, {"most": 3}, {"cards": 3}, "'cards' is not an act field"),
        (HEAPS, {"most": 3}, {"actor": 4}, "field 'actor' has 2 bits, the value 4 does not fit"),
    ],
)
def test_values_that_do_not_fit_are_refused(
    state: dict[str, int], rigid: dict[str, int], act: dict[str, int], message: str
) -> None:
    """The message has the field and the value."""
    with pytest.raises(NativeError, match=message):
        compile_native(*small(), None).step("take", state, rigid, act)


def with_step(step: Step) -> Native:
    """The small system with one more step."""
    state, rigid, act, functions, steps = small()
    return compile_native(state, rigid, act, functions, [*steps, step], None)


YES = z3.BoolVal(True)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (Step("x", z3.Bool("unknown"), (), {}), "declare 'unknown' in state, rigid or act"),
        (Step("x", z3.BitVec("left", 6) == 0, (), {}), "field 'left' has width 5, but a term uses it with width 6"),
        (Step("x", YES, (), {"most": z3.BitVecVal(0, 3)}), "step 'x' changes 'most', which is not a state field"),
        (Step("x", YES, (), {"left": z3.BitVecVal(0, 3)}), "step 'x' gives 'left' 3 bits; the field has 5"),
        (Step("x", YES, (YES,) * 65, {}), "step 'x' has 65 flags; at most 64"),
        (Step("take", YES, (), {}), "function or step 'take' is declared twice"),
    ],
)
def test_systems_that_do_not_fit_together_are_refused(step: Step, message: str) -> None:
    """The message has the step and the field."""
    with pytest.raises(NativeError, match=message):
        with_step(step)


def test_fields_and_outputs_that_are_too_wide_are_refused() -> None:
    """64 bits are the most."""
    with pytest.raises(NativeError, match="field 'x' has width 65; it must be 1 to 64 bits"):
        compile_native([Field("x", 65)], [], [], [], [], None)
    with pytest.raises(NativeError, match="output 0 of 'f' has 65 bits; at most 64"):
        compile_native([], [], [], [Function("f", (z3.BitVecVal(0, 65),))], [], None)
    with pytest.raises(NativeError, match="field 'x' is declared twice"):
        compile_native([Field("x", 6)], [Field("x", 6)], [], [], [], None)


# The cache ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles from now on."""
    texts = []

    def counted(text: str, care: int) -> bytes:
        texts.append(text)
        return original(text, care)

    original = _native_object.compile_text
    monkeypatch.setattr(_native_object, "compile_text", counted)
    return texts


def assert_works(native: Native) -> None:
    """The step `take` does what it should."""
    assert native.step("take", HEAPS, {"most": 3}, {"actor": 1, "taken": 2})[2] == {"left": 5, "right": 3, "turn": 2}


def test_object_code_is_kept_on_disk(tmp_path: Path, compilations: list[str]) -> None:
    """The second time nothing is compiled; another system is."""
    for _ in range(2):
        assert_works(compile_native(*small(), tmp_path / "new"))
    assert len(compilations) == 1
    compile_native(*small(), tmp_path / "new", outer=["actor"])
    compile_native(*small(), tmp_path / "new", known={"most": 2})
    assert len(compilations) == 3
    assert len(list((tmp_path / "new").iterdir())) == 3


@pytest.mark.parametrize(
    "damage", [lambda code: code[:-9], lambda code: b"", lambda code: code[:200] + b"\xff" + code[201:]]
)
def test_damaged_object_code_is_compiled_anew(
    tmp_path: Path, compilations: list[str], damage: Callable[[bytes], bytes]
) -> None:
    """A file that was cut short, emptied or changed is replaced."""
    compile_native(*small(), tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert_works(compile_native(*small(), tmp_path))
    assert len(compilations) == 2
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """The code is compiled every time."""
    (tmp_path / "file").write_text("not a directory")
    assert_works(compile_native(*small(), tmp_path / "file"))

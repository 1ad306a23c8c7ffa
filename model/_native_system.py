"""The fields, functions and steps that native code is compiled from, checked; known rigid fields folded into them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from tricklaw.model._native_terms import NativeError


@dataclass(frozen=True)
class Field:
    """A variable of the system: a Z3 constant of this name, a bit-vector of 1 to 64 bits, or a Bool (width 1)."""

    name: str
    width: int


@dataclass(frozen=True)
class Function:
    """Terms to be evaluated, each a Bool or a bit-vector of at most 64 bits."""

    name: str
    outputs: tuple[z3.ExprRef, ...]


@dataclass(frozen=True)
class Step:
    """A transition function.

    Attributes:
        name: what the step is called.
        possible: whether the act can be done in the state.
        flags: at most 64 observations on the transition; number i becomes bit i of one word.
        changes: the next values of the state fields that change; all others keep theirs.
    """

    name: str
    possible: z3.BoolRef
    flags: tuple[z3.BoolRef, ...]
    changes: Mapping[str, z3.ExprRef]

    @property
    def terms(self) -> list[z3.ExprRef]:
        """All terms of the step."""
        return [self.possible, *self.flags, *self.changes.values()]


@dataclass(frozen=True)
class System:
    """What is compiled together: the fields, functions and steps."""

    state: tuple[Field, ...]
    rigid: tuple[Field, ...]
    act: tuple[Field, ...]
    functions: tuple[Function, ...]
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        _check_names([field.name for field in self.fields], "field")
        _check_names(
            [function.name for function in self.functions] + [step.name for step in self.steps], "function or step"
        )
        for field in self.fields:
            if not 1 <= field.width <= 64:
                raise NativeError(f"field {field.name!r} has width {field.width}; it must be 1 to 64 bits")
        for step in self.steps:
            _check_step(step, {field.name: field.width for field in self.state})
        for function in self.functions:
            for number, output in enumerate(function.outputs):
                if _width(output) > 64:
                    raise NativeError(f"output {number} of {function.name!r} has {_width(output)} bits; at most 64")

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the state, the rigid ones, those of the act."""
        return self.state + self.rigid + self.act


def _check_names(names: Sequence[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise NativeError(f"{what} {name!r} is declared twice")


def _check_step(step: Step, widths: Mapping[str, int]) -> None:
    if len(step.flags) > 64:
        raise NativeError(f"step {step.name!r} has {len(step.flags)} flags; at most 64")
    for name, term in step.changes.items():
        if name not in widths:
            raise NativeError(f"step {step.name!r} changes {name!r}, which is not a state field")
        if widths[name] != _width(term):
            raise NativeError(f"step {step.name!r} gives {name!r} {_width(term)} bits; the field has {widths[name]}")


def _width(term: z3.ExprRef) -> int:
    if z3.is_bool(term):
        return 1
    if z3.is_bv(term):
        return int(term.size())
    raise NativeError(f"native code takes Bool and BitVec terms only, not the {term.sort()} {term}")


def misfit(name: str, value: int, mask: int) -> int:
    """Refuse a value that does not fit its field."""
    raise NativeError(f"field {name!r} has {mask.bit_length()} bits, the value {value} does not fit")


def fold(system: System, known: Mapping[str, int]) -> System:
    """The system with the known rigid fields replaced by their values, and simplified."""
    if not known:
        return system
    widths = {field.name: field.width for field in system.rigid}
    pairs = [pair for name, value in known.items() for pair in _known_pairs(name, value, widths)]
    terms = [term for item in system.steps for term in item.terms]
    terms += [output for function in system.functions for output in function.outputs]
    folded = iter(_simplified(terms, pairs))
    steps = tuple(_replaced(step, folded) for step in system.steps)
    functions = tuple(Function(item.name, tuple(next(folded) for _ in item.outputs)) for item in system.functions)
    return System(system.state, system.rigid, system.act, functions, steps)


def _known_pairs(name: str, value: int, widths: Mapping[str, int]) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    if name not in widths:
        raise NativeError(f"{name!r} has a known value but is not a rigid field")
    if value & ~((1 << widths[name]) - 1):
        misfit(name, value, (1 << widths[name]) - 1)
    pairs = [(z3.BitVec(name, widths[name]), z3.BitVecVal(value, widths[name]))]
    return [*pairs, (z3.Bool(name), z3.BoolVal(bool(value)))] if widths[name] == 1 else pairs


def _simplified(terms: Sequence[z3.ExprRef], pairs: Sequence[tuple[z3.ExprRef, z3.ExprRef]]) -> Sequence[Any]:
    """All terms, under one application: what they share is simplified once; unflattened, so that it stays shared."""
    together = z3.Function("together", *(term.sort() for term in terms), z3.BoolSort())
    return list(z3.simplify(z3.substitute(together(*terms), *pairs), flat=False).children())


def _replaced(step: Step, terms: Any) -> Step:
    possible, flags = next(terms), tuple(next(terms) for _ in step.flags)
    return Step(step.name, possible, flags, {name: next(terms) for name in step.changes})

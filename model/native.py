"""Z3 bit-vector terms compiled to machine code through LLVM.

A transition system given as Z3 terms over named fields becomes native functions over arrays of 64-bit words:

===========  ====================  =========================================================
``settle``   ``f(R)``              once for each choice of the rigid fields
``prepare``  ``f(W, R, T)``        once for each state, before any of the following
a step       ``f(T, R, W, A, O)``  O[0]: is it possible; if so O[1]: flags, O[2:]: successor
a function   ``f(T, R, W, A, O)``  O[i]: its output number i, a Bool as 0 or 1
===========  ====================  =========================================================

``W`` is the packed state (``words`` long, see ``layout``), ``R`` the rigid fields, one a word, and room for what
``settle`` computes (``rigid_words``), ``A`` the act fields, one a word, ``T`` what is kept between calls
(``temp_words``), ``O`` the result. The arrays must not overlap. Native code checks nothing: values must fit.
"""

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tricklaw.model._native_object import CAREFULLY, QUICKLY, Engine, load
from tricklaw.model._native_operators import OPERATORS
from tricklaw.model._native_stages import Place, Program, StepNodes, write_program
from tricklaw.model._native_system import Field, Function, Step, System, fold, misfit
from tricklaw.model._native_terms import ACT, OUTER, RIGID, STATE, NativeError, Terms, Variable

__all__ = ["Buffers", "Field", "Function", "Gate", "Native", "NativeError", "Place", "Step", "System", "compile_native"]

Words: TypeAlias = npt.NDArray[np.uint64]


class Gate(NamedTuple):
    """Cheap conditions without which a step is not possible.

    Attributes:
        slot: a position in ``T``: ``prepare`` puts 0 there if no act is possible in the state; -1 if there is none.
        address: of a function: O[0] becomes 0 if no act with these values of the outer act fields is possible; 0 if
            there is none.
    """

    slot: int
    address: int


def _gate(program: Program, engine: Engine, number: int) -> Gate:
    state, outer = program.gates[number]
    slot = -1 if state is None else program.prepared[state].position
    return Gate(slot, 0 if outer is None else engine.address(f"gate{number}"))


class Native:
    """Compiled steps and functions: machine addresses for other native code, and methods for Python.

    The methods share preallocated arrays: one thread at a time. Another thread works on `Buffers` of its own.

    Attributes:
        system: the fields, functions and steps that were compiled.
        layout: the place of each state field in the packed state.
        words: the length of a packed state, in 64-bit words.
        rigid_words: the length of ``R``: the rigid fields in their order, then what ``settle`` computes.
        temp_words: the length of ``T``.
        known: the values of rigid fields that are folded into the code.
        settle_address: the machine address of ``settle``.
        prepare_address: the machine address of ``prepare``.
        addresses: the machine addresses of steps and functions.
        outer: the act fields that were said to change less often.
        gates: for each step, what spares calling it; see `Gate`.
    """

    def __init__(self, system: System, known: Mapping[str, int], program: Program, engine: Engine) -> None:
        self.system, self.known = system, dict(known)
        self.layout = dict(zip((field.name for field in system.state), program.places, strict=True))
        self.words, self.rigid_words, self.temp_words = program.words, program.sizes["R"], program.sizes["T"]
        self.settle_address, self.prepare_address = engine.address("settle"), engine.address("prepare")
        self.addresses = {step.name: engine.address(f"step{at}") for at, step in enumerate(system.steps)}
        self.addresses |= {item.name: engine.address(f"function{at}") for at, item in enumerate(system.functions)}
        self.outer = tuple(system.act[position].name for position in program.outer)
        self.gates = {step.name: _gate(program, engine, at) for at, step in enumerate(system.steps)}
        self._engine = engine
        self._places = [(name, *place) for name, place in self.layout.items()]
        self._rigid_masks = [(field.name, (1 << field.width) - 1) for field in system.rigid]
        self._act_masks = {field.name: (at, (1 << field.width) - 1) for at, field in enumerate(system.act)}
        self._buffers = Buffers(self)

    def pack(self, state: Mapping[str, int]) -> Words:
        """The packed state, of shape ``(words,)``.

        Raises:
            NativeError: a field has no value, or one that does not fit its width.
        """
        return np.array(self._pack(state), dtype=np.uint64)

    def unpack(self, words: Words | Sequence[int]) -> dict[str, int]:
        """The value of each state field in a packed state."""
        values = words.tolist() if isinstance(words, np.ndarray) else words
        return {name: (values[word] >> shift) & mask for name, word, shift, mask in self._places}

    def pack_rigid(self, rigid: Mapping[str, int]) -> Words:
        """The rigid fields' values in their order, one a word; those that are known may be left out."""
        return np.array(self._pack_rigid(rigid), dtype=np.uint64)

    def call(self, name: str, state: Mapping[str, int], rigid: Mapping[str, int], act: Mapping[str, int]) -> list[int]:
        """The outputs of a function; act fields left out are 0.

        Raises:
            NativeError: a field has no value, or one that does not fit its width.
            KeyError: no such function.
        """
        self._buffers.load(self._pack(state), self._pack_rigid(rigid), self._pack_act(act))
        return list(self._buffers.outputs(name))

    def step(
        self, name: str, state: Mapping[str, int], rigid: Mapping[str, int], act: Mapping[str, int]
    ) -> tuple[bool, int, dict[str, int]]:
        """Whether a step is possible, its flags and the next state; without flags and state where it is not.

        Raises:
            NativeError: a field has no value, or one that does not fit its width.
            KeyError: no such step.
        """
        self._buffers.load(self._pack(state), self._pack_rigid(rigid), self._pack_act(act))
        possible, flags, *words = self._buffers.successor(name)
        return (True, flags, self.unpack(words)) if possible else (False, 0, {})

    def _pack(self, state: Mapping[str, int]) -> list[int]:
        words = [0] * self.words
        try:
            for name, word, shift, mask in self._places:
                value = state[name]
                words[word] |= value << shift if not value & ~mask else misfit(name, value, mask)
        except KeyError as error:
            raise NativeError(f"state field {error} has no value") from None
        return words

    def _pack_rigid(self, rigid: Mapping[str, int]) -> list[int]:
        if self.known:
            rigid = {**self.known, **rigid}
            for name, value in self.known.items():
                if rigid[name] != value:
                    raise NativeError(f"rigid field {name!r} was compiled as {value}, it cannot be {rigid[name]}")
        try:
            return [
                value if not (value := rigid[name]) & ~mask else misfit(name, value, mask)
                for name, mask in self._rigid_masks
            ]
        except KeyError as error:
            raise NativeError(f"rigid field {error} has no value") from None

    def _pack_act(self, act: Mapping[str, int]) -> list[int]:
        values = [0] * len(self._act_masks)
        try:
            for name, value in act.items():
                position, mask = self._act_masks[name]
                values[position] = value if not value & ~mask else misfit(name, value, mask)
        except KeyError as error:
            raise NativeError(f"{error} is not an act field") from None
        return values


class Buffers:
    """The arrays ``W``, ``R``, ``A``, ``T``, ``O`` for one thread, and the native functions bound to them.

    Write into ``R`` and call ``settle``; write into ``W`` and call ``prepare``; write into ``A``, call ``run[name]``,
    read ``O``.
    """

    def __init__(self, native: Native) -> None:
        outputs = {function.name: len(function.outputs) for function in native.system.functions}
        lengths = (native.words, native.rigid_words, len(native.system.act), native.temp_words)
        self.W, self.R, self.A, self.T = (np.zeros(length, np.uint64) for length in lengths)
        self.O = np.zeros(max(2 + native.words, *outputs.values(), 0), np.uint64)
        w, r, a, t, o = (array.ctypes.data for array in (self.W, self.R, self.A, self.T, self.O))
        self.settle = _bind(native.settle_address, r)
        self.prepare = _bind(native.prepare_address, w, r, t)
        self.run = {name: _bind(address, t, r, w, a, o) for name, address in native.addresses.items()}
        self._native = native
        self._inputs, self._output = (self.W.data, self.R.data, self.A.data), self.O.data
        self._write = [struct.Struct(f"={n}Q").pack_into for n in (native.words, len(native.system.rigid), lengths[2])]
        self._read = {name: struct.Struct(f"={count}Q").unpack_from for name, count in outputs.items()}
        self._read_step = struct.Struct(f"={2 + native.words}Q").unpack_from
        self._loaded: tuple[list[int], list[int]] | None = None

    def load(self, words: list[int], rigid: list[int], act: list[int]) -> None:
        """Write all inputs; settle and prepare where the last load had another state or other rigid values."""
        (write_state, write_rigid, write_act), (state, rigid_fields, act_fields) = self._write, self._inputs
        write_act(act_fields, 0, *act)
        if self._loaded != (words, rigid):
            write_state(state, 0, *words)
            if self._loaded is None or self._loaded[1] != rigid:
                write_rigid(rigid_fields, 0, *rigid)
                self.settle()
            self.prepare()
            self._loaded = words, rigid

    def outputs(self, name: str) -> tuple[int, ...]:
        """Run a function on what is loaded and return its outputs."""
        read = self._read[name]
        self.run[name]()
        return read(self._output)

    def successor(self, name: str) -> tuple[int, ...]:
        """Run a step on what is loaded: possible, flags, packed successor (stale where it is not possible)."""
        self.run[name]()
        return self._read_step(self._output)


def _bind(address: int, *pointers: int) -> Callable[[], None]:
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(address)
    return partial(function, *(ctypes.c_void_p(pointer) for pointer in pointers))


def compile_native(
    state: Sequence[Field],
    rigid: Sequence[Field],
    act: Sequence[Field],
    functions: Sequence[Function],
    steps: Sequence[Step],
    cache_dir: Path | None,
    known: Mapping[str, int] | None = None,
    outer: Sequence[str] = (),
    quickly: bool = False,
) -> Native:
    """Compile a transition system.

    Args:
        state: the fields that steps change.
        rigid: the fields that never change.
        act: the parameters of an act.
        functions: terms to evaluate in a state, and for an act.
        steps: the transition functions.
        cache_dir: where object code is kept between processes; ``None`` for nowhere.
        known: values of rigid fields to fold into the code.
        outer: the act fields that callers change less often than the others (who acts, say): what a step needs of these
            alone is computed again only when they change.
        quickly: take little trouble to make the code fast: for what is not run often.

    Raises:
        NativeError: a term with an operator or a sort that native code does not have, an undeclared variable, a field
            that is declared twice or too wide, a next value of another width than its field.
    """
    system = System(tuple(state), tuple(rigid), tuple(act), tuple(functions), tuple(steps))
    program, text = _lower(fold(system, known or {}), outer)
    return Native(system, known or {}, program, load(text, cache_dir, QUICKLY if quickly else CAREFULLY))


def _lower(system: System, outer: Sequence[str]) -> tuple[Program, str]:
    variables = {field.name: Variable(STATE, at, field.width) for at, field in enumerate(system.state)}
    variables |= {field.name: Variable(RIGID, at, field.width) for at, field in enumerate(system.rigid)}
    for at, field in enumerate(system.act):
        variables[field.name] = Variable(OUTER if field.name in outer else ACT, at, field.width)
    terms = Terms(variables, OPERATORS)
    layout, words = pack_fields(system.state)
    steps = [_step_nodes(terms, step, layout) for step in system.steps]
    functions = [[terms.add(output) for output in function.outputs] for function in system.functions]
    positions = [variables[name].position for name in outer]
    program = Program(terms.nodes, [layout[field.name] for field in system.state], words, positions, len(system.rigid))
    return program, write_program(program, steps, functions)


def _step_nodes(terms: Terms, step: Step, layout: Mapping[str, Place]) -> StepNodes:
    possible, flags = terms.add(step.possible), tuple(terms.add(flag) for flag in step.flags)
    return StepNodes(possible, flags, tuple((layout[name], terms.add(term)) for name, term in step.changes.items()))


def pack_fields(fields: Sequence[Field]) -> tuple[dict[str, Place], int]:
    """Places for fields, none across two words, in as few words as first-fit decreasing finds; the number of words."""
    used: list[int] = []
    layout = {}
    for field in sorted(fields, key=lambda field: -field.width):
        word = next((at for at, bits in enumerate(used) if bits + field.width <= 64), len(used))
        if word == len(used):
            used.append(0)
        layout[field.name] = Place(word, used[word], (1 << field.width) - 1)
        used[word] += field.width
    return layout, len(used)

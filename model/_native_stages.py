"""Native code in stages: what depends on rigid fields only, on the state, on the outer act fields, on the whole act.

``settle`` computes what needs the rigid fields only, once. ``prepare`` computes, once a state, what the guards of the
steps need of that state, and what two steps share. What one step alone needs beyond its guard it computes itself, the
first time that it turns out possible in a state (and once for each value of the outer act fields), and keeps. So an
impossible act costs its guard.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import z3

from tricklaw.model._native_gates import Gates
from tricklaw.model._native_operators import Writer, container, lower
from tricklaw.model._native_terms import ACT, OUTER, RIGID, STATE, Node, boundary, walk

WORTH_KEEPING = 8
"""A step keeps values between its calls only if computing them takes at least so many operations."""

PIECE = 1000
"""Longer computations are divided among functions of so many nodes: LLVM takes more than linear time on long blocks."""


class Place(NamedTuple):
    """Where a state field lies in the packed state: the word, the lowest bit in it, the mask before shifting."""

    word: int
    shift: int
    mask: int


class Slot(NamedTuple):
    """A kept value: an array, ``T`` or ``R``, and the position of its (lowest) word."""

    array: str
    position: int


@dataclass(frozen=True)
class StepNodes:
    """A step as positions of nodes; ``changes`` has the place of each changed field."""

    possible: int
    flags: tuple[int, ...]
    changes: tuple[tuple[Place, int], ...]

    @property
    def rest(self) -> list[int]:
        """What is needed only if the step is possible."""
        return [*self.flags, *(node for _, node in self.changes)]


class Gate(NamedTuple):
    """Nodes that are true wherever a step is possible, if any are found: of the state, and of the outer act fields."""

    state: int | None
    outer: int | None


@dataclass
class Memory:
    """What a step keeps in ``T``: a word that tells whether it is valid, the outer fields' values, the kept values."""

    valid: int
    outer: dict[int, int] = field(default_factory=dict)
    of_state: dict[int, Slot] = field(default_factory=dict)
    of_outer: dict[int, Slot] = field(default_factory=dict)


class Program:
    """The functions of a set of terms, as LLVM text.

    Args:
        nodes: all nodes.
        places: the place of each state field, by its position.
        words: the number of words of a packed state.
        outer: the positions of the act fields that change less often than others.
        rigid: the number of rigid fields; kept values follow them in ``R``.
    """

    def __init__(self, nodes: list[Node], places: Sequence[Place], words: int, outer: Iterable[int], rigid: int):
        self.nodes = nodes
        self.places = places
        self.words = words
        self.outer = tuple(outer)
        self.sizes = {"R": rigid, "T": 0}
        self.settled: dict[int, Slot] = {}
        self.prepared: dict[int, Slot] = {}
        self.gates: list[Gate] = []
        self.parts: list[str] = []

    def keep(self, array: str, nodes: Iterable[int]) -> dict[int, Slot]:
        """New slots for the values of nodes."""
        slots = {}
        for node in sorted(nodes):
            slots[node] = Slot(array, self.sizes[array])
            self.sizes[array] += -(-container(self.nodes[node].width) // 64)
        return slots

    def word(self) -> int:
        """A new word of ``T``."""
        self.sizes["T"] += 1
        return self.sizes["T"] - 1

    def add_part(self, body: "Body") -> str:
        """Add a function that others call; its name."""
        name = f"part{len(self.parts)}"
        self.parts.append(body.text(name, "internal"))
        return name

    def size(self, nodes: Iterable[int]) -> int:
        """The number of operations among the nodes, not counting fields."""
        return sum(bool(self.nodes[node].arguments) for node in nodes)


def write_program(program: Program, steps: Sequence[StepNodes], functions: Sequence[Sequence[int]]) -> str:
    """The LLVM text of ``settle``, ``prepare``, ``step0`` ..., ``gate0`` ..., ``function0`` ..., and what they call."""
    bounds = Gates(program.nodes)
    for step in steps:
        state, outer = (bounds.bound(step.possible, level) for level in (STATE, OUTER))
        always = (bounds.true, state)
        program.gates.append(Gate(None if state == bounds.true else state, None if outer in always else outer))
    _settle_rigid(program, [root for step in steps for root in [step.possible, *step.rest]])
    _settle_rigid(program, [root for roots in functions for root in roots])
    memories = _plan(program, steps, functions)
    texts = [_write_settle(program), _write_prepare(program, memories)]
    texts += [_write_step(program, number, *entry) for number, entry in enumerate(zip(steps, memories, strict=True))]
    for number, gate in enumerate(program.gates):
        if gate.outer is not None:
            texts.append(_write_function(program, f"gate{number}", [gate.outer]))
    texts += [_write_function(program, f"function{number}", roots) for number, roots in enumerate(functions)]
    return "\n".join(texts + program.parts)


def _settle_rigid(program: Program, roots: Iterable[int]) -> None:
    nodes = program.nodes
    used = {child for node in nodes if node.level > RIGID for child in node.arguments} | set(roots)
    rigid = {node for node in used if nodes[node].level == RIGID and nodes[node].arguments}
    program.settled.update(program.keep("R", rigid - program.settled.keys()))


def _plan(program: Program, steps: Sequence[StepNodes], functions: Sequence[Sequence[int]]) -> list[Memory | None]:
    """Decide what ``prepare`` computes, and what each step keeps."""
    eager = {gate.state for gate in program.gates if gate.state is not None}
    guards = [step.possible for step in steps] + [gate.outer for gate in program.gates if gate.outer is not None]
    for roots in [guards, *(roots for roots in functions if _acts(program, roots))]:
        eager |= _state_needs(program, roots)
    needs = [_state_needs(program, step.rest) for step in steps]
    shared = _shared(program, eager, needs)
    owned = []
    for need in needs:
        own = walk(program.nodes, list(need), shared, STATE)
        eager |= {node for node in boundary(program.nodes, list(need), own) if node in shared}
        owned.append(own)
    program.prepared.update(program.keep("T", eager))
    return [_memory(program, *entry) for entry in zip(steps, needs, owned, strict=True)]


def _acts(program: Program, roots: Sequence[int]) -> bool:
    return any(program.nodes[root].level > STATE for root in roots)


def _state_needs(program: Program, roots: Sequence[int]) -> set[int]:
    """The state-level nodes that the act-level nodes under the roots use directly."""
    inner = walk(program.nodes, roots, set(), OUTER)
    return {node for node in boundary(program.nodes, roots, inner) if program.nodes[node].level == STATE}


def _shared(program: Program, eager: set[int], needs: Sequence[set[int]]) -> set[int]:
    """The state-level nodes that ``prepare`` needs, or that two steps need."""
    shared = walk(program.nodes, list(eager), set(), STATE)
    once: set[int] = set()
    for need in needs:
        cone = walk(program.nodes, list(need), set(), STATE)
        shared |= once & cone
        once |= cone
    return shared


def _memory(program: Program, step: StepNodes, needs: set[int], own: set[int]) -> Memory | None:
    acts = walk(program.nodes, step.rest, set(), ACT)
    guard = walk(program.nodes, [step.possible], set(), OUTER)
    outer = {node for node in boundary(program.nodes, step.rest, acts) if program.nodes[node].level == OUTER} - guard
    cone = walk(program.nodes, list(outer), set(), OUTER)
    keeps_state, keeps_outer = program.size(own) >= WORTH_KEEPING, program.size(cone) >= WORTH_KEEPING
    if not keeps_state and not keeps_outer:
        return None
    memory = Memory(program.word())
    if keeps_state:
        memory.of_state = program.keep("T", needs & own)
    if keeps_outer:
        memory.outer = {position: program.word() for position in program.outer}
        memory.of_outer = program.keep("T", outer)
    return memory


class Body:
    """A function being written: which nodes have a name so far, and which are kept in an array.

    The blocks of a function are written one after the other, each dominating the next, so that names stay valid.

    Args:
        program: what the function belongs to.
        parameters: the arrays it is called with, a letter each.
        stored: the nodes kept in arrays, besides those that ``settle`` keeps.
    """

    def __init__(self, program: Program, parameters: str, stored: Mapping[int, Slot]) -> None:
        self.program = program
        self.parameters = parameters
        self.writer = Writer()
        self.stored = {**program.settled, **stored}
        self.names: dict[int, str] = {}

    def compute(self, roots: Sequence[int]) -> list[str]:
        """Write what the roots need and return their names."""
        nodes = self._missing(roots)
        if len(nodes) > PIECE:
            self._divide(nodes, self._keep(set(roots) & set(nodes)))
            nodes = self._missing(roots)
        self._write_all(nodes)
        return [self.operand(root) for root in roots]

    def keep(self, slots: Mapping[int, Slot]) -> None:
        """Compute the values of nodes and store them."""
        nodes = self._missing(list(slots))
        if len(nodes) > PIECE:
            self._divide(nodes, {node: slots[node] for node in nodes if node in slots})
            slots = {node: slot for node, slot in slots.items() if node not in self.stored}
        else:
            self._write_all(nodes)
        for node, slot in slots.items():
            self.store(*slot, self.operand(node), container(self.program.nodes[node].width))

    def operand(self, node: int) -> str:
        """The name or the text of a value that is computed, kept or literal."""
        if node not in self.names:
            if node in self.stored:
                self.names[node] = self._narrow(node, self._load_slot(node))
            else:
                self.names[node] = lower(self.writer, self.program.nodes[node], (), ())
        return self.names[node]

    def load(self, array: str, position: int, bits: int = 64) -> str:
        """The value of a word of an array, or of some words."""
        return self.writer.value(f"load i{bits}, ptr {self._address(array, position)}, align 8")

    def store(self, array: str, position: int, value: str, bits: int = 64) -> None:
        """Store an integer of so many bits in an array, a Bool as a word of 0 or 1."""
        wide = self.writer.resize(value, bits, max(bits, 64))
        self.writer.line(f"store i{max(bits, 64)} {wide}, ptr {self._address(array, position)}, align 8")

    def call(self, name: str) -> None:
        """Call a function of the program with the same arrays."""
        self.writer.line(f"call void @{name}({', '.join(f'ptr %{array}' for array in self.parameters)})")

    def text(self, name: str, linkage: str = "") -> str:
        """The LLVM text of the function."""
        arrays = ", ".join(f"ptr noalias %{array}" for array in self.parameters)
        lines = "\n".join(self.writer.lines)
        return f"define {linkage} void @{name}({arrays}) nounwind noinline {{\n{lines}\nret void\n}}\n"

    def _missing(self, roots: Sequence[int]) -> list[int]:
        return sorted(walk(self.program.nodes, roots, self.stored.keys() | self.names.keys(), RIGID))

    def _write_all(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.names[node] = self._write(self.program.nodes[node])

    def _write(self, node: Node) -> str:
        if node.kind == z3.Z3_OP_UNINTERPRETED:
            return self._field(node)
        operands = [self.operand(argument) for argument in node.arguments]
        return lower(self.writer, node, operands, [self.program.nodes[argument].width for argument in node.arguments])

    def _field(self, node: Node) -> str:
        (position,) = node.parameters
        if node.level == STATE:
            place = self.program.places[position]
            name = self.load("W", place.word)
            name = self.writer.binary("lshr", 64, name, place.shift) if place.shift else name
            name = self.writer.binary("and", 64, name, place.mask)
        else:
            name = self.load("R" if node.level == RIGID else "A", position)
        return name if node.width else self.writer.resize(name, 64, 1)

    def _address(self, array: str, position: int) -> str:
        return self.writer.value(f"getelementptr inbounds i64, ptr %{array}, i64 {position}")

    def _load_slot(self, node: int) -> str:
        return self.load(*self.stored[node], max(64, container(self.program.nodes[node].width)))

    def _narrow(self, node: int, name: str) -> str:
        return name if self.program.nodes[node].width else self.writer.resize(name, 64, 1)

    def _keep(self, nodes: Iterable[int]) -> dict[int, Slot]:
        return self.program.keep("T" if "T" in self.parameters else "R", nodes)

    def _divide(self, nodes: Sequence[int], slots: Mapping[int, Slot]) -> None:
        """Have the nodes computed, and those with slots stored, by functions of `PIECE` nodes each, called in turn."""
        pieces = [nodes[at : at + PIECE] for at in range(0, len(nodes), PIECE)]
        across = self._crossing(pieces)
        known = across & self.names.keys()
        self.keep(kept := self._keep(known))
        self.stored |= kept
        slots = {**self._keep(across - known - slots.keys()), **slots}
        for piece in pieces:
            part = Body(self.program, self.parameters, self.stored)
            part.keep({node: slots[node] for node in piece if node in slots})
            self.stored |= {node: slots[node] for node in piece if node in slots}
            self.call(self.program.add_part(part))

    def _crossing(self, pieces: Iterable[Sequence[int]]) -> set[int]:
        """The nodes that a piece needs from an earlier one or from this function."""
        crossing: set[int] = set()
        for piece in pieces:
            crossing |= boundary(self.program.nodes, [], set(piece))
        return crossing - self.stored.keys()


def _write_settle(program: Program) -> str:
    slots, program.settled = program.settled, {}
    body = Body(program, "R", {})
    body.keep(slots)
    program.settled = slots
    return body.text("settle")


def _write_prepare(program: Program, memories: Iterable[Memory | None]) -> str:
    body = Body(program, "WRT", {})
    for memory in memories:
        if memory:
            body.store("T", memory.valid, "0")
    body.keep(program.prepared)
    return body.text("prepare")


def _write_enter(program: Program, memory: Memory) -> str:
    """The name of the function that computes what a step keeps: of the state if need be, of the outer fields always."""
    body = Body(program, "TRWAO", program.prepared)
    valid = body.writer.resize(body.load("T", memory.valid), 64, 1)
    body.writer.line(f"br i1 {valid}, label %outer, label %state\nstate:")
    body.keep(memory.of_state)
    body.store("T", memory.valid, "1")
    body.writer.line("br label %outer\nouter:")
    body.names.clear()
    body.stored |= memory.of_state
    for position, word in memory.outer.items():
        body.store("T", word, body.load("A", position))
    body.keep(memory.of_outer)
    return program.add_part(body)


def _write_step(program: Program, number: int, step: StepNodes, memory: Memory | None) -> str:
    body = Body(program, "TRWAO", program.prepared)
    (possible,) = body.compute([step.possible])
    body.store("O", 0, possible, 1)
    body.writer.line(f"br i1 {possible}, label %possible, label %stop\npossible:")
    if memory:
        _write_recall(body, memory)
    flags = [body.writer.resize(name, 1, 64) for name in body.compute(step.flags)]
    body.store("O", 1, _packed(body.writer, [(flag, shift) for shift, flag in enumerate(flags)]))
    for word in range(program.words):
        body.store("O", 2 + word, _successor_word(body, step, word))
    body.writer.line("br label %stop\nstop:")
    return body.text(f"step{number}")


def _write_recall(body: Body, memory: Memory) -> None:
    """Have what the step keeps computed unless it is valid for this state and these outer values."""
    fresh = [body.writer.resize(body.load("T", memory.valid), 64, 1)]
    for position, word in memory.outer.items():
        fresh.append(body.writer.compare("eq", 64, body.load("T", word), body.load("A", position)))
    body.writer.line(f"br i1 {body.writer.tree('and', 1, fresh)}, label %rest, label %enter\nenter:")
    body.call(_write_enter(body.program, memory))
    body.writer.line("br label %rest\nrest:")
    body.stored |= memory.of_state | memory.of_outer


def _successor_word(body: Body, step: StepNodes, word: int) -> str:
    changes = [(place, node) for place, node in step.changes if place.word == word]
    changed = sum(place.mask << place.shift for place, _ in changes)
    kept = sum(place.mask << place.shift for place in body.program.places if place.word == word) & ~changed
    parts = []
    for (place, node), name in zip(changes, body.compute([node for _, node in changes]), strict=True):
        parts.append((body.writer.resize(name, container(body.program.nodes[node].width), 64), place.shift))
    if kept:
        old = body.load("W", word)
        parts.append((body.writer.binary("and", 64, old, kept) if changes else old, 0))
    return _packed(body.writer, parts)


def _packed(writer: Writer, parts: Sequence[tuple[str, int]]) -> str:
    """The disjunction of words shifted to the left."""
    shifted = [writer.binary("shl", 64, name, shift) if shift else name for name, shift in parts]
    return writer.tree("or", 64, shifted) if shifted else "0"


def _write_function(program: Program, name: str, roots: Sequence[int]) -> str:
    body = Body(program, "TRWAO", program.prepared)
    for position, (root, value) in enumerate(zip(roots, body.compute(roots), strict=True)):
        body.store("O", position, value, container(program.nodes[root].width))
    return body.text(name)

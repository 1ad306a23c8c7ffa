"""One function of native code being written, from the nodes of a program."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import z3

from tricklaw.model._native_operators import Writer, container, lower
from tricklaw.model._native_terms import RIGID, STATE, Node, boundary, walk

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


class Gate(NamedTuple):
    """Nodes that are true wherever a step is possible, if any are found: of the state, and of the outer act fields."""

    state: int | None
    outer: int | None


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

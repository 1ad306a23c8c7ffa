"""Native code in stages: what depends on rigid fields only, on the state, on the outer act fields, on the whole act.

``settle`` computes what needs the rigid fields only, once. ``prepare`` computes, once a state, what the guards of the
steps need of that state, and what two steps share. What one step alone needs beyond its guard it computes itself, the
first time that it turns out possible in a state (and once for each value of the outer act fields), and keeps. So an
impossible act costs its guard.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tricklaw.model._native_body import Body, Gate, Place, Program, Slot
from tricklaw.model._native_gates import Gates
from tricklaw.model._native_operators import Writer, container
from tricklaw.model._native_terms import ACT, OUTER, RIGID, STATE, boundary, walk

__all__ = ["Memory", "Place", "Program", "StepNodes", "write_program"]

WORTH_KEEPING = 8
"""A step keeps values between its calls only if computing them takes at least so many operations."""


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


@dataclass
class Memory:
    """What a step keeps in ``T``: a word that tells whether it is valid, the outer fields' values, the kept values."""

    valid: int
    outer: dict[int, int] = field(default_factory=dict)
    of_state: dict[int, Slot] = field(default_factory=dict)
    of_outer: dict[int, Slot] = field(default_factory=dict)


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

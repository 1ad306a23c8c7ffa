"""The explorer's moves, states and working memory as arrays, checked."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tricklaw.model.native import Buffers, Native
from tricklaw.solver import _explorer_loop as loop
from tricklaw.solver._explorer_loop import Plan, Store, Words, Work

Source: TypeAlias = Literal["none", "each", "pairs", "all"]
FIRST_ROOM = 1 << 22
"""States that there is room for at first."""

FIRST_TABLE = 1 << 17
"""The first size of the hash table, which is never more than half full."""

T = TypeVar("T", bound=np.generic)

_SOURCES: dict[Source, int] = {"none": loop.NO_CARDS, "each": loop.EACH, "pairs": loop.PAIRS, "all": loop.ALL}


@dataclass(frozen=True)
class Move:
    """One way to enumerate the acts of a step.

    Act fields that are not named are 0.

    Attributes:
        step: the name of the compiled step.
        actor: the act field that is a one-hot set of actors: it takes each of its bits in turn.
        cards: the act field that is a set of cards drawn, if any.
        card_source: what is drawn from the cards held: each card, each pair of cards, or all where there are any.
        held: a compiled function of the state with an output for each actor: the set of cards held.
        choices: further act fields, each with the values it takes; every combination is tried.
        irregular: the budget counts every act of the step, so that none need be tried where it is used up.
    """

    step: str
    actor: str
    cards: str | None = None
    card_source: Source = "none"
    held: str | None = None
    choices: tuple[tuple[str, tuple[int, ...]], ...] = ()
    irregular: bool = False

    @property
    def combinations(self) -> list[tuple[int, ...]]:
        """Every combination of the choices' values."""
        return list(itertools.product(*(values for _, values in self.choices)))


def make_plan(native: Native, moves: Sequence[Move], watch: str | None, limits: Words) -> tuple[Plan, int]:
    """The moves as arrays, and the greatest number of successors of a state.

    Raises:
        ValueError: a step, a function or an act field that is not compiled, or too many moves, actors or choices.
    """
    if not 1 <= len(moves) <= loop.MOVES:
        raise ValueError(f"there are {len(moves)} moves; there must be 1 to {loop.MOVES}")
    outputs = {function.name: len(function.outputs) for function in native.system.functions}
    slots = {field.name: at for at, field in enumerate(native.system.act)}
    widths = {field.name: field.width for field in native.system.act}
    for move in moves:
        _check_move(move, {step.name for step in native.system.steps}, outputs, widths)
    if watch is not None:
        _known(watch, outputs, "function")
    holders = _offsets(moves, outputs)
    combinations = [move.combinations for move in moves]
    firsts = [0, *itertools.accumulate(len(values) for values in combinations)]
    rows = []
    for move, first, values in zip(moves, firsts, combinations, strict=False):
        held, gate = holders.get(move.held or "", -1), native.gates[move.step]
        source, card_slot = _SOURCES[move.card_source], slots[move.cards] if move.cards else 0
        row = (slots[move.actor], widths[move.actor], card_slot, source, held, first, len(values), gate.slot)
        rows.append((*row, move.irregular))
    plan = Plan(
        moves=np.array(rows, np.int64),
        steps=np.array([(native.addresses[move.step], _gate(native, move)) for move in moves], np.uint64),
        holders=_table([(native.addresses[name], at) for name, at in holders.items()], np.uint64),
        choice_slots=_table([[slots[name] for name, _ in move.choices] for move in moves], np.int64, empty=-1),
        choices=_table(list(itertools.chain(*combinations)), np.uint64),
        addresses=np.array([native.prepare_address, native.addresses[watch] if watch else 0], np.uint64),
        limits=limits,
    )
    return plan, sum(
        _most_successors(move, widths, len(values)) for move, values in zip(moves, combinations, strict=True)
    )


def _gate(native: Native, move: Move) -> int:
    """The address of the step's gate, or 0 if it depends on more than the actor of this move."""
    inner = {move.cards, *(name for name, _ in move.choices)}
    return 0 if inner & set(native.outer) else native.gates[move.step].address


def _check_move(move: Move, steps: Collection[str], outputs: Mapping[str, int], widths: Mapping[str, int]) -> None:
    _known(move.step, steps, "step")
    for name in [move.actor, *([] if move.cards is None else [move.cards]), *(name for name, _ in move.choices)]:
        _known(name, widths, "act field")
    if (move.card_source == "none") != (move.cards is None):
        raise ValueError(f"a move of {move.step!r} draws {move.card_source!r} into the act field {move.cards!r}")
    if move.card_source != "none":
        if move.held is None:
            raise ValueError(f"a move of {move.step!r} draws cards, so it must say which function has those held")
        _known(move.held, outputs, "function")
        if outputs[move.held] != widths[move.actor]:
            actors = f"{move.actor!r} has {widths[move.actor]}"
            raise ValueError(
                f"{move.held!r} has {outputs[move.held]} outputs; there must be one an actor, and {actors}"
            )
    for name, values in move.choices:
        if misfits := [value for value in values if value >> widths[name]]:
            raise ValueError(f"the choices of {name!r} have {misfits[0]}, which does not fit {widths[name]} bits")


def _known(name: str, names: Collection[str], what: str) -> None:
    if name not in names:
        raise ValueError(f"no compiled {what} is called {name!r}; there are {', '.join(sorted(names))}")


def _offsets(moves: Sequence[Move], outputs: Mapping[str, int]) -> dict[str, int]:
    """Where each function of the cards held has its outputs."""
    names = list(dict.fromkeys(move.held for move in moves if move.held is not None and move.cards is not None))
    return dict(zip(names, itertools.accumulate((outputs[name] for name in names), initial=0), strict=False))


def _most_successors(move: Move, widths: Mapping[str, int], combinations: int) -> int:
    cards = widths[move.cards] if move.cards else 0
    draws = {"none": 1, "each": cards, "pairs": cards * (cards - 1) // 2, "all": 1}[move.card_source]
    return widths[move.actor] * draws * combinations


def _table(rows: Sequence[Sequence[int]], dtype: type[T], empty: int = 0) -> npt.NDArray[T]:
    """Rows of different lengths as an array."""
    table = np.full((len(rows), max(map(len, rows), default=0)), empty, dtype)
    for at, row in enumerate(rows):
        table[at, : len(row)] = row
    return table


def make_work(native: Native, plan: Plan, watch: str | None, most_successors: int) -> Work:
    """The arrays that the loop writes besides the states."""
    outputs = {function.name: len(function.outputs) for function in native.system.functions}
    watched = outputs[watch] if watch else 0
    held = sum(outputs[name] for name in outputs)
    return Work(
        rigids=np.zeros((0, native.rigid_words), np.uint64),
        temps=np.zeros(native.temp_words, np.uint64),
        act=np.zeros(len(native.system.act), np.uint64),
        held=np.zeros(held, np.uint64),
        watched=np.zeros(watched, np.uint64),
        gate=np.zeros(1, np.uint64),
        rows=np.empty((loop.BATCH + most_successors, native.words + 6), np.uint64),
        control=np.zeros(loop.DROPPED + 1, np.int64),
        per_move=np.zeros(len(plan.moves), np.int64),
        per_flag=np.zeros(64, np.int64),
        first_watched=np.full((0, watched), -1, np.int64),
        first_flagged=np.full((0, 64, 2), -1, np.int64),
    )


def make_store(words: int) -> Store:
    """A store without states. Its arrays are large: memory that is not written to costs nothing, and copying does."""
    rows = np.empty((FIRST_ROOM, words + 1), np.uint64)
    return Store(rows, np.empty(FIRST_ROOM, np.int32), np.empty(FIRST_ROOM, np.uint64), make_table(FIRST_TABLE))


def enlarged(old: Store, count: int, room: int) -> Store:
    """A store with room for so many states that has all those of the old one, and its table."""
    states = np.empty((room, old.states.shape[1]), np.uint64)
    parents, acts = np.empty(room, np.int32), np.empty(room, np.uint64)
    states[:count], parents[:count], acts[:count] = old.states[:count], old.parents[:count], old.acts[:count]
    return Store(states, parents, acts, old.table)


def make_table(size: int) -> Words:
    """An empty hash table of at least this size, a power of two."""
    return np.zeros(1 << (size - 1).bit_length(), np.uint64)


def check_initial(native: Native, initial: Words) -> None:
    """Raise a ValueError unless each row is a packed state and then a value for each rigid field."""
    width = native.words + len(native.system.rigid)
    if initial.dtype != np.uint64 or initial.ndim != 2 or initial.shape[1] != width or not len(initial):
        shape = f"{initial.dtype} of shape {initial.shape}"
        raise ValueError(f"the initial states are {shape}; they must be uint64 of shape (n, {width}), n at least 1")
    masks = [0] * native.words + [(1 << field.width) - 1 for field in native.system.rigid]
    for place in native.layout.values():
        masks[place.word] |= place.mask << place.shift
    stray = np.argwhere(initial & ~np.array(masks, np.uint64))
    if len(stray):
        row, column = stray[0].tolist()
        raise ValueError(
            f"initial state {row} has in column {column} {int(initial[row, column])}, which no field can have"
        )
    for at, field in enumerate(native.system.rigid):
        if field.name in native.known and np.any(initial[:, native.words + at] != np.uint64(native.known[field.name])):
            value = native.known[field.name]
            raise ValueError(
                f"the rigid field {field.name!r} was compiled as {value}; an initial state has another value"
            )


def settled(native: Native, rigids: Words) -> Words:
    """The rows of ``R`` for some choices of the rigid fields."""
    buffers, rows = Buffers(native), np.zeros((len(rigids), native.rigid_words), np.uint64)
    for row, values in zip(rows, rigids, strict=True):
        buffers.R[: len(values)] = values
        buffers.settle()
        row[:] = buffers.R
    return rows

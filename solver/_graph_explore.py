"""Exploring for a graph: which deals, and for each part of them the nodes and edges that its states merge into.

The parts are explored in threads: the loop holds no lock of the interpreter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import permutations, product
from random import Random
from threading import Event
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tricklaw.model.cards import Deck
from tricklaw.solver import _explorer_loop as loop
from tricklaw.solver._explorer_loop import Links, Numbers, Words
from tricklaw.solver._explorer_plan import make_table
from tricklaw.solver._graph_chart import Chart
from tricklaw.solver._graph_terms import NODE
from tricklaw.solver.compiled import UNLAWFUL, Row
from tricklaw.solver.explorer import Budget, Exploration, Explorer, Progress

PART = 4
"""The most starts that are explored together."""

FIRST_NODES, FIRST_EDGES = 1 << 12, 1 << 15
MOST_THREADS = 4

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class Round:
    """One round of exploration.

    Attributes:
        cards: how many cards each player gets.
        irregular: how many irregular acts there are at most.
        most: how many starts are taken; all if none is said.
    """

    cards: int
    irregular: int
    most: int | None = None


@dataclass(frozen=True)
class Start:
    """A deal with what else is fixed: hands as sets, sides, the trump suit (one bit, or 0), and who leads."""

    hands: tuple[int, ...]
    groups: tuple[int, ...]
    trumps: int
    leader: int = 0


class Play(NamedTuple):
    """A start, the acts that follow as the explorer's codes, and how many of them are irregular."""

    start: Start
    codes: Words
    irregular: int


@dataclass(frozen=True)
class Found:
    """What a part of a round merges into.

    Attributes:
        nodes: a row for each node: its words, then the fewest irregular acts before a state of it, its depth.
        edges: a row for each edge: the nodes from and to, the move, the actor as counted, the flags.
        plays: for each node a shortest play to it in this part: the start and the acts.
        stuck: the same for nodes with a state that no lawful act leads on from, to such a state.
        states: how many states there were.
        transitions: how many transitions.
        complete: whether all states within the budget were expanded.
    """

    nodes: Words
    edges: Words
    plays: list[Play]
    stuck: dict[int, Play]
    states: int
    transitions: int
    complete: bool


# deals -----------------------------------------------------------------------------------------------------------------


def deck_of(rounds: Sequence[Round], seats: int) -> Deck:
    """Two suits with enough cards for every round."""
    most = max(r.cards for r in rounds)
    return Deck(2, max(2, -(-most * seats // 2)))


def deals(deck: Deck, cards: int, seats: int) -> Iterator[tuple[int, ...]]:
    """Every deal of one card each from the two highest of both suits; of several, one for each division of the suits.

    A division says how many cards of the first suit each hand holds. Which these are is drawn with a fixed seed.
    """
    if cards == 1:
        top = [deck.ranks - 2, deck.ranks - 1, 2 * deck.ranks - 2, 2 * deck.ranks - 1]
        yield from (tuple(1 << card for card in dealt) for dealt in permutations(top, seats))
        return
    source, half = Random(cards), cards * seats // 2
    for division in product(range(cards + 1), repeat=seats):
        if sum(division) == half:
            yield _divided(deck, division, cards, source)


def _divided(deck: Deck, division: Sequence[int], cards: int, source: Random) -> tuple[int, ...]:
    suits = [source.sample(range(s * deck.ranks, (s + 1) * deck.ranks), deck.ranks) for s in (0, 1)]
    hands = []
    for first in division:
        own = [suits[0].pop() for _ in range(first)] + [suits[1].pop() for _ in range(cards - first)]
        hands.append(sum(1 << card for card in own))
    return tuple(hands)


def starts(chart: Chart, round_: Round) -> list[Start]:
    """The starts of a round: deals, sides, trumps (none or the first suit), leaders that differ otherwise than in name.

    Without trumps, deals that differ only in which suit is which are the same. Those with trumps and with suits evenly
    divided come first; where not all are taken, they are taken at equal distances.
    """
    s, seen = chart.system, set()
    for hands in deals(s.deck, round_.cards, s.seats):
        for groups, trumps, leader in product(s.arrangements, s.table.trumps, s.leaders):
            other = tuple(_exchanged(hand, s.deck) for hand in hands)
            seen.add(Start(hands if trumps else min(hands, other), tuple(groups), trumps, leader))
    found = sorted(seen, key=lambda start: (_unevenness(start, s.deck), -start.trumps, start.hands, start.groups))
    return found if round_.most is None else found[:: -(-len(found) // round_.most)]


def _unevenness(start: Start, deck: Deck) -> int:
    return sum((hand & deck.suit_bits(0)).bit_count() ** 2 for hand in start.hands)


def _exchanged(cards: int, deck: Deck) -> int:
    """The same cards with the two suits exchanged."""
    low = deck.suit_bits(0)
    return (cards & low) << deck.ranks | cards >> deck.ranks & low


# linking ---------------------------------------------------------------------------------------------------------------


class Linker(Explorer):
    """An exploration that keeps what its states merge into and how they follow one another."""

    def __init__(self, chart: Chart, budget: Budget, most: int) -> None:
        super().__init__(chart.native, chart.moves, budget, None, 0, most)
        self.seats, width = chart.system.seats, len(chart.traits.words)
        self.links = Links(
            address=np.array([chart.native.addresses[NODE]], np.uint64),
            key=np.zeros(1 + width, np.uint64),
            nodes=np.zeros((FIRST_NODES, width + 2), np.uint64),
            node_table=_table(FIRST_NODES),
            place=np.zeros(len(self.store.states), np.int64),
            moved=np.zeros(len(self.store.states), np.bool_),
            edge=np.zeros(loop.EDGE, np.uint64),
            edges=np.zeros((FIRST_EDGES, loop.EDGE), np.uint64),
            edge_table=_table(FIRST_EDGES),
            counts=np.zeros(3, np.int64),
        )

    def _advance(self, end: int) -> bool:
        return bool(loop.advance_linked(self.plan, self.store, self.work, self.links, self.seats, end))

    @property
    def found(self) -> tuple[Words, Words]:
        """The nodes and the edges."""
        nodes, edges, _ = self.links.counts.tolist()
        return self.links.nodes[:nodes].copy(), self.links.edges[:edges].copy()

    @property
    def stuck(self) -> dict[int, int]:
        """The nodes with a state that no lawful act leads on from, and such a state, with few irregular acts before it."""
        states = np.flatnonzero(~self.links.moved[: self.work.control[loop.HEAD]])
        states = states[np.argsort(self.store.states[states, -1] >> np.uint64(32), kind="stable")]
        nodes, firsts = np.unique(self.links.place[states] >> 2, return_index=True)
        return dict(zip(nodes.tolist(), states[firsts].tolist(), strict=True))

    def _make_room(self) -> None:
        super()._make_room()
        links, (nodes, edges, states) = self.links, self.links.counts.tolist()
        rows = int(self.work.control[loop.PENDING])
        if len(links.place) < len(self.store.states):
            room = len(self.store.states)
            links = links._replace(place=_longer(links.place, room), moved=_longer(links.moved, room))
        if (needed := nodes + int(self.work.control[loop.COUNT]) - states + rows) > len(links.nodes):
            longer = _longer(links.nodes, max(4 * len(links.nodes), needed))
            links = links._replace(nodes=longer, node_table=_table(len(longer)))
            loop.refill(longer, links.node_table, nodes, len(links.key) - 1)
        if (needed := edges + rows) > len(links.edges):
            longer = _longer(links.edges, max(4 * len(links.edges), needed))
            links = links._replace(edges=longer, edge_table=_table(len(longer)))
            loop.refill(longer, links.edge_table, edges, loop.EDGE)
        self.links = links


def _table(rows: int) -> Numbers:
    """An empty hash table for so many rows."""
    return make_table(2 * rows).view(np.int64)


def _longer(array: npt.NDArray[T], rows: int) -> npt.NDArray[T]:
    longer = np.zeros((rows, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def explore_part(
    chart: Chart, part: Sequence[Start], irregular: int, most: int, progress: Callable[[Progress], bool | None]
) -> Found:
    """Explore from some starts and merge."""
    linker = Linker(chart, Budget(UNLAWFUL, irregular), most)
    linker.begin(np.array([_row(chart, start) for start in part]))
    result = linker.result(linker.run(None, progress))
    nodes, edges = linker.found
    firsts = nodes[:, -2].astype(np.int64)
    nodes[:, -2], nodes[:, -1] = nodes[:, -1], result.depth[firsts].astype(np.uint64)
    plays = [_play(result, part, int(first)) for first in firsts]
    stuck = {node: _play(result, part, state) for node, state in linker.stuck.items()}
    return Found(nodes, edges, plays, stuck, result.distinct, result.transitions, result.complete)


def _row(chart: Chart, start: Start) -> Row:
    return chart.initial(start.hands, start.leader, start.groups, start.trumps, {})


def _play(result: Exploration, part: Sequence[Start], state: int) -> Play:
    codes = np.array(result.codes(state), np.uint64)
    return Play(part[result.root(state)], codes, int(result.used[state]))


def explore_all(
    chart: Chart, rounds: Sequence[Round], most: int, tell: Callable[[str], None] | None = None
) -> list[list[Found]]:
    """Explore the rounds, in parts that share the processors; for each round what its parts merge into.

    As soon as one part has too many states the others are stopped as well: the graph is not complete then anyway.
    """
    stop = Event()
    states: dict[int, int] = {}

    def watch(key: int) -> Callable[[Progress], bool]:
        def note(progress: Progress) -> bool:
            states[key] = progress.states
            return stop.is_set()

        return note

    threads = min(os.cpu_count() or 1, MOST_THREADS)
    parts = [(at, part) for at, r in enumerate(rounds) for part in _parts(starts(chart, r), threads)]
    _ = chart.native, chart.moves  # compiled once, before the threads share them
    with ThreadPoolExecutor(threads) as pool:
        asked = [
            pool.submit(explore_part, chart, part, rounds[at].irregular, most, watch(key))
            for key, (at, part) in enumerate(parts)
        ]
        try:
            _await(asked, states, stop, tell)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [[f.result() for (r, _), f in zip(parts, asked, strict=True) if r == at] for at in range(len(rounds))]


def _parts(every: Sequence[Start], threads: int) -> Iterator[Sequence[Start]]:
    size = min(PART, -(-len(every) // threads))
    return (every[first : first + size] for first in range(0, len(every), size))


def _await(
    asked: Sequence[Future[Found]], states: Mapping[int, int], stop: Event, tell: Callable[[str], None] | None
) -> None:
    """Wait for all, and tell how far they are."""
    left: Set[Future[Found]] = set(asked)
    while left:
        done, left = wait(left, 0.2, FIRST_EXCEPTION)
        if not all(future.result().complete for future in done):
            stop.set()
        if tell:
            tell(f"exploring: {len(asked) - len(left)} of {len(asked)} parts, {sum(states.values()):,} states")

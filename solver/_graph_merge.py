"""The parts of an exploration as one graph: nodes are situations, edges the acts that lead from one to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

import networkx as nx
import numpy as np

from tricklaw.model.acts import ActKind
from tricklaw.model.sentences import act_in_words
from tricklaw.solver import _explorer_loop as loop
from tricklaw.solver._explorer_loop import Numbers, Words
from tricklaw.solver._graph_chart import BROKEN, RELIED_ON, SET_OFF, Chart, Label
from tricklaw.solver._graph_explore import Found, Play
from tricklaw.solver._graph_states import HANDS, Situation
from tricklaw.solver.explorer import Played, played

DEAL = 0
"""The node before all others: the deal. From it one edge without acts leads to each situation that play begins in."""


@dataclass(frozen=True)
class Act:
    """An act as an edge tells it.

    Attributes:
        kind: what is done.
        who: by whom, a place in `HANDS`, as counted in the situation before the act.
        lawful: whether it breaks no duty.
        broken: the duties that it breaks; for a demand disobeyed the right it was made under.
        set_off: the clauses that it sets off.
        relied_on: the permissions and immunities without which it would break a duty or set off a clause.
    """

    kind: ActKind
    who: int
    lawful: bool
    broken: tuple[str, ...] = ()
    set_off: tuple[str, ...] = ()
    relied_on: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{HANDS[self.who]}: {self.kind.name}"]
        parts += [f"breaks {', '.join(self.broken)}"] if self.broken else []
        parts += [f"sets off {', '.join(self.set_off)}"] if self.set_off else []
        parts += [f"by leave of {', '.join(self.relied_on)}"] if self.relied_on else []
        return "; ".join(parts)

    @property
    def clauses(self) -> tuple[str, ...]:
        """All clauses that come into it."""
        return tuple(dict.fromkeys((*self.broken, *self.set_off, *self.relied_on)))


N = TypeVar("N")


def situations(graph: nx.DiGraph[int]) -> Iterator[tuple[int, Situation]]:
    """The nodes, but for the deal, with what they stand for."""
    return ((node, data["situation"]) for node, data in graph.nodes(data=True) if node != DEAL)


def edges(graph: nx.DiGraph[N]) -> Iterator[tuple[N, N, tuple[Act, ...]]]:
    """The edges with their acts."""
    return ((before, after, data["acts"]) for before, after, data in graph.edges(data=True))


def merged(chart: Chart, found: Sequence[Found]) -> nx.DiGraph[int]:
    """The graph of all parts.

    Nodes are numbered from `DEAL` in the order of the irregular acts and then of the acts that they need at least. They
    have a `situation`, the fewest `irregular` acts before it, its `depth`, a shortest `play` to it, and one to a state of it
    that is `stuck`, if there is one: where no lawful act leads on. Edges have `acts`.
    """
    number, rows, origins = _numbered(found)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_node(DEAL, situation=None, irregular=0, depth=0, play=None, stuck=None)
    for node, (row, (part, at)) in enumerate(zip(rows.tolist(), origins, strict=True), DEAL + 1):
        *words, irregular, depth = row
        situation = Situation.of(chart.traits.unpack(words), chart.system.seats)
        play = found[part].plays[at]
        graph.add_node(node, situation=situation, irregular=irregular, depth=depth, play=play, stuck=None)
        if not depth:
            graph.add_edge(DEAL, node, acts=())
    _note_stuck(graph, found, number)
    for (before, after), acts in _edges(chart, found, number):
        graph.add_edge(before, after, acts=acts)
    return graph


def _note_stuck(graph: nx.DiGraph[int], found: Sequence[Found], number: Sequence[Numbers]) -> None:
    """Give nodes their shortest plays to states that are stuck; a hand that is over is not."""
    for part, own in zip(found, number, strict=True):
        for at, play in part.stuck.items():
            data = graph.nodes[int(own[at])]
            if not data["situation"].over and (data["stuck"] is None or _rank(play) < _rank(data["stuck"])):
                data["stuck"] = play


def _rank(play: Play) -> tuple[int, int]:
    return play.irregular, len(play.codes)


def _numbered(found: Sequence[Found]) -> tuple[list[Numbers], Words, list[tuple[int, int]]]:
    """For each part the numbers of its nodes; the rows of all nodes; for each the part and place of a shortest play."""
    every = np.concatenate([f.nodes for f in found])
    where = [(part, at) for part, f in enumerate(found) for at in range(len(f.nodes))]
    words, inverse = np.unique(every[:, :-2], axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    least = np.full((len(words), 2), np.iinfo(np.uint64).max, np.uint64)
    for column in (0, 1):
        np.minimum.at(least[:, column], inverse, every[:, column - 2])
    best = np.lexsort((np.arange(len(every)), every[:, -1], inverse))
    firsts = best[np.searchsorted(inverse[best], np.arange(len(words)))]
    order = np.lexsort((*words.T[::-1], least[:, 1], least[:, 0]))
    place = np.empty(len(words), np.int64)
    place[order] = np.arange(DEAL + 1, DEAL + 1 + len(words))
    number = np.split(place[inverse], np.cumsum([len(f.nodes) for f in found])[:-1])
    return number, np.hstack([words, least])[order], [where[firsts[at]] for at in order]


def _edges(
    chart: Chart, found: Sequence[Found], number: Sequence[Numbers]
) -> Iterator[tuple[tuple[int, int], tuple[Act, ...]]]:
    """Every edge with its acts, in order."""
    rows = np.concatenate([_renumbered(f.edges, own) for f, own in zip(found, number, strict=True)])
    decode = _Decoder(chart)
    for ends, group in groupby(np.unique(rows, axis=0).tolist(), key=lambda row: (row[0], row[1])):
        acts = (decode.act(code, flags) for _, _, code, flags in group)
        yield ends, tuple({id(act): act for act in acts}.values())


def _renumbered(edges: Words, number: Numbers) -> Words:
    before, after = (
        number[(edges[:, 0] >> np.uint64(shift) & np.uint64(0xFFFFFFFF)).astype(np.int64)] for shift in (0, 32)
    )
    return np.column_stack([before.astype(np.uint64), after.astype(np.uint64), edges[:, 1], edges[:, 2]])


class _Decoder:
    """Reads acts out of edges; equal acts are one object."""

    def __init__(self, chart: Chart) -> None:
        kinds = {kind.name: kind for kind in chart.system.kinds}
        self.kinds = [kinds[chart.kind_of(move.step)] for move in chart.moves]
        self.labels: dict[ActKind, list[Label]] = {kind: chart.labels(kind) for kind in kinds.values()}
        self._made: dict[tuple[int, int], Act] = {}
        self._same: dict[Act, Act] = {}

    def act(self, code: int, flags: int) -> Act:
        if (code, flags) not in self._made:
            made = self._act(self.kinds[code & loop.MOVES - 1], code >> loop.ACTOR_SHIFT, flags)
            self._made[code, flags] = self._same.setdefault(made, made)
        return self._made[code, flags]

    def _act(self, kind: ActKind, who: int, flags: int) -> Act:
        shown = [label for at, label in enumerate(self.labels[kind], 1) if flags >> at & 1]
        broken, set_off, relied_on = (
            tuple(dict.fromkeys(label.clause for label in shown if label.how == how))
            for how in (BROKEN, SET_OFF, RELIED_ON)
        )
        return Act(kind, who, not flags & 1, broken, set_off, relied_on)


def told(chart: Chart, play: Play) -> list[str]:
    """A play in sentences: the deal, then act by act."""
    start, codes, _ = play
    s, names = chart.system, chart.system.view.names
    hands = ", ".join(f"{n} {' '.join(s.deck.names(h))}" for n, h in zip(names, start.hands, strict=True))
    sides = " and ".join("".join(n for i, n in enumerate(names) if g >> i & 1) for g in start.groups)
    trumps = "clubs are trumps" if start.trumps else "no trumps"
    return [
        f"{hands}; sides {sides}; {trumps}; {names[start.leader]} to lead",
        *(_told(chart, played(chart.moves, code)) for code in codes.tolist()),
    ]


def _told(chart: Chart, one: Played) -> str:
    s = chart.system
    return act_in_words(s.kind(chart.kind_of(one.step)), one.act, s.deck, s.view.names)

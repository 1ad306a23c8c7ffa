"""What a graph shows: dead ends, traps, clauses that nothing uses, and what every way to an irregularity passes.

A node merges states, so a path of the graph need not be a play; but every play is a path. What has no path, no play does;
what every path passes, every play passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import networkx as nx

from tricklaw.model.law import EVERY, Clause, Kind
from tricklaw.model.system import System
from tricklaw.solver._graph_merge import DEAL, Act, edges, situations
from tricklaw.solver._graph_states import Matter, Situation

Graph = nx.DiGraph


@dataclass(frozen=True)
class Trap:
    """Situations from which no path leads back to regular play or to the end of the hand.

    Attributes:
        nodes: a set of situations, each of which leads to each other one, and to no situation besides.
        before: the situations from which all paths end in this or another trap, and some in this one.
    """

    nodes: tuple[int, ...]
    before: tuple[int, ...]


@dataclass(frozen=True)
class Passage:
    """What every path from the deal to an irregular matter passes.

    Attributes:
        matter: the matter; all situations with it are meant.
        nodes: how many situations have it.
        irregular: the fewest irregular acts that it takes.
        acts: the kinds of act that every path has, those that must be unlawful marked so.
        broken: the duties that every path breaks.
        set_off: the clauses that every path sets off.
        through: the situations that every path passes, in order.
    """

    matter: Matter
    nodes: int
    irregular: int
    acts: tuple[str, ...]
    broken: tuple[str, ...]
    set_off: tuple[str, ...]
    through: tuple[int, ...]


@dataclass(frozen=True)
class Unused:
    """A clause that no path uses, and what that means for a clause of its kind."""

    clause: str
    reason: str


# where paths end -------------------------------------------------------------------------------------------------------


def lawful_part(graph: Graph[int]) -> Graph[int]:
    """The same nodes with the edges that have a lawful act."""
    found: Graph[int] = nx.DiGraph()
    found.add_nodes_from(graph.nodes(data=True))
    kept = ((a, b) for a, b, acts in edges(graph) if a == DEAL or any(act.lawful for act in acts))
    found.add_edges_from((a, b, graph.edges[a, b]) for a, b in kept)
    return found


def dead_ends(graph: Graph[int]) -> tuple[int, ...]:
    """Situations that no act leads out of, the end of the hand not counted."""
    return tuple(n for n, s in situations(graph) if not s.over and not any(after != n for after in graph.successors(n)))


def traps(graph: Graph[int]) -> tuple[Trap, ...]:
    """The final strongly connected components among the situations that never lead back."""
    back = _leading_to(graph, (n for n, s in situations(graph) if s.regular or s.over))
    lost = nx.condensation(graph.subgraph(n for n in graph if n not in back))
    members: Mapping[int, set[int]] = nx.get_node_attributes(lost, "members")
    finals = [c for c in lost if not lost.out_degree(c)]
    before = {c: set().union(*(members[b] for b in nx.ancestors(lost, c))) for c in finals}
    return tuple(Trap(tuple(sorted(members[c])), tuple(sorted(before[c]))) for c in finals)


def _leading_to(graph: Graph[int], ends: Iterable[int]) -> set[int]:
    """Some nodes and all that have a path to one of them."""
    found = set(ends)
    waiting = list(found)
    while waiting:
        new = set(graph.predecessors(waiting.pop())) - found
        found |= new
        waiting += new
    return found


def left_over(graph: Graph[int]) -> tuple[int, ...]:
    """Ends of the hand in which a right is open or dormant that no act can settle any more."""
    ends = [n for n, s in situations(graph) if s.over]
    back = _leading_to(graph, (n for n in ends if not _rights(graph, n)))
    return tuple(n for n in ends if n not in back)


def _rights(graph: Graph[int], node: int) -> bool:
    situation: Situation = graph.nodes[node]["situation"]
    return bool(situation.open or situation.dormant)


# what every path passes ------------------------------------------------------------------------------------------------


def passages(graph: Graph[int]) -> tuple[Passage, ...]:
    """For each irregular matter what every path from the deal to it passes."""
    having: dict[Matter, list[int]] = {}
    for node, situation in situations(graph):
        for matter in situation.matters:
            having.setdefault(matter, []).append(node)
    labels, through = _Labels(graph), _through(graph, having)
    return tuple(_passage(graph, m, nodes, labels, through[m]) for m, nodes in sorted(having.items()))


def _passage(
    graph: Graph[int], matter: Matter, nodes: Sequence[int], labels: _Labels, through: tuple[int, ...]
) -> Passage:
    certain = labels.common(nodes)
    acts, broken, set_off = (tuple(text for sort, text in certain if sort == wanted) for wanted in range(3))
    return Passage(matter, len(nodes), min(graph.nodes[n]["irregular"] for n in nodes), acts, broken, set_off, through)


def _through(graph: Graph[int], having: Mapping[Matter, Sequence[int]]) -> dict[Matter, tuple[int, ...]]:
    """The dominators of each matter, apart from the deal: a node is added that all situations with the matter lead to."""
    extended: nx.DiGraph[int | Matter] = nx.DiGraph()
    extended.add_edges_from(graph.edges())
    extended.add_edges_from((node, matter) for matter, nodes in having.items() for node in nodes)
    above = nx.immediate_dominators(extended, DEAL)
    return {matter: tuple(_dominators(above, matter)) for matter in having}


def _dominators(above: Mapping[int | Matter, int | Matter | None], node: int | Matter) -> list[int]:
    found: list[int] = []
    while (node := above.get(node) or DEAL) != DEAL:
        if isinstance(node, int):
            found.append(node)
    return found[::-1]


class _Labels:
    """For each node the labels of acts that every path from the deal to it has.

    The greatest solution of the equations of dominance with sets of labels in place of sets of nodes: what is certain at a
    node is common to all edges to it, and at an edge it is what is certain before it together with its own labels.
    """

    def __init__(self, graph: Graph[int]) -> None:
        self.bits: dict[tuple[int, str], int] = {}
        own = {(a, b): [self._mask(act) for act in acts] for a, b, acts in edges(graph)}
        self.certain = dict.fromkeys(graph, (1 << len(self.bits)) - 1) | {DEAL: 0}
        waiting = [DEAL]
        while waiting:
            node = waiting.pop()
            for after in graph.successors(node):
                before = self.certain[node]
                common = reduce(int.__and__, own[node, after]) | before if own[node, after] else before
                if self.certain[after] & ~common:
                    self.certain[after] &= common
                    waiting.append(after)

    def _mask(self, act: Act) -> int:
        labels = [(0, act.kind.name + ("" if act.lawful else " (unlawful)"))]
        labels += [(1, clause) for clause in act.broken] + [(2, clause) for clause in act.set_off]
        return sum(1 << self.bits.setdefault(label, len(self.bits)) for label in labels)

    def common(self, nodes: Sequence[int]) -> list[tuple[int, str]]:
        """The labels that every path to any of the nodes has."""
        certain = reduce(int.__and__, (self.certain[n] for n in nodes))
        return sorted(label for label, at in self.bits.items() if certain >> at & 1)


# clauses ---------------------------------------------------------------------------------------------------------------


def unused(graph: Graph[int], system: System) -> tuple[Unused, ...]:
    """The clauses that no path uses, in the order of the law files."""
    come_in = {c for _, _, acts in edges(graph) for act in acts for c in act.clauses}
    found = {m.right for _, s in situations(graph) for m in s.matters if m.right}
    reasons = ((c, _why_unused(c, come_in, found, system)) for c in system.code.clauses)
    return tuple(Unused(clause.id, reason) for clause, reason in reasons if reason)


def _why_unused(clause: Clause, come_in: set[str], rights: set[str], system: System) -> str:
    """Why a clause counts as unused; empty if it is used, or says nothing that could be."""
    if clause.kind in (Kind.EMBODIED, Kind.NOT_MODELLED) or clause.id in come_in:
        return ""
    if any(system.readings[key][0] != choice for key, choice in clause.under.items()):
        return "not in force under the readings explored"
    return _TESTS[clause.kind](clause, rights)


def _terms(clause: Clause, rights: set[str]) -> str:
    if clause.lost or clause.discharged:
        return "no act sets it off"
    return "" if EVERY in clause.of or rights & set(clause.of) else "no right that it settles is ever open"


def _freeing(clause: Clause, rights: set[str]) -> str:
    touched = clause.overrides if clause.kind is Kind.PERMISSION else clause.from_
    return "no act relies on it" if touched else "it overrides nothing, so no act can rely on it"


_TESTS: Mapping[Kind, Callable[[Clause, set[str]], str]] = {
    Kind.RIGHT: lambda clause, rights: "" if clause.id in rights else "it is never open",
    Kind.TERMS: _terms,
    Kind.DUTY: lambda clause, rights: "no act breaks it",
    Kind.LIABILITY: lambda clause, rights: "no act sets it off",
    Kind.CONSEQUENCE: lambda clause, rights: "no act sets it off",
    Kind.RESULT: lambda clause, rights: "no act sets it off",
    Kind.PERMISSION: _freeing,
    Kind.IMMUNITY: _freeing,
}

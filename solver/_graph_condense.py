"""A graph small enough to be looked at: situations grouped by what is irregular, whoever it concerns and whatever the trick."""

from __future__ import annotations

from dataclasses import dataclass, replace

import networkx as nx

from tricklaw.solver._graph_merge import DEAL, Act
from tricklaw.solver._graph_states import CORRECTING, ROTATION, Matter, Situation

Group = frozenset[Matter]
"""The matters that a group of situations has in common; empty for regular play, to the end of the hand."""

REGULAR: Group = frozenset()


@dataclass(frozen=True)
class Members:
    """The situations of a group, the fewest irregular acts before one, and how many steps between groups lead to it."""

    nodes: tuple[int, ...]
    irregular: int
    depth: int


def group_of(situation: Situation) -> Group:
    """What is irregular: rights, demands by right only, liable cards, a false lead, a renounce, cards thrown together."""
    kept = (m for m in situation.matters if m.what not in (CORRECTING, ROTATION))
    return frozenset(replace(m, option="") for m in kept)


def condensed(graph: nx.DiGraph[int], irregular: int) -> nx.DiGraph[Group]:
    """The groups that so many irregular acts lead to: nodes with `members`, edges with `acts`, without those of one group."""
    near = [n for n, least in graph.nodes(data="irregular") if n != DEAL and least <= irregular]
    groups = {n: group_of(graph.nodes[n]["situation"]) for n in near}
    acts: dict[tuple[Group, Group], dict[Act, None]] = {}
    for before, after, found in graph.subgraph(near).edges(data="acts"):
        if groups[before] != groups[after]:
            acts.setdefault((groups[before], groups[after]), {}).update(dict.fromkeys(found))
    result: nx.DiGraph[Group] = nx.DiGraph()
    result.add_node(REGULAR)
    result.add_edges_from((before, after, {"acts": tuple(found)}) for (before, after), found in acts.items())
    for group, depth in nx.single_source_shortest_path_length(result, REGULAR).items():
        nodes = tuple(n for n in near if groups[n] == group)
        least = min(graph.nodes[n]["irregular"] for n in nodes)
        result.nodes[group]["members"] = Members(nodes, least, depth)
    return result

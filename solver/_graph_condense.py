"""A graph small enough to be looked at: situations grouped by what is irregular, whoever it concerns and whatever the trick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import networkx as nx

from tricklaw.solver._graph_merge import DEAL, Act, edges
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
    """The groups that so many irregular acts lead to: nodes with `members`, edges with `acts`, none within a group."""
    least: dict[int, int] = {n: data["irregular"] for n, data in graph.nodes(data=True) if n != DEAL}
    least = {n: fewest for n, fewest in least.items() if fewest <= irregular}
    groups = {n: group_of(graph.nodes[n]["situation"]) for n in least}
    acts: dict[tuple[Group, Group], dict[Act, None]] = {}
    for before, after, found in edges(graph.subgraph(least)):
        kept = [act for act in found if act.lawful or least[before] < irregular]
        if kept and groups[before] != groups[after]:
            acts.setdefault((groups[before], groups[after]), {}).update(dict.fromkeys(kept))
    result: nx.DiGraph[Group] = nx.DiGraph()
    result.add_node(REGULAR)
    result.add_edges_from((before, after, {"acts": tuple(found)}) for (before, after), found in acts.items())
    return _with_members(result, groups, least)


def _with_members(
    result: nx.DiGraph[Group], groups: Mapping[int, Group], least: Mapping[int, int]
) -> nx.DiGraph[Group]:
    for group, depth in nx.single_source_shortest_path_length(result, REGULAR).items():
        nodes = tuple(n for n in least if groups[n] == group)
        result.nodes[group]["members"] = Members(nodes, min(least[n] for n in nodes), depth)
    return result


def simplest(groups: nx.DiGraph[Group], most: int) -> nx.DiGraph[Group]:
    """The groups with the fewest matters at once, as many sorts of them as make no more than so many groups."""
    sizes = sorted({len(group) for group in groups})
    fitting = [size for size in sizes if sum(len(group) <= size for group in groups) <= most]
    limit = max(fitting, default=sizes[min(1, len(sizes) - 1)])
    kept = groups.subgraph([group for group in groups if len(group) <= limit])
    depths = nx.single_source_shortest_path_length(kept, REGULAR)
    result: nx.DiGraph[Group] = nx.DiGraph(kept.subgraph(depths))
    for group, depth in depths.items():
        result.nodes[group]["members"] = replace(groups.nodes[group]["members"], depth=depth)
    return result

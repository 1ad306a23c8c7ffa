"""A graph as a file: GraphML, DOT, JSON or SVG; and what it shows as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import networkx as nx
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tricklaw.reports._graph_picture import picture
from tricklaw.solver.graph import DEAL, HANDS, Act, Graph, Passage, Situation, Trap, edges, situations


class Format(StrEnum):
    """What a graph is written as."""

    GRAPHML = "graphml"
    DOT = "dot"
    JSON = "json"
    SVG = "svg"


def svg(found: Graph) -> str:
    """A picture to look at, of what at most one irregular act leads to."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    irregular = min(1, max(done.round.irregular for done in found.rounds))
    return environment.get_template("graph.svg.j2").render(p=picture(found, irregular))


def graphml(found: Graph) -> str:
    """GraphML with plain attributes: lists are joined, `; ` in nodes and a line for each act in edges."""
    plain: nx.DiGraph[int] = nx.DiGraph(code=found.system.code.id, game=found.system.game)
    for node, d in found.digraph.nodes(data=True):
        situation = d["situation"]
        plain.add_node(node, label=_label(situation), irregular=d["irregular"], depth=d["depth"], **_flat(situation))
    for before, after, acts in edges(found.digraph):
        plain.add_edge(before, after, acts="\n".join(map(str, acts)), **_flat_acts(acts))
    return "\n".join(nx.generate_graphml(plain)) + "\n"


def _label(situation: Situation | None) -> str:
    return "deal" if situation is None else str(situation)


def _flat(situation: Situation | None) -> dict[str, Any]:
    if situation is None:
        return {}
    matters = "; ".join(map(str, sorted(situation.matters)))
    return {"stage": situation.stage, "matters": matters, "regular": situation.regular, "over": situation.over}


def _flat_acts(acts: Sequence[Act]) -> dict[str, Any]:
    clauses = dict.fromkeys(clause for act in acts for clause in act.clauses)
    return {"lawful": any(act.lawful for act in acts), "clauses": "; ".join(clauses)}


def dot(found: Graph) -> str:
    """DOT, for Graphviz: edges without a lawful act are red."""
    lines = [f"digraph {_quoted(f'{found.system.code.id}:{found.system.game}')} {{", "rankdir=LR; node [shape=box];"]
    lines += [f'{DEAL} [label="deal"];']
    lines += [f"{node} [label={_quoted(str(situation))}];" for node, situation in situations(found.digraph)]
    for before, after, acts in edges(found.digraph):
        colour = "" if not acts or any(act.lawful for act in acts) else ", color=red"
        lines.append(f"{before} -> {after} [label={_quoted(chr(10).join(map(str, acts)))}{colour}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def node_link(found: Graph) -> str:
    """JSON in networkx's node-link form, with all that nodes and edges tell."""
    full: nx.DiGraph[int] = nx.DiGraph(code=found.system.code.id, game=found.system.game, scope=found.scope)
    for node, d in found.digraph.nodes(data=True):
        full.add_node(node, irregular=d["irregular"], depth=d["depth"], **_situation(d["situation"]))
    for before, after, acts in edges(found.digraph):
        full.add_edge(before, after, acts=[_act(act) for act in acts])
    return json.dumps(nx.node_link_data(full, edges="edges"), separators=(",", ":")) + "\n"


def _situation(s: Situation | None) -> dict[str, Any]:
    if s is None:
        return {"label": "deal"}
    rights = {right: list(who) for right, who in s.open.items()}
    dormant = {right: list(who) for right, who in s.dormant.items()}
    demands = [{"right": r, "demand": option, "bound": list(who)} for (r, option), who in s.demands.items()]
    return {
        "label": str(s), "stage": s.stage, "matters": [str(m) for m in sorted(s.matters)], "played": list(s.played),
        "proper_leader": list(s.proper), "flags": sorted(s.flags), "liable": list(s.liable), "open": rights,
        "dormant": dormant, "demands": demands,
    } | ({"partners": [list(p) for p in s.partners]} if s.partners else {})  # fmt: skip


def _act(act: Act) -> dict[str, Any]:
    clauses = {"broken": act.broken, "set_off": act.set_off, "relied_on": act.relied_on}
    told = {key: list(value) for key, value in clauses.items() if value}
    return {"kind": act.kind.name, "who": HANDS[act.who], "lawful": act.lawful, **told}


WRITERS: Mapping[Format, Callable[[Graph], str]] = {
    Format.GRAPHML: graphml,
    Format.DOT: dot,
    Format.JSON: node_link,
    Format.SVG: svg,
}


def data(found: Graph) -> dict[str, Any]:
    """What the graph shows, as plain data; nodes by the numbers that they have in the files."""
    says = {clause.id: clause.says for clause in found.system.code.clauses}
    return {
        "code": found.system.code.id,
        "game": found.system.game,
        "situations": len(found.digraph) - 1,
        "edges": found.digraph.size() - found.digraph.out_degree(DEAL),
        "scope": found.scope,
        "states": sum(done.states for done in found.rounds),
        "transitions": sum(done.transitions for done in found.rounds),
        "seconds": round(found.seconds, 1),
        "stuck": [_node(found, n) | {"play": found.stuck_play(n)} for n in found.stuck],
        "dead_ends": [_node(found, n) | {"play": found.play(n)} for n in found.dead_ends],
        "lawful_dead_ends": [_node(found, n) | {"play": found.play(n)} for n in found.lawful_dead_ends],
        "traps": [_trap(found, trap) for trap in found.traps],
        "lawful_traps": [_trap(found, trap) for trap in found.lawful_traps],
        "left_over": [_node(found, n) | {"play": found.play(n)} for n in found.left_over],
        "unused": [{"clause": u.clause, "says": says[u.clause], "reason": u.reason} for u in found.unused],
        "passages": [_passage(found, passage) for passage in found.passages],
    }


def _node(found: Graph, node: int) -> dict[str, Any]:
    return {"node": node, "situation": str(found.situation(node)), "irregular": found.digraph.nodes[node]["irregular"]}


def _trap(found: Graph, trap: Trap) -> dict[str, Any]:
    return {"nodes": [_node(found, n) for n in trap.nodes], "before": list(trap.before)}


def _passage(found: Graph, passage: Passage) -> dict[str, Any]:
    told = {key: getattr(passage, key) for key in ("nodes", "irregular", "acts", "broken", "set_off")}
    return {"matter": str(passage.matter), **told, "through": [_node(found, n) for n in passage.through]}

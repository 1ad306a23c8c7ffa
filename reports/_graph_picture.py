"""The picture of a graph in words: what stands in its boxes, what a reader is told who points at them, the notes below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from textwrap import shorten

import networkx as nx

from tricklaw.reports._graph_layout import MARGIN, NOTE, WIDTH, Box, Entry, Line, Picture, below, ordered, path, place
from tricklaw.solver.graph import HANDS, REGULAR, Act, Graph, Group, Matter, condensed, edges, hands, simplest

MOST_BOXES = 64

TITLE_WIDTH = 44
"""Characters that fit into a box."""

STEPS = ("", "one irregular act", "one step later", "two steps later", "three steps later", "four steps later", "later")


def picture(graph: Graph, irregular: int = 1) -> Picture:
    """The picture of a graph, up to so many irregular acts."""
    every = condensed(graph.digraph, irregular)
    groups = simplest(every, MOST_BOXES)
    painter = _Painter(graph, groups, irregular, len(every) - len(groups))
    columns = ordered(groups)
    boxes = {group: painter.box(group) for group in groups}
    place(columns, boxes)
    lines = sorted(painter.lines(boxes), key=lambda line: ("on" in line.look, "unlawful" in line.look))
    heads = [(boxes[column[0]].x, STEPS[min(at, len(STEPS) - 1)]) for at, column in enumerate(columns)]
    width = max(box.x for box in boxes.values()) + WIDTH + MARGIN
    bottom = max(box.y + box.height for box in boxes.values()) + MARGIN
    notes = below(painter.notes(), width, bottom)
    height = max(note.y + 20 + NOTE * len(note.lines) for note in notes) + MARGIN
    title = f"{graph.system.code.head.title}: {graph.system.game}"
    return Picture(title, painter.subtitle(irregular), list(boxes.values()), lines, heads, notes, width, height)


class _Painter:
    """Makes boxes and lines of groups and edges."""

    def __init__(self, graph: Graph, groups: nx.DiGraph[Group], irregular: int, left_out: int) -> None:
        self.graph, self.groups, self.left_out = graph, groups, left_out
        self.says = {clause.id: clause.says for clause in graph.system.code.clauses}
        self.dead = {n for n in graph.stuck if graph.stuck_after(n) <= irregular}

    def subtitle(self, irregular: int) -> list[str]:
        """What is drawn, and what it is complete over."""
        d, acts = self.graph.digraph, "one irregular act" if irregular == 1 else f"{irregular} irregular acts"
        drawn = f"What can be irregular at the table after {acts}, whoever it concerns and whatever the stage of the trick: "
        drawn += f"{len(self.groups)} groups of situations"
        drawn += f", {self.left_out} more complicated ones left out" if self.left_out else ""
        drawn += f". The whole graph has {len(d) - 1:,} situations, {d.size():,} edges."
        scope = "; ".join(str(done) for done in self.graph.rounds)
        return [drawn, f"Complete over: {scope}." if self.graph.complete else f"Not complete. Explored: {scope}."]

    def box(self, group: Group) -> Box:
        """A group as a box."""
        members = self.groups.nodes[group]["members"]
        if group == REGULAR:
            return Box([Entry("plain", "regular play", "to the end of the hand")], [], "Nothing is irregular.", True)
        situations = [self.graph.situation(n) for n in members.nodes]
        entries = [self._entry(matter, members.nodes) for matter in sorted(group, key=_rank)]
        tags = [Entry("count", f"after: {', '.join(self._after(group))}")]
        back = ", which may end in regular play" if self.groups.has_edge(group, REGULAR) else ""
        tags.append(Entry("count", f"{len(situations)} situation{'' if len(situations) == 1 else 's'}{back}"))
        if any(s.over for s in situations):
            tags.append(Entry("count", "may outlast the hand"))
        if dead := [n for n in members.nodes if n in self.dead]:
            tags.append(Entry("dead", f"play may stick in {len(dead)} of them: no lawful act is left"))
        return Box(entries, tags, self._tip(group, members.nodes))

    def _after(self, group: Group) -> list[str]:
        """The acts that lead to a group from the column before it; where they are many, only some."""
        depth = self.groups.nodes[group]["members"].depth
        before = (b for b in self.groups.predecessors(group) if self.groups.nodes[b]["members"].depth == depth - 1)
        found = sorted({str(act.kind.do) for b in before for act in self.groups.edges[b, group]["acts"]})
        return found if len(", ".join(found)) < TITLE_WIDTH else [*found[:2], f"{len(found) - 2} other acts"]

    def _entry(self, matter: Matter, nodes: Iterable[int]) -> Entry:
        whom = self._whom(matter, nodes)
        name = (
            shorten(self.graph.system.rights[matter.right].name, TITLE_WIDTH, placeholder=" …") if matter.right else ""
        )
        match matter.what:
            case "right open":
                return Entry("open", f"{matter.right} open", f"{name}")
            case "right dormant":
                return Entry("dormant", f"{matter.right} dormant", f"{name}")
            case "demand":
                return Entry("exacted", f"{matter.right} exacted", f"{whom} bound" if whom else name)
            case "lead out of turn" | "lead out of turn, noticed":
                return Entry("false", matter.what)
            case "a card liable to be called":
                return Entry("liable", matter.what, f"with {whom}" if whom else "")
            case _:
                return Entry("other", matter.what)

    def _whom(self, matter: Matter, nodes: Iterable[int]) -> str:
        """Whom it concerns in some situation: `second or third hand`; empty if that may be anybody."""
        found = sorted({i for n in nodes for i in _concerned(self.graph, n, matter)})
        return "" if len(found) == self.graph.system.seats else hands(found).replace(" and ", " or ")

    def _tip(self, group: Group, nodes: Sequence[int]) -> str:
        rights = dict.fromkeys(m.right for m in sorted(group, key=_rank) if m.right)
        against = [
            f"{m} against {whom}"
            for m in sorted(group, key=_rank)
            if m.what == "right open" and (whom := self._whom(m, nodes))
        ]
        play = self.graph.play(min(nodes, key=lambda n: (self.graph.digraph.nodes[n]["depth"], n)))
        return "\n".join([*against, *(self._says(r) for r in rights), "", "For example:", *play])

    def _says(self, clause: str) -> str:
        return f"{clause}: {self.says[clause]}" if clause in self.says else clause

    def lines(self, boxes: Mapping[Group, Box]) -> Iterator[Line]:
        """The edges, but for those back to regular play, of which the boxes tell."""
        for before, after, acts in edges(self.groups):
            if after == REGULAR:
                continue
            look = "lawful" if any(act.lawful for act in acts) else "unlawful"
            on = "on" if boxes[after].x > boxes[before].x else "back"
            yield Line(path(boxes[before], boxes[after]), f"{look} {on}", self._acts(acts))

    def _acts(self, acts: Sequence[Act]) -> str:
        """The acts of an edge, each with all who may do it, and the clauses that come in."""
        who: dict[tuple[str, bool], set[int]] = {}
        for act in acts:
            who.setdefault((act.kind.name, act.lawful), set()).add(act.who)
        told = [
            f"{hands(sorted(by)) if len(by) < self.graph.system.seats else 'anybody'}: {kind}{'' if lawful else ' (unlawful)'}"
            for (kind, lawful), by in sorted(who.items(), key=lambda item: (not item[0][1], item[0][0]))
        ]
        clauses = dict.fromkeys(c for act in acts for c in act.clauses)
        return "\n".join([*told, "", *(self._says(c) for c in clauses)])

    def notes(self) -> Iterator[tuple[str, list[str]]]:
        """What is told below the picture."""
        g = self.graph
        unused = [f"{u.clause}: {u.reason}" for u in g.unused if "readings" not in u.reason]
        yield "Clauses that no path uses", unused or ["none"]
        ends = [line for n in g.stuck for line in (f"{g.situation(n)}:", f"    {'; '.join(g.stuck_play(n))}")]
        yield f"Where play may stick, no lawful act being left ({len(g.stuck)})", ends or ["none"]
        left = dict.fromkeys(str(m) for n in g.left_over for m in sorted(g.situation(n).matters) if "right" in m.what)
        yield "What may be left at the end of the hand, beyond settling", list(left) or ["none"]


def _concerned(graph: Graph, node: int, matter: Matter) -> Iterable[int]:
    situation = graph.situation(node)
    match matter.what:
        case "right open":
            return situation.open.get(matter.right, ())
        case "demand":
            return chain(*(who for (right, _), who in situation.demands.items() if right == matter.right))
        case "a card liable to be called":
            return [i for i, held in enumerate(situation.liable) if held]
        case _:
            return range(len(HANDS))


def _rank(matter: Matter) -> tuple[int, str]:
    order = ("lead out of turn", "lead out of turn, noticed", "a renounce on the table", "cards thrown together")
    return (
        order.index(matter.what)
        if matter.what in order
        else len(order) + (matter.what != "a card liable to be called"),
        str(matter),
    )

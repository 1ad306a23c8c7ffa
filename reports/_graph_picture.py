"""The picture of a graph: groups of situations in columns, each a step further from regular play, and what leads on.

Layers as in Sugiyama's method: columns by breadth-first depth, their order by barycentres, swept to and fro.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from textwrap import shorten, wrap

import networkx as nx

from tricklaw.solver.graph import HANDS, REGULAR, Act, Graph, Group, Matter, condensed, edges, hands

WIDTH, GAP, SPACE = 292, 108, 16
"""Of a box, between columns, between boxes of a column; in pixels, as all lengths here."""

LINE, SUB, PAD = 17, 14, 10
MARGIN, TOP = 36, 168
NOTE = 17
MOST_LINES = 14
SWEEPS = 24
TITLE_WIDTH = 44
"""Characters that fit into a box."""


LEGEND = (
    ("open", "a right is open"),
    ("dormant", "a right is dormant"),
    ("exacted", "a demand is in force"),
    ("liable", "a card is liable"),
    ("false", "a lead out of turn"),
    ("other", "something else"),
)


@dataclass
class Entry:
    """One matter in a box: how it is coloured, what it is, and a remark."""

    look: str
    text: str
    remark: str = ""
    y: float = 0
    remark_y: float = 0


@dataclass
class Box:
    """A group of situations.

    Attributes:
        entries: what is irregular.
        tags: what else is to be said, each with its look.
        tip: what a reader is told who points at it.
        plain: nothing is irregular: it is drawn as where all begins.
    """

    entries: list[Entry]
    tags: list[Entry]
    tip: str
    plain: bool = False
    x: float = 0
    y: float = 0

    @property
    def height(self) -> float:
        """Of the box."""
        lines = sum(LINE + (SUB if e.remark else 0) for e in self.entries)
        return 2 * PAD + lines + SUB * len(self.tags) + (4 if self.tags else 0)

    @property
    def middle(self) -> float:
        """Where lines end."""
        return self.y + self.height / 2

    def settle(self) -> None:
        """Give its lines their places, from its top."""
        y: float = PAD
        for entry in self.entries:
            entry.y = y + 13
            y += LINE
            if entry.remark:
                entry.remark_y = y + 10
                y += SUB
        for tag in self.tags:
            tag.y = y + 4 + 10
            y += SUB


@dataclass(frozen=True)
class Line:
    """An edge: its path, whether it is unlawful, whether it leads on (or back or aside), and what a reader is told."""

    path: str
    look: str
    tip: str


@dataclass
class Note:
    """What is told below the picture."""

    head: str
    lines: list[str]
    x: float = 0
    y: float = 0


@dataclass
class Picture:
    """All that is drawn."""

    title: str
    subtitle: list[str]
    boxes: list[Box]
    lines: list[Line]
    heads: list[tuple[float, str]]
    notes: list[Note]
    width: float
    height: float
    legend: Sequence[tuple[str, str]] = field(default_factory=lambda: LEGEND)
    box_width: float = WIDTH
    heads_y: float = TOP - 18


STEPS = ("", "one irregular act", "one step later", "two steps later", "three steps later", "four steps later", "later")


def picture(graph: Graph, irregular: int = 1) -> Picture:
    """The picture of a graph, up to so many irregular acts."""
    groups = condensed(graph.digraph, irregular)
    painter = _Painter(graph, groups, irregular)
    columns = _ordered(groups)
    boxes = {group: painter.box(group) for group in groups}
    _place(columns, boxes)
    lines = sorted(painter.lines(boxes), key=lambda line: ("on" in line.look, "unlawful" in line.look))
    heads = [(boxes[column[0]].x, STEPS[min(at, len(STEPS) - 1)]) for at, column in enumerate(columns)]
    width = max(box.x for box in boxes.values()) + WIDTH + MARGIN
    bottom = max(box.y + box.height for box in boxes.values()) + MARGIN
    notes = _below(painter.notes(), width, bottom)
    height = max(note.y + 20 + NOTE * len(note.lines) for note in notes) + MARGIN
    title = f"{graph.system.code.head.title}: {graph.system.game}"
    return Picture(title, painter.subtitle(irregular), list(boxes.values()), lines, heads, notes, width, height)


def _below(told: Iterable[tuple[str, list[str]]], width: float, y: float) -> list[Note]:
    """Notes side by side, wrapped to their columns and cut where they are long."""
    notes = [Note(head, lines, y=y + 16) for head, lines in told]
    column = (width - 2 * MARGIN) / len(notes)
    for at, note in enumerate(notes):
        note.x = MARGIN + at * column
        wrapped = list(chain(*(wrap(line, int(column / 6.4), subsequent_indent="    ") for line in note.lines)))
        more = ["... and more"] if len(wrapped) > MOST_LINES else []
        note.lines = [*wrapped[:MOST_LINES], *more]
    return notes


# layout ----------------------------------------------------------------------------------------------------------------


def _ordered(groups: nx.DiGraph[Group]) -> list[list[Group]]:
    """The columns, each in an order that crosses few lines."""
    depth: dict[Group, int] = {group: groups.nodes[group]["members"].depth for group in groups}
    columns: list[list[Group]] = [[] for _ in range(max(depth.values()) + 1)]
    for group in sorted(groups, key=lambda g: sorted(map(str, g))):
        columns[depth[group]].append(group)
    for sweep in range(SWEEPS):
        place = {group: at / len(column) for column in columns for at, group in enumerate(column)}
        for column in columns[1:] if sweep % 2 else columns[::-1]:
            side = -1 if sweep % 2 else 1
            weight = {g: _barycentre(groups, g, depth, place, side) for g in column}
            column.sort(key=weight.__getitem__)
            place |= {group: at / len(column) for at, group in enumerate(column)}
    return columns


def _barycentre(
    groups: nx.DiGraph[Group], group: Group, depth: Mapping[Group, int], place: Mapping[Group, float], side: int
) -> float:
    """The mean place of the neighbours in the next column on one side; where there are none, its own."""
    near = {n for n in chain(groups.successors(group), groups.predecessors(group)) if depth[n] == depth[group] + side}
    return sum(place[n] for n in near) / len(near) if near else place[group]


def _place(columns: Sequence[Sequence[Group]], boxes: Mapping[Group, Box]) -> None:
    """Columns from left to right, each centred."""
    heights = [sum(boxes[g].height + SPACE for g in column) - SPACE for column in columns]
    for at, column in enumerate(columns):
        y = TOP + (max(heights) - heights[at]) / 2
        for group in column:
            box = boxes[group]
            box.x, box.y = MARGIN + at * (WIDTH + GAP), y
            box.settle()
            y += box.height + SPACE


def _path(a: Box, b: Box) -> str:
    """A curve from one box to another: on to the right, or out and in on the right side where they share a column."""
    if b.x > a.x:
        x, end = a.x + WIDTH, b.x
        bend = (end - x) / 2
        return f"M{x:.0f},{a.middle:.1f} C{x + bend:.0f},{a.middle:.1f} {end - bend:.0f},{b.middle:.1f} {end:.0f},{b.middle:.1f}"
    if b.x < a.x:
        x, end = a.x, b.x + WIDTH
        bend = (x - end) / 2
        return f"M{x:.0f},{a.middle:.1f} C{x - bend:.0f},{a.middle:.1f} {end + bend:.0f},{b.middle:.1f} {end:.0f},{b.middle:.1f}"
    x = a.x + WIDTH
    return f"M{x:.0f},{a.middle:.1f} C{x + GAP * 0.6:.0f},{a.middle:.1f} {x + GAP * 0.6:.0f},{b.middle:.1f} {x:.0f},{b.middle:.1f}"


# words -----------------------------------------------------------------------------------------------------------------


class _Painter:
    """Makes boxes and lines of groups and edges."""

    def __init__(self, graph: Graph, groups: nx.DiGraph[Group], irregular: int) -> None:
        self.graph, self.groups = graph, groups
        self.says = {clause.id: clause.says for clause in graph.system.code.clauses}
        self.dead = {n for n in graph.stuck if graph.stuck_after(n) <= irregular}

    def subtitle(self, irregular: int) -> list[str]:
        """What is drawn, and what it is complete over."""
        d, acts = self.graph.digraph, "one irregular act" if irregular == 1 else f"{irregular} irregular acts"
        drawn = f"What can be irregular at the table after {acts}, whoever it concerns and whatever the stage of the trick: "
        drawn += f"{len(self.groups)} groups of situations. The whole graph has {len(d) - 1:,} situations, {d.size():,} edges."
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
            yield Line(_path(boxes[before], boxes[after]), f"{look} {on}", self._acts(acts))

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

"""How the picture of a graph is laid out: boxes in columns, each a step further from regular play, and lines between.

Layers as in Sugiyama's method: columns by breadth-first depth, their order by barycentres, swept to and fro.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from textwrap import wrap

import networkx as nx

from tricklaw.solver.graph import Group

WIDTH, GAP, SPACE = 292, 108, 16
"""Of a box, between columns, between boxes of a column; in pixels, as all lengths here."""

LINE, SUB, PAD = 17, 14, 10
MARGIN, TOP = 36, 168
NOTE = 17
MOST_LINES = 14
SWEEPS = 24


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


def below(told: Iterable[tuple[str, list[str]]], width: float, y: float) -> list[Note]:
    """Notes side by side, wrapped to their columns and cut where they are long."""
    notes = [Note(head, lines, y=y + 16) for head, lines in told]
    column = (width - 2 * MARGIN) / len(notes)
    for at, note in enumerate(notes):
        note.x = MARGIN + at * column
        wrapped = list(chain(*(wrap(line, int(column / 6.4), subsequent_indent="    ") for line in note.lines)))
        more = ["... and more"] if len(wrapped) > MOST_LINES else []
        note.lines = [*wrapped[:MOST_LINES], *more]
    return notes


def ordered(groups: nx.DiGraph[Group]) -> list[list[Group]]:
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


def place(columns: Sequence[Sequence[Group]], boxes: Mapping[Group, Box]) -> None:
    """Columns from left to right, each centred."""
    heights = [sum(boxes[g].height + SPACE for g in column) - SPACE for column in columns]
    for at, column in enumerate(columns):
        y = TOP + (max(heights) - heights[at]) / 2
        for group in column:
            box = boxes[group]
            box.x, box.y = MARGIN + at * (WIDTH + GAP), y
            box.settle()
            y += box.height + SPACE


def path(a: Box, b: Box) -> str:
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

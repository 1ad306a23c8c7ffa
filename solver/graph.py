"""The reachable irregularity states of a code as a graph: which situations there are, and which acts lead between them.

A node is a situation: what is irregular about a table and at what stage the trick is, with the players told as first hand
to fourth, but no card. Nodes and edges are computed by the compiled model itself; see `Situation` for what a node keeps
and `Act` for what an edge tells. What the graph is complete over, `Graph.scope` says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import networkx as nx

from tricklaw.model.law import Code
from tricklaw.model.system import System
from tricklaw.model.table import arrangements
from tricklaw.solver import _graph_lists as lists
from tricklaw.solver._graph_chart import Chart
from tricklaw.solver._graph_condense import REGULAR, Group, Members, condensed, simplest
from tricklaw.solver._graph_explore import Found, Round, deck_of, explore_all, starts
from tricklaw.solver._graph_lists import Passage, Trap, Unused
from tricklaw.solver._graph_merge import DEAL, Act, edges, merged, situations, told
from tricklaw.solver._graph_states import HANDS, Matter, Situation, hands

__all__ = [
    "DEAL", "HANDS", "REGULAR", "ROUNDS", "Act", "Graph", "Group", "Matter", "Members", "Passage", "Round", "RoundDone",
    "Situation", "Trap", "Unused", "condensed", "draw", "edges", "hands", "simplest", "situations",
    "usual_rounds",
]  # fmt: skip

ROUNDS = (Round(1, 2), Round(2, 1), Round(2, 2, 2))
"""What is explored unless told: deals of one card each with two irregular acts, of two cards with one, two with two.

The last only where the sides are fixed: with several arrangements there are too many situations.
"""

MOST_STATES = 5_000_000
"""States kept at a time in each thread."""


@dataclass(frozen=True)
class RoundDone:
    """What a round came to: its starts, the states reached from them and the transitions, and whether none were left out."""

    round: Round
    starts: int
    states: int
    transitions: int
    complete: bool

    def __str__(self) -> str:
        r = self.round
        dealt = "every deal of one card each from two suits of two cards"
        if r.cards > 1:
            dealt = f"deals of {r.cards} cards each, one for each way to divide two suits among the hands"
        if r.most is not None:
            dealt = f"{self.starts} deals of {r.cards} card{'' if r.cards == 1 else 's'} each"
        acts = f"{r.irregular} irregular act{'' if r.irregular == 1 else 's'}"
        return f"{dealt}, at most {acts}" + ("" if self.complete else " (broken off: too many states)")


@dataclass(frozen=True)
class Graph:
    """The graph of a game of a code, with what can be read off it.

    Attributes:
        chart: the compiled system.
        digraph: nodes by number, with `situation`, fewest `irregular` acts, `depth`, `play`, `stuck`; edges with `acts`. Acts that
            change nothing of a situation and bring in no clause are left out.
        rounds: what was explored.
        seconds: how long that took.
    """

    chart: Chart
    digraph: nx.DiGraph[int]
    rounds: tuple[RoundDone, ...]
    seconds: float

    @property
    def system(self) -> System:
        """The system that was explored."""
        return self.chart.system

    @property
    def complete(self) -> bool:
        """Whether every state within the bounds was expanded."""
        return all(done.complete for done in self.rounds)

    @property
    def scope(self) -> dict[str, object]:
        """What the graph is complete over."""
        s, names = self.system, self.system.view.names
        sides = [[[n for i, n in enumerate(names) if g >> i & 1] for g in groups] for groups in s.arrangements]
        return {
            "deck": f"{s.deck.suits} suits of {s.deck.ranks} cards",
            "deals": [str(done) for done in self.rounds],
            "leader": f"{names[0]}; no law tells the seats apart, so it stands for each",
            "trumps": "none, or the first suit",
            "sides": sides,
            "readings": {key: choices[0] for key, choices in s.readings.items()},
            "acts": "every kind of act by every player, with each card that it can concern; cards are thrown together in "
            "twos, shown by one or two, and named by who holds them; rights are waived where they are open or pending",
            "complete": self.complete,
        }

    def situation(self, node: int) -> Situation:
        """What a node stands for."""
        found: Situation = self.digraph.nodes[node]["situation"]
        return found

    def play(self, node: int) -> list[str]:
        """A shortest play that was found to a node, in sentences: the deal, then act by act."""
        return told(self.chart, self.digraph.nodes[node]["play"])

    def stuck_play(self, node: int) -> list[str]:
        """The same to a state of the node that no lawful act leads on from; see `stuck`."""
        return told(self.chart, self.digraph.nodes[node]["stuck"])

    def stuck_after(self, node: int) -> int:
        """How many irregular acts that play has: the fewest found."""
        return int(self.digraph.nodes[node]["stuck"].irregular)

    # lists ---------------------------------------------------------------------------------------------------------

    @cached_property
    def lawful(self) -> nx.DiGraph[int]:
        """The same situations with the edges that have a lawful act; complete whatever the bound on irregular acts."""
        return lists.lawful_part(self.digraph)

    @cached_property
    def stuck(self) -> tuple[int, ...]:
        """Situations with a state in which no lawful act changes anything at all, the end of the hand not counted.

        This looks at states themselves: of the situations that merge them some other state may well lead on.
        """
        return tuple(n for n, play in self.digraph.nodes(data="stuck") if play)

    @cached_property
    def dead_ends(self) -> tuple[int, ...]:
        """Situations that no act within the bounds leads out of, the end of the hand not counted."""
        return lists.dead_ends(self.digraph)

    @cached_property
    def lawful_dead_ends(self) -> tuple[int, ...]:
        """Situations that no lawful act leads out of, the end of the hand not counted."""
        return lists.dead_ends(self.lawful)

    @cached_property
    def traps(self) -> tuple[Trap, ...]:
        """Situations from which no acts within the bounds lead back to regular play or to the end of the hand."""
        return lists.traps(self.digraph)

    @cached_property
    def lawful_traps(self) -> tuple[Trap, ...]:
        """Situations from which no lawful acts lead back to regular play or to the end of the hand."""
        return lists.traps(self.lawful)

    @cached_property
    def left_over(self) -> tuple[int, ...]:
        """Ends of the hand in which a right is open or dormant that no act can settle any more."""
        return lists.left_over(self.digraph)

    @cached_property
    def unused(self) -> tuple[Unused, ...]:
        """Clauses that no path uses."""
        return lists.unused(self.digraph, self.system)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """For each irregular matter what every path from the deal to it passes."""
        return lists.passages(self.digraph)


def draw(
    code: Code,
    game: str,
    rounds: Sequence[Round] = (),
    *,
    cache: Path | None = None,
    most_states: int = MOST_STATES,
    tell: Callable[[str], None] | None = None,
) -> Graph:
    """The graph of a game of a code.

    Args:
        code: the code, restricted to the game and to the layers wanted.
        game: the game.
        rounds: what to explore; `ROUNDS` unless told.
        cache: where machine code is kept between runs; nowhere if none.
        most_states: states kept at a time in each thread; where there are more, all is broken off.
        tell: called with a line on how far it is.
    """
    started = time.perf_counter()
    if tell:
        tell("compiling the law")
    rounds = rounds or usual_rounds(code, game)
    chart = Chart(System(code, game, deck_of(rounds, code.head.seats)), cache)
    found = explore_all(chart, rounds, most_states, tell)
    if tell:
        tell("putting the graph together")
    done = tuple(_done(r, len(starts(chart, r)), parts) for r, parts in zip(rounds, found, strict=True))
    digraph = merged(chart, [part for parts in found for part in parts])
    return Graph(chart, digraph, done, time.perf_counter() - started)


def usual_rounds(code: Code, game: str) -> Sequence[Round]:
    """What is explored of a game unless told."""
    several = len(arrangements(code.head.games[game].sides, code.head.seats)) > 1
    return ROUNDS[:-1] if several else ROUNDS


def _done(round_: Round, count: int, parts: Sequence[Found]) -> RoundDone:
    complete = all(part.complete for part in parts)
    return RoundDone(round_, count, sum(p.states for p in parts), sum(p.transitions for p in parts), complete)

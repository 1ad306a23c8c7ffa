"""Refutation of the parts of a table: plays found on the small deck, replayed on the full pack under every reading.

Explorations begin from deals under many assignments of readings, the recommended one among them, so that a play that only
some readings allow is met as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from tricklaw.model.terms import Bool
from tricklaw.solver import readings as rd
from tricklaw.solver.compiled import MOST_ACT_CLAIMS, Compiled
from tricklaw.solver.induction import Engine
from tricklaw.solver.plays import Play, Player, Spot
from tricklaw.solver.readings import Assignment, Undecided
from tricklaw.solver.roaming import AIMLESS, ROAMS, TOGETHER, Roam, Roamer
from tricklaw.solver.search import LOOK_AGAIN, PREMISES, QUICK, ROUNDS, Found, Round, Searcher
from tricklaw.solver.table import Table
from tricklaw.solver.unrolling import STARTS, Unroller

MIXED = 16
"""How many assignments of readings explorations begin under, at most."""

LAST = 7
"""How many of the last states on the way of a play are gone on from."""


WRONG_AT_ONCE = (Round(1, 24, 2, 100_000), Round(2, 8, 2, 150_000))
"""The exploration for ways to go wrong that nothing follows from."""

SOONER = 3
"""By how many acts a play may be shorter where the last act is what matters: a way to go wrong."""


class Refuter:
    """What plays refute of a table, and under which assignments of readings."""

    def __init__(
        self,
        small: Table,
        full: Table,
        everything: Sequence[Assignment],
        guesses: Mapping[str, Bool],
        cache: Path | None,
        engine: Engine,
    ) -> None:
        self.small, self.full, self.everything, self.cache, self.engine = small, full, everything, cache, engine
        compiled = Compiled(small.system, small.parts, cache, guesses)
        self.searcher, self.unroller = Searcher(compiled, engine.tell), Unroller(compiled, everything, engine)
        self.exposing = Unroller(compiled, everything, engine, exposing=True)
        self.found = Found()
        self._dead: dict[Assignment, set[str]] = {}
        self.refuted: dict[str, set[Assignment]] = {}
        self.plays: dict[str, Play] = {}
        """The play that is shown for each part refuted."""

    # the first exploration -----------------------------------------------------------------------------------------

    def explore_quickly(self) -> None:
        """Find what is easily refuted, and states that make guesses false."""
        self.searcher.search(self.found, self.small.parts, self._mixed(self.everything), QUICK)
        self._dead = self.searcher.sieve(self.found)

    def explore_unwatched(self) -> None:
        """The same for the parts that are not watched for otherwise, some at a time: their acts are wrong at once."""
        mixed, parts = self._mixed(self.everything), [n for n, p in self.small.parts.items() if not p.watched]
        for first in range(0, len(parts), MOST_ACT_CLAIMS):
            batch = {n: replace(self.small.parts[n], watched=True) for n in parts[first : first + MOST_ACT_CLAIMS]}
            searcher = Searcher(Compiled(self.small.system, batch, self.cache), self.engine.tell)
            searcher.search(self.found, batch, mixed, WRONG_AT_ONCE, batch)

    def roam_unwatched(self, undecided: Undecided) -> None:
        """Go further from the deal for those of the unwatched parts that a play is to show."""
        names = [n for n in undecided if self.small.parts[n].exists]
        for first in range(0, len(names), MOST_ACT_CLAIMS):
            batch = {n: replace(self.small.parts[n], watched=True) for n in names[first : first + MOST_ACT_CLAIMS]}
            searcher, found = Searcher(Compiled(self.small.system, batch, self.cache), self.engine.tell), Found()
            for roam in TOGETHER:
                Roamer(searcher, found, batch, self._mixed(self.everything), roam).run()
            self._keep(found)

    def wander(self) -> None:
        """Find more of both, further from the deal."""
        Roamer(self.searcher, self.found, (), self._mixed(self.everything), AIMLESS).run()
        self._dead = self.searcher.sieve(self.found)

    def false(self, under: Iterable[Assignment]) -> set[str]:
        """The guesses that some state reached under these readings makes false, and the parts refuted; known so far."""
        dead = self._dead
        return set(self.found.plays).union(*(dead.get(a, ()) for a in under))

    def explore(self, names: Sequence[str], likely: Sequence[str]) -> None:
        """Look for plays that violate what is not inductive, and for the premises of what is."""
        mixed = self._mixed(self.everything)
        self.searcher.search(self.found, names, mixed, ROUNDS)
        self._roam(self.found, names, mixed, TOGETHER)
        self.searcher.search(self.found, (), mixed, PREMISES, likely)

    def _mixed(self, among: Iterable[Assignment]) -> list[dict[str, str]]:
        """Some of the assignments, by name."""
        return [rd.named(self.small.system, a) for a in rd.some_of(among, MIXED)]

    def _roam(
        self, found: Found, names: Sequence[str], readings: Sequence[Mapping[str, str]], roams: Sequence[Roam]
    ) -> list[Spot]:
        """Roam for some parts; states that were come to."""
        spots: list[Spot] = []
        for roam in roams:
            left = [n for n in names if n not in found.plays]
            if left:
                roamer = Roamer(self.searcher, found, left, readings, roam)
                roamer.run()
                spots += roamer.some(STARTS // len(roams))
        return spots

    # what is still undecided ---------------------------------------------------------------------------------------

    def search_near(self, undecided: Undecided) -> None:
        """Explore from the deal under the readings left of each part."""
        for rest, together in rd.grouped(self._watched(undecided)).items():
            found = Found()
            self.searcher.search(found, together, self._mixed(sorted(rest)), LOOK_AGAIN)
            self._keep(found)

    def search_short(
        self, undecided: Undecided, depth: int, starts: Mapping[str, Sequence[Spot]] | None = None
    ) -> set[str]:
        """Ask a solver for plays of few acts, from the deal or going on from some states; the parts of which less is left."""
        less, player = set(), Player(self.searcher.compiled)
        watched = self._watched(undecided)
        others = {name: left for name, left in undecided.items() if name not in watched}
        searches = [self.unroller.search(watched, depth, starts), self.exposing.search(others, depth - SOONER)]
        for name, play in chain(*(searches if starts is None else searches[:1])):
            before = len(self.refuted.get(name, ()))
            self.replay(Found({name: player.reduced(play, name)}, {name: {}}))
            if len(self.refuted.get(name, ())) > before:
                less.add(name)
        return less

    def roam(self, undecided: Undecided) -> dict[str, list[Spot]]:
        """Roam for each part; the states come to, to go on from."""
        starts: dict[str, list[Spot]] = {}
        for rest, together in rd.grouped(self._watched(undecided)).items():
            for name in together:
                found = Found()
                starts[name] = self._roam(found, [name], self._mixed(sorted(rest)), ROAMS)
                self._keep(found)
        return starts

    def _watched(self, undecided: Undecided) -> Undecided:
        """Those that plays are watched for while states are explored."""
        return {name: left for name, left in undecided.items() if self.small.parts[name].watched}

    def meet_premises(self, names: Sequence[str], depth: int) -> None:
        """Look for plays that meet the premises of parts over acts that are not watched for."""
        wanted = {name: set(self.everything) for name in names if name not in self.found.met}
        self.found.met |= {name for name, _ in self.exposing.search(wanted, depth - SOONER, premises=True)}

    def search_along(self, undecided: Undecided, depth: int) -> set[str]:
        """The same going on from the states, latest first, of the play that refutes a part under other readings.

        Where the play itself does not refute the part, one that begins like it may.
        """
        player, starts = Player(self.searcher.compiled), dict[str, list[Spot]]()
        for name, play in self.plays.items():
            if name in undecided:
                trials = (replace(play, readings=readings) for readings in self._mixed(sorted(undecided[name])))
                starts[name] = [spot for trial in trials for spot in player.along(trial)[: -1 - LAST : -1]]
        return self.search_short(undecided, depth, starts)

    def _keep(self, found: Found) -> None:
        self.found.met |= found.met
        self.replay(found)

    @cached_property
    def player(self) -> Player:
        """Replays on the full pack."""
        return Player(Compiled(self.full.system, self.full.parts, self.cache))

    def replay(self, found: Found) -> None:
        """Replay plays on the full pack under every assignment of readings, as long as they may show more."""
        player = self.player
        for name, first in found.plays.items():
            for under, play in (((), first), *found.others[name].items()):
                if under in self.refuted.get(name, ()):
                    continue
                bad = player.violating(play, name, self.everything)
                if bad:
                    self.refuted.setdefault(name, set()).update(bad)
                    shown = replace(play, readings=rd.named(self.full.system, bad[0]))  # the most recommended of them
                    self.plays.setdefault(name, shown)

"""Refutation of the parts of a table: plays found on the small deck, replayed on the full pack under every reading.

Explorations begin from deals under many assignments of readings, the recommended one among them, so that a play that only
some readings allow is met as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from tricklaw.model.terms import Bool
from tricklaw.solver import readings as rd
from tricklaw.solver.compiled import Compiled, batches
from tricklaw.solver.induction import Engine
from tricklaw.solver.plays import Play, Player, Spot
from tricklaw.solver.readings import Assignment, Undecided
from tricklaw.solver.search import QUICK, Found, Searcher
from tricklaw.solver.table import Table
from tricklaw.solver.unrolling import STARTS, Unroller
from tricklaw.solver.walking import Walk, Walker

MIXED = 16
"""How many assignments of readings explorations begin under, at most."""

LAST = 7
"""How many of the last states on the way of a play are gone on from."""


FIRST = Walk(16)
"""The walk before invariants are looked for."""

UNWATCHED = Walk(6, 2, 3_000)
"""The walk for what is not watched for otherwise."""

ON, MORE, LONGER = Walk(24, 8, seed=1), Walk(4, 4, 10_000, seed=3), Walk(40, 40, 10_000, seed=2)
"""The walks for what is undecided, from the plays that are known: at first, before a solver is asked for plays that take
it long, and where nothing else has helped."""

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

    # walking and exploring -----------------------------------------------------------------------------------------

    def explore_quickly(self) -> None:
        """Find what is easily refuted, by plays as short as can be, and states that make guesses false."""
        self.searcher.search(self.found, self._watched_names(), self._mixed(self.everything), QUICK)

    def walk(self, walk: Walk) -> None:
        """Play at random, for violations, premises and states of all kinds."""
        self.walker.run(walk, self.everything)
        self._dead = self.searcher.sieve(self.found)

    @cached_property
    def walker(self) -> Walker:
        """Walks for all that is watched for."""
        names, player = self._watched_names(), self.player
        wanted = {name: set(self.everything) for name in names}
        for name, plays in self.found.others.items():
            for play in plays.values():
                wanted[name] -= set(player.violating(play, name, sorted(wanted[name])))
        return Walker(
            self.searcher, self.found, {name: left for name, left in wanted.items() if left}, names, self.player
        )

    def walk_unwatched(self) -> None:
        """The same for the parts that are not watched for otherwise, some at a time."""
        unwatched = {n: replace(p, watched=True) for n, p in self.small.parts.items() if not p.watched}
        for batch in batches(unwatched):
            searcher = Searcher(Compiled(self.small.system, batch, self.cache, quickly=True), self.engine.tell)
            found = Found(met=self.found.met)
            wanted, corpus = {n: set(self.everything) for n in batch}, self.walker.corpus
            Walker(searcher, found, wanted, batch, self.player, corpus).run(UNWATCHED, self.everything)
            self.found.plays |= found.plays
            self.found.others |= found.others

    def walk_on(self, undecided: Undecided, walk: Walk) -> dict[str, list[Spot]]:
        """Go on from the plays that are known, under the readings left of each part; states that meet its premise."""
        watched = self._watched(undecided)
        if not watched:
            return {}
        found = Found(met=self.found.met)
        walker = Walker(self.searcher, found, watched, whole=self.player, corpus=self.walker.corpus)
        trials = {name: self._under(self.found.plays[name], watched.get(name, ())) for name in self.found.plays}
        spots = [spot for plays in trials.values() for play in plays for spot in walker.player.along(play)[1:]]
        readings = sorted(set[Assignment]().union(*watched.values()))
        for begun in (spots, ()):  # and from deals once more, with other plays
            walker.run(walk, readings, begun)
        self.replay(found)
        return {name: walker.some(name, STARTS) for name in walker.left}

    def false(self, under: Iterable[Assignment]) -> set[str]:
        """The guesses that some state reached under these readings makes false, and the parts refuted; known so far."""
        dead = self._dead
        return set(self.found.plays).union(*(dead.get(a, ()) for a in under))

    def _mixed(self, among: Iterable[Assignment]) -> list[dict[str, str]]:
        """Some of the assignments, by name."""
        return [rd.named(self.small.system, a) for a in rd.some_of(among, MIXED)]

    def _under(self, play: Play, left: Collection[Assignment]) -> list[Play]:
        """The play under some of the readings left of what it refutes; as it is where none are."""
        return [replace(play, readings=readings) for readings in self._mixed(sorted(left))] if left else [play]

    def _watched_names(self) -> list[str]:
        return [name for name, part in self.small.parts.items() if part.watched]

    # what is still undecided ---------------------------------------------------------------------------------------

    def search_short(
        self, undecided: Undecided, depth: int, starts: Mapping[str, Sequence[Spot]] | None = None
    ) -> set[str]:
        """Ask a solver for plays of few acts, from the deal or going on from some states; the parts of which less is left."""
        less, player = set(), self._small_player
        watched = self._watched(undecided)
        others = {name: left for name, left in undecided.items() if name not in watched}
        searches = [self.unroller.search(watched, depth, starts), self.exposing.search(others, depth - SOONER)]
        for name, play in chain(*(searches if starts is None else searches[:1])):
            before = len(self.refuted.get(name, ()))
            self.replay(Found({name: player.reduced(play, name)}, {name: {}}))
            if len(self.refuted.get(name, ())) > before:
                less.add(name)
        return less

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
        player, starts = self._small_player, dict[str, list[Spot]]()
        for name, play in self.plays.items():
            if name in undecided:
                trials = self._under(play, undecided[name])
                starts[name] = [spot for trial in trials for spot in player.along(trial)[: -1 - LAST : -1]]
        return self.search_short(undecided, depth, starts)

    @cached_property
    def _small_player(self) -> Player:
        """Replays on the small deck."""
        return Player(self.searcher.compiled)

    @cached_property
    def player(self) -> Player:
        """Replays on the full pack."""
        return Player(Compiled(self.full.system, self.full.parts, self.cache, quickly=True))

    def replay(self, found: Found) -> None:
        """Replay plays on the full pack under every assignment of readings, as long as they may show more."""
        player = self.player
        for name, first in found.plays.items():
            for under, play in (((), first), *found.others[name].items()):
                if under in self.refuted.get(name, ()):
                    continue
                exists = self.full.parts[name].exists  # where one play is the proof, one reading will do
                own = rd.assignment(self.full.system, play.readings)
                known = self.refuted.get(name, set[Assignment]())
                left = [a for a in self.everything if a not in known] if known else self.everything
                bad = player.violating(play, name, [own] if exists else left)
                if bad:
                    self.refuted.setdefault(name, set()).update(bad)
                    shown = replace(play, readings=rd.named(self.full.system, bad[0]))  # the most recommended of them
                    self.plays.setdefault(name, shown)

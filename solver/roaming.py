"""Refutation far from the deal: explore a little from states of kinds seldom met before, again and again.

The kind of a state is what its fields say roughly: which of those that the wanted claims speak of are not empty (and whether
they name players with partners, or one without), how many cards are left. States that meet a wanted premise go first. What
is found in this way is made shorter afterwards: by leaving out acts, then by a breadth-first search from the same deal with
acts of the kinds that are left.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tricklaw.model.native import Buffers
from tricklaw.model.system import READING
from tricklaw.solver.compiled import Row
from tricklaw.solver.explorer import Exploration, Played
from tricklaw.solver.plays import Play, Player, Spot, play_of
from tricklaw.solver.search import IRREGULAR, Found, Searcher, rows, sample

ALIKE = 4
"""How many states of a kind are gone on from."""

LEGS = ((3, 8), (2, 40), (1, 40), (0, 40))
"""The legs in turn: how many acts out of the regular course, and from how many states."""

NOVEL = 400
"""How many states of a leg are gone on from, at most."""

STARTS = 48
"""How many deals, with sides and trumps, a roaming begins with, at most."""

SHORTENING = 400_000
"""States that looking for a shorter play may take."""

SAMPLE = 500
"""How many states of a leg are kept to sieve candidates."""


@dataclass(frozen=True)
class Roam:
    """How far to roam: cards each, deals, legs; the states that a leg may come to."""

    cards: int = 2
    deals: int = 12
    legs: int = 16
    states: int = 20_000
    thin: bool = True
    wide: bool = False
    """Tell kinds of states by all fields, not only by those in the wanted claims."""
    seed: int = 0


ROAMS = (Roam(3), Roam(2, seed=4), Roam(3, wide=True, seed=5))
"""The roaming for each part that the rounds have not decided: what is found is mostly found soon, so begin again often."""


TOGETHER = (Roam(3, seed=10), Roam(2, seed=11))
"""The roaming for many parts at once."""

AIMLESS = Roam(2, thin=False, legs=12)
"""The roaming that gathers states of all kinds."""


class Roamer:
    """One roaming for plays that violate the wanted parts; for none in particular, it gathers states."""

    def __init__(
        self, searcher: Searcher, found: Found, wanted: Iterable[str], readings: Sequence[Mapping[str, str]], roam: Roam
    ) -> None:
        self.searcher, self.found, self.roam, self.compiled = searcher, found, roam, searcher.compiled
        self.left = {n for n in wanted if n not in found.plays}
        self.what = ", ".join(sorted(self.left)) or "states of all kinds"
        self.source = random.Random(roam.seed)
        every = frozenset(s.name for s in self.compiled.system.slots)
        claims = [self.compiled.mentions[0].get(name, every) for name in self.left]
        self.fields = every if roam.wide or not claims else frozenset[str]().union(*claims)
        self.moves = self.compiled.moves_for(self.left, roam.thin) if self.left else self.compiled.moves
        self.premises = {self.compiled.premise_at[n] for n in self.left if n in self.compiled.states}
        self.near: list[Spot] = []
        self.seen: tuple[list[Spot], list[Spot]] = [], []
        """All states of kinds seldom met that it has come to: those that meet a wanted premise, the others."""
        starts = searcher.initial(roam.cards, roam.deals, readings)
        self.far = [Spot(row, row) for row in self.source.sample(starts, min(STARTS, len(starts)))]
        self.known: Counter[bytes] = Counter()
        self.buffers = Buffers(self.compiled.native)
        system = self.compiled.system
        self.sides_and_trumps = [i for i, x in enumerate(system.rigid_slots) if not x.name.startswith(READING)]
        self.mates = [i for i, slot in enumerate(system.rigid_slots) if slot.name.startswith("mates.")]
        self.seats = {slot.name for slot in system.slots if slot.width == system.seats}
        if self._promising(self.far[0].row):  # a premise that a mere deal meets leads nowhere
            self.premises = set()

    def run(self) -> None:
        """Go leg after leg, until all that was wanted is found or nothing is left to go on from."""
        aimless = not self.left
        for leg in range(self.roam.legs):
            if not (self.left or aimless) or not (self.near or self.far) or self.searcher.stopped:
                return
            self._leg(leg)

    def some(self, many: int) -> list[Spot]:
        """So many of the states that it has come to, at most, half of them from those that meet a wanted premise."""
        near, far = ([*spots] for spots in self.seen)
        for spots in (near, far):
            self.source.shuffle(spots)
        near = near[: max(many // 2, many - len(far))]
        return [*near, *far[: many - len(near)]]

    def _leg(self, leg: int) -> None:
        near = bool(self.near) and (leg % 2 == 0 or not self.far)
        irregular, many = LEGS[0] if near else LEGS[leg // 2 % len(LEGS)]
        spots = self.near if near else self.far
        self.source.shuffle(spots)
        begun, spots[:] = spots[:many], spots[many:]
        origin = {s.row.tobytes(): s for s in begun}
        starts, what = np.array([s.row for s in origin.values()]), f"far for {self.what}, leg {leg + 1}"
        result = self.searcher.explore(starts, self.moves, self.roam.states, irregular, self.left, set(), what)
        for name in self.searcher.keep(self.found, result, lambda n, path: self._play(result, n, path, origin)):
            self.left.discard(name)
            self._shorten(name)
        self.found.samples += sample(result, SAMPLE, self.source)
        for number in self._novel(result):
            row, spot = rows(result, [number])[0], self._origin(result, number, origin)
            there = Spot(row, spot.start, (*spot.way, *result.path(number)))
            far = not self._promising(row)
            (self.far if far else self.near).append(there)
            self.seen[far].append(there)

    def _promising(self, row: Row) -> bool:
        """Whether the state meets a wanted premise."""
        if not self.premises:
            return False
        values, width = row.tolist(), self.compiled.native.words
        self.buffers.load(values[:width], values[width:], [0] * len(self.compiled.system.act_slots))
        watched = self.buffers.outputs("watch")
        return any(watched[at] for at in self.premises)

    def _origin(self, result: Exploration, number: int, origin: Mapping[bytes, Spot]) -> Spot:
        return origin[rows(result, [result.root(number)])[0].tobytes()]

    def _play(self, result: Exploration, number: int, path: list[Played], origin: Mapping[bytes, Spot]) -> Play:
        spot = self._origin(result, number, origin)
        start, rigid = self.compiled.opened(spot.start)
        return play_of(self.compiled.system, start, rigid, [*spot.way, *path])

    def _novel(self, result: Exploration) -> list[int]:
        """A few states of each kind seldom met before."""
        told = result.rigids[:, self.sides_and_trumps]
        columns = [np.bitwise_count(told).sum(axis=1)[result.rigid]]  # how many partners, trumps or not
        alone = np.zeros(len(result.rigids), np.uint64)
        for seat, at in enumerate(self.mates):
            alone |= (result.rigids[:, at] == 0).astype(np.uint64) << np.uint64(seat)
        alone = alone[result.rigid]
        for name, place in self.compiled.native.layout.items():
            value = result.states[:, place.word] >> np.uint64(place.shift) & np.uint64(place.mask)
            if name == "trick" or name.startswith("own."):
                columns.append(np.bitwise_count(value))
            elif name in self.fields and name in self.seats:
                columns.append((value & alone != 0) + 2 * (value & ~alone != 0))
            elif name in self.fields:
                columns.append(value != 0)
        table: npt.NDArray[np.uint64] = np.stack(columns, axis=1).astype(np.uint64)
        source = np.random.default_rng(len(table))
        kinds = table @ source.integers(1 << 63, size=table.shape[1], dtype=np.uint64)  # hashed: two may fall together
        order = source.permutation(len(kinds))
        fresh: list[int] = []
        for _ in range(ALIKE):
            _, firsts = np.unique(kinds[order], return_index=True)
            for number in order[firsts].tolist():
                key = table[number].astype(np.uint8).tobytes()
                if self.known[key] < ALIKE and len(fresh) < NOVEL:
                    self.known[key] += 1
                    fresh.append(number)
            order = np.delete(order, firsts)
        return fresh

    def _shorten(self, name: str) -> None:
        player, found = Player(self.compiled), self.found
        play = found.plays[name] = player.reduced(found.plays[name], name)
        kinds = {kind.name for kind, _ in play.acts}
        moves, row = [m for m in self.compiled.moves if m.step in kinds], player.start(play)
        irregular = player.irregular(play, IRREGULAR)
        searcher, shorter = self.searcher, Found()
        result = searcher.explore(np.array([row]), moves, SHORTENING, irregular, {name}, set(), "for a shorter play")
        searcher.keep(shorter, result, lambda number, path: searcher.play(result, number, path))
        if name in shorter.plays and len(shorter.plays[name].acts) < len(play.acts):
            found.plays[name] = shorter.plays[name]

"""Refutation by random plays: many, some tens of acts long, mostly regular, from small deals.

What a play comes to by the way is put down: violations of the parts that are wanted, premises, states for the sieve.
A second walk goes on from states along the plays that are known, as a fuzzer goes on from inputs that came far. What is
found is made shorter afterwards: by leaving out acts, then by a breadth-first search with acts of the kinds that are left.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tricklaw.model.acts import LAYING, Do
from tricklaw.solver import _walking_loop as loop
from tricklaw.solver import readings as rd
from tricklaw.solver._explorer_loop import IRREGULAR
from tricklaw.solver._explorer_plan import make_plan, settled
from tricklaw.solver.compiled import IN_TURN, OPEN, SITUATIONS, UNLAWFUL, Row
from tricklaw.solver.corpus import Corpus
from tricklaw.solver.explorer import Move, Played, played
from tricklaw.solver.plays import Play, Player, Spot, play_of
from tricklaw.solver.readings import Assignment
from tricklaw.solver.search import IRREGULAR as COUNTED
from tricklaw.solver.search import Found, Searcher
from tricklaw.solver.unrolling import STARTS

SEAT = "act.seat"

ACTS = 30
"""How long a play may be."""

DEALS = {1: 300, 2: 500, 3: 300}
"""How many deals, with sides and trumps, a round begins with, by the cards of each player."""

MOST_HITS, HITS = 8_000, 100
"""How many violations a round puts down at most; and of one part."""

MISSES = 10
"""How many plays of a part that are none on the whole pack are looked at in a round, at most."""

MOST_NEW = 2_000
"""How many states in which somebody is in a new situation a round puts down at most."""

NEAR = 12
"""How many states that meet a wanted premise a round puts down, of each."""

SAMPLES = 4_000
"""How many states of a round are kept to sieve candidates, at most."""

OFTEN = (100, 30)
"""How often of a thousand times an unlawful act that was drawn is done, in turn by rounds: often, or so seldom that hands
are played to their end."""

SHORTENING = 60_000
"""States that looking for a shorter play may take."""


@dataclass(frozen=True)
class Walk:
    """How far to walk: rounds at most, after how many in which nothing was new to give up, and plays a round."""

    rounds: int = 24
    patience: int = 5
    plays: int = 3_000
    seed: int = 0


class Walker:
    """Walks for plays that violate the wanted parts, and meet premises; for none in particular, to gather states.

    Attributes:
        near: for each wanted part states that meet its premise, to go on from.
        aimless: nothing is wanted: all rounds are played, for the states that they come to.
    """

    def __init__(
        self,
        searcher: Searcher,
        found: Found,
        wanted: Mapping[str, set[Assignment]],
        premises: Iterable[str] = (),
        whole: Player | None = None,
        corpus: Corpus | None = None,
    ) -> None:
        """Walk for these parts, each under these readings.

        Parameters:
            whole: a player of the whole pack, by whom what is found must be shown as well.
            corpus: what another walk came to.
        """
        self.whole = whole
        self.searcher, self.found, self.compiled = searcher, found, searcher.compiled
        self.system = self.compiled.system
        self.left = {name: set(readings) for name, readings in wanted.items()}
        self.aimless = not wanted
        self.premises = {name for name in premises if name not in found.met}
        self.near: dict[str, list[Spot]] = {}
        self.corpus = corpus or Corpus(self.compiled)
        self.missed: Counter[str] = Counter()
        self.player = Player(self.compiled)
        kinds = {kind.name: kind.do for kind in self.system.kinds}
        moves = self.compiled.moves_for(self.left.keys() | self.premises) if self.left else self.compiled.moves
        in_turn = [replace(move, held=IN_TURN) for move in moves if kinds[move.step] in LAYING]
        exacting = self._exacting(moves)
        self.moves = [*in_turn, *moves, *(move for move, _ in exacting)]
        self.open = np.array([-1] * (len(in_turn) + len(moves)) + [at for _, at in exacting], np.int64)
        limits = np.zeros(4, np.uint64)
        self.plan, _ = make_plan(self.compiled.native, self.moves, "watch" if self.compiled.states else None, limits)
        odds = [_odds(kinds[move.step], move.held == IN_TURN) for move in [*in_turn, *moves]]
        self.odds = odds + [EXACTING] * len(exacting)
        self.wheel = np.repeat(np.arange(len(self.moves)), [odds.drawn for odds in self.odds])
        self.names: dict[int, list[tuple[str, bool]]] = {}
        """The parts of each target, and whether their premise is meant."""
        watched, c = self.compiled.watch_width, self.compiled
        self.curiosity = watched + 64
        """The target that is a situation which is new."""
        told = [(at, (name, False)) for name, at in c.violated_at.items()]
        told += [(at, (name, True)) for name, at in c.premise_at.items()]
        told += [(watched + at, key) for key, at in c.flags.items()]
        for at, key in told:
            self.names.setdefault(at, []).append(key)

    def run(self, walk: Walk, readings: Sequence[Assignment], spots: Sequence[Spot] = ()) -> set[str]:
        """Play round after round, until all that is wanted is found or nothing is new; the parts newly violated.

        The plays begin with deals under these readings or, where there are spots, go on from them.
        """
        new, idle = set[str](), 0
        for number in range(walk.rounds):
            if idle >= walk.patience or not (self.left or self.premises or self.aimless):
                break
            source = random.Random(f"{walk.seed} {number}")
            begun = list(spots) or self._deals(source, readings)
            begun += self.corpus.some(source, len(begun), set(readings))
            often = number % len(OFTEN)
            what = f"round {number + 1} of {walk.rounds} at most"
            more, any_new = self._round(begun, walk.plays, f"{walk.seed} {number}", often, what)
            new |= more
            idle = 0 if any_new else idle + 1
        for name in new:
            self._shorten(name)
        return new

    def some(self, name: str, many: int) -> list[Spot]:
        """So many, at most, of the states that meet the premise of a part."""
        near = self.near.get(name, [])
        return random.Random(name).sample(near, min(many, len(near)))

    def _exacting(self, moves: Sequence[Move]) -> list[tuple[Move, int]]:
        """The moves about rights, of each player liable, and where `OPEN` says who may do them."""
        rights = {kind.name: kind.right for kind in self.system.kinds if kind.right}
        places = {key: at for at, key in enumerate(self.system.exactable)}
        found = []
        for move in moves:
            for i in range(self.system.seats if move.step in rights else 0):
                others = [(name, values) for name, values in move.choices if name != SEAT]
                fixed = replace(move, choices=((SEAT, (1 << i,)), *others))
                found.append((fixed, places[rights[move.step], i]))
        return found

    def _deals(self, source: random.Random, readings: Sequence[Assignment]) -> list[Spot]:
        most = self.system.deck.size // self.system.seats
        found: list[Spot] = []
        for cards, many in DEALS.items():
            if cards <= most:
                chosen = [rd.named(self.system, source.choice(readings)) for _ in range(many)]
                rows = self.searcher.initial(cards, many // 4, chosen, source.random(), many)
                found += [Spot(row, row) for row in rows]
        return found

    def _round(self, spots: Sequence[Spot], plays: int, seed: str, often: int, what: str) -> tuple[set[str], bool]:
        """One round; the parts newly violated, and whether anything is new."""
        if self.searcher.tell:
            self.searcher.tell(f"random plays, {what}: {len(self.left)} parts are left")
        walks, rigids = self._walks(spots, seed)
        self.corpus.met >>= 1
        self.plan.moves[:, IRREGULAR] = [odds.unlawful[often] for odds in self.odds]
        loop.walk(self.plan, walks, plays)
        self.found.transitions += int(walks.control[loop.ACTS])
        for row in walks.samples[: walks.control[loop.KEPT]]:
            self.found.samples.append(np.concatenate([row[:-1], rigids[int(walks.starts[int(row[-1]), -1])]]))
        return self._read(walks, spots)

    def _read(self, walks: loop.Walks, spots: Sequence[Spot]) -> tuple[set[str], bool]:
        """What was put down in a round, shortest plays first; the parts newly violated, and whether anything is new."""
        self.missed.clear()
        new, any_new = set[str](), False
        hits = walks.hits[: walks.control[loop.MADE]]
        for at in np.argsort(hits[:, 2], kind="stable").tolist():
            target, start, acts = hits[at].tolist()
            spot = spots[start]
            if target == self.curiosity:
                self.corpus.spots.append((self._reading(spot), self._spot(walks, at, spot, acts)))
                continue
            for name, premise in self.names[target]:
                if premise:
                    any_new |= self._meet(name, walks, at, spot, acts)
                elif self.missed[name] < MISSES and self._reading(spot) in self.left.get(name, ()):
                    known = name in self.found.plays
                    start_state, rigid = self.compiled.opened(spot.start)
                    way = [*spot.way, *self._way(walks, at, acts)]
                    if self._keep(name, play_of(self.system, start_state, rigid, way)):
                        any_new = True
                        new |= set() if known else {name}
        return new, any_new

    def _meet(self, name: str, walks: loop.Walks, at: int, begun: Spot, acts: int) -> bool:
        """Put down that a hit met the premise of a part, and its state as far as wanted; whether it was not met before."""
        new = name not in self.found.met
        self.found.met.add(name)
        self.premises.discard(name)
        if name in self.compiled.states and len(self.near.setdefault(name, [])) < STARTS:
            self.near[name].append(self._spot(walks, at, begun, acts))
        return new

    def _walks(self, spots: Sequence[Spot], seed: str) -> tuple[loop.Walks, Row]:
        """What the loop begins with, and the values of the rigid fields of each of its choices."""
        c, words = self.compiled, self.compiled.native.words
        rows = np.array([spot.row for spot in spots])
        rigids, choice = np.unique(rows[:, words:], axis=0, return_inverse=True)
        targets = self.curiosity + 1
        outputs = max(len(function.outputs) for function in c.native.system.functions)
        widest = max(64 * self.corpus.words, c.native.temp_words, 2 + words, len(self.system.act_slots), outputs)
        addresses = c.native.addresses
        dials = [UNLAWFUL, ACTS, len(self.system.act_slots), addresses.get(OPEN, 0), addresses[SITUATIONS]]
        dials += [self.corpus.words, self.system.seats]
        walks = loop.Walks(
            starts=np.concatenate([rows[:, :words], choice.reshape(-1, 1).astype(np.uint64)], axis=1),
            rigids=settled(c.native, rigids),
            wheel=self.wheel,
            open=self.open,
            dials=np.array(dials, np.uint64),
            met=self.corpus.met,
            wanted=np.array([self._wanted(target) for target in range(targets)], np.int64),
            often=np.zeros(targets, np.int64),
            hits=np.zeros((MOST_HITS, 3), np.int64),
            codes=np.zeros((MOST_HITS, ACTS + 1), np.uint64),
            ends=np.zeros((MOST_HITS, words + 1), np.uint64),
            samples=np.zeros((SAMPLES, words + 1), np.uint64),
            room=np.zeros((9, widest), np.uint64),
            control=np.zeros(3, np.int64),
            chance=np.array([random.Random(seed).getrandbits(64)], np.uint64),
        )
        return walks, rigids

    def _wanted(self, target: int) -> int:
        """How many hits of a target are wanted."""
        most = MOST_NEW if target == self.curiosity else 0
        for name, premise in self.names.get(target, ()):
            if not premise and name in self.left:
                most = max(most, HITS)
            elif premise and name in self.premises:
                most = max(most, 1)
            elif premise and name in self.left and name in self.compiled.states:
                most = max(most, NEAR if len(self.near.get(name, ())) < STARTS else 0)
        return most

    def _reading(self, spot: Spot) -> Assignment:
        return rd.assignment_in(self.system, self.compiled.rigid_in(spot.start.tolist()))

    def _spot(self, walks: loop.Walks, at: int, begun: Spot, acts: int) -> Spot:
        """The state of a hit, with the way there."""
        row = np.concatenate([walks.ends[at, :-1], begun.start[self.compiled.native.words :]])
        return Spot(row, begun.start, (*begun.way, *self._way(walks, at, acts)))

    def _way(self, walks: loop.Walks, at: int, acts: int) -> list[Played]:
        return [played(self.moves, code) for code in walks.codes[at, :acts].tolist()]

    def _keep(self, name: str, play: Play) -> bool:
        """Keep a play, without the acts that it has no need of; whether it is one on the whole pack too."""
        play, existing = self.player.reduced(play, name), name in self.compiled.existing
        own = rd.assignment(self.system, play.readings)
        under = set(self.player.violating(play, name, [own] if existing else sorted(self.left[name])))
        if self.whole:
            under &= set(self.whole.violating(play, name, sorted(under)))
        if not under:
            self.missed[name] += 1
            return False
        self.left[name] -= under
        if existing or not self.left[name]:
            del self.left[name]
        self.found.others.setdefault(name, {})[own] = play
        self.found.plays.setdefault(name, play)
        return True

    def _shorten(self, name: str) -> None:
        """Look for a play with as few irregular acts that is shorter."""
        play = self.found.plays[name]
        kinds, row = {kind.name for kind, _ in play.acts}, self.player.start(play)
        moves = [move for move in self.compiled.moves if move.step in kinds]
        irregular = self.player.irregular(play, COUNTED)
        searcher, shorter = self.searcher, Found()
        result = searcher.explore(np.array([row]), moves, SHORTENING, irregular, {name}, "for a shorter play")
        searcher.keep(shorter, result, lambda number, path: searcher.play(result, number, path))
        less = shorter.plays.get(name, play)
        if len(less.acts) < len(play.acts) and (self.whole is None or self.whole.violates(less, name)):
            self.found.plays[name] = less


@dataclass(frozen=True)
class Odds:
    """How often acts of a move are drawn, and how often of a thousand times an unlawful one that was drawn is done."""

    drawn: int
    unlawful: tuple[int, ...] = OFTEN


EXACTING = Odds(3)
"""Of what can be done only by one who may."""


def _odds(do: Do, in_turn: bool) -> Odds:
    """Regular play most, then what answers an irregularity. What is mostly unlawful is drawn seldom, and done then.

    Of demands few that are drawn are lawful, so that they are drawn often, and the others seldom done.
    """
    match do:
        case Do.LEAD | Do.PLAY if in_turn:
            return Odds(40)
        case Do.QUIT:
            return Odds(40)
        case Do.TAKE_BACK | Do.ATTENTION | Do.ADD:
            return Odds(20)
        case Do.DEMAND:
            return Odds(8, (20, 10))
        case Do.LEAD | Do.PLAY:
            return Odds(3, (1000, 300))
        case Do.FIND | Do.LAY_OPEN | Do.CLAIM | Do.GIVE_UP | Do.OMIT:
            return Odds(8, (1000, 300))
        case _:
            return Odds(1, (1000, 300))

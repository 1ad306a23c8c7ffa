"""Refutation: plays that violate a claim, found by exploring small deals, replayed on the full pack.

Deals of one card each come first, then of two and of three, each with few irregular acts and then with more; breadth
first, so that the first play found for a deal is a shortest one. A play on a small deck is a play of the full model, its
cards being the highest of the first suits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from tricklaw.model.acts import ActKind
from tricklaw.model.cards import FULL, Deck
from tricklaw.model.native import Buffers
from tricklaw.model.state import SEAT_NAMES
from tricklaw.model.system import System
from tricklaw.model.table import Groups
from tricklaw.solver.compiled import SPECIAL, UNLAWFUL, Compiled, Row, rigid_values
from tricklaw.solver.explorer import Budget, Exploration, Played, Progress, explore

SMALL = Deck(3, 4)
"""The deck for exploring and for finding invariants: three suits, so that one can be led, one trumps, one neither."""


SAMPLE = 5_000
"""How many states of an exploration are kept to sieve candidates."""

WANDERINGS = 24
"""How often the states reached are taken as new starts, to sieve candidates with states far from the deal."""


@dataclass(frozen=True)
class Round:
    """One round of exploration: cards each, deals, acts out of the regular course (unlawful ones and words), states."""

    cards: int
    deals: int
    irregular: int
    states: int = 1_000_000
    thin: bool = False
    """Leave out the acts that expose cards in other ways than by facing one: they come to the same."""


ROUNDS = (
    Round(1, 24, 4, 120_000),
    Round(2, 8, 1, 200_000, thin=True),
    Round(2, 4, 2, 300_000, thin=True),
    Round(2, 2, 3, 500_000, thin=True),
    Round(2, 4, 2, 250_000),
    Round(2, 1, 4, 600_000, thin=True),
    Round(3, 1, 2, 300_000, thin=True),
)
"""The rounds of a search: more and more cards, and acts out of the regular course."""


@dataclass(frozen=True)
class Play:
    """A play from a deal: cards of the full pack as bit-sets, acts as the fields of the act by kind of act."""

    hands: tuple[int, ...]
    leader: int
    groups: Groups
    trumps: int
    readings: Mapping[str, str]
    acts: tuple[tuple[ActKind, Mapping[str, int]], ...]


def deals(deck: Deck, seats: int, round_: Round) -> Iterator[tuple[int, ...]]:
    """Hands for a round: all deals of one card each from the top of two suits, or a sample drawn with a fixed seed."""
    if round_.cards == 1:
        top = [deck.ranks - 2, deck.ranks - 1, 2 * deck.ranks - 2, 2 * deck.ranks - 1]
        yield from (tuple(1 << c for c in cards) for cards in permutations(top, seats))
        return
    source = random.Random(f"{round_.cards} {round_.irregular}")
    for _ in range(round_.deals):
        cards = list(range(deck.size))
        source.shuffle(cards)
        n = round_.cards
        yield tuple(sum(1 << c for c in cards[i * n : (i + 1) * n]) for i in range(seats))


@dataclass
class Found:
    """What explorations have shown: plays that violate parts, premises that were met."""

    plays: dict[str, Play] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    samples: list[tuple[list[int], list[int]]] = field(default_factory=list)
    """Packed states that were reached, with their rigid constants."""


class Searcher:
    """Explores a small deck for violations of parts and for their premises."""

    def __init__(self, compiled: Compiled, tell: Callable[[str], None] | None = None) -> None:
        self.compiled, self.system, self.tell = compiled, compiled.system, tell

    def initial(self, round_: Round, readings: Mapping[str, str]) -> list[Row]:
        """All the starts of a round: deals, arrangements, trumps (none or the first suit); the first seat leads.

        The arrangements of every game are closed under turning the table, so that one leader is enough.
        """
        c = self.compiled
        return [
            c.initial(hands, 0, groups, trumps, dict(readings))
            for hands in deals(self.system.deck, self.system.seats, round_)
            for groups in self.system.arrangements
            for trumps in (0, 1)
        ]

    def search(self, found: Found, wanted: Iterable[str], readings: Mapping[str, str], rounds: Sequence[Round]) -> None:
        """Look for plays that violate the wanted parts."""
        self._look(found, set(wanted), readings, rounds, "violated")

    def wander(self, found: Found, times: int = WANDERINGS) -> None:
        """Gather states far from the deal: explore a little from states reached before, again and again."""
        c, source = self.compiled, random.Random(times)
        for _ in range(times):
            starts = source.sample(found.samples, min(40, len(found.samples)))
            rows = np.array([words + rigid for words, rigid in starts], np.uint64)
            result = explore(c.native, c.moves, rows, max_states=15_000, budget=Budget(UNLAWFUL | SPECIAL, 2))
            found.samples += self._sample(result, 1_500, source)

    def _sample(self, result: Exploration, size: int, source: random.Random) -> list[tuple[list[int], list[int]]]:
        numbers = source.sample(range(len(result.states)), min(size, len(result.states)))
        return [(result.states[n].tolist(), result.rigids[result.rigid[n]].tolist()) for n in numbers]

    def meet(self, found: Found, wanted: Iterable[str], readings: Mapping[str, str], rounds: Sequence[Round]) -> None:
        """Look for states (or acts) that meet the premises of the wanted parts."""
        self._look(found, set(wanted), readings, rounds, "premise")

    def _look(
        self, found: Found, wanted: set[str], readings: Mapping[str, str], rounds: Sequence[Round], what: str
    ) -> None:
        known = found.plays if what == "violated" else found.met
        for round_ in rounds:
            for batch, names in enumerate(self.compiled.batches or [[]]):
                here = {n for n in wanted - set(known) if n in names or (batch == 0 and n in self.compiled.acts)}
                if here:
                    self._explore(found, round_, readings, what, batch, here)

    def _explore(
        self, found: Found, round_: Round, readings: Mapping[str, str], what: str, batch: int, wanted: set[str]
    ) -> None:
        c = self.compiled
        names = c.batches[batch] if c.batches else []
        known = found.plays if what == "violated" else found.met
        target = sum(1 << i for i, n in enumerate(names) if n in wanted and n not in known)
        acts = sum(1 << c.act_flag(n, what == "premise") for n in c.acts if n in wanted and n not in known)

        def watch(progress: Progress) -> bool:
            if self.tell:
                self.tell(f"exploring deals of {round_.cards}: {progress.states:,} states")
            return not (target & ~progress.watched or acts & ~progress.flagged)

        result = explore(
            c.native,
            c.moves_for(wanted, round_.thin),
            np.array(self.initial(round_, readings)),
            max_states=round_.states,
            budget=Budget(UNLAWFUL | SPECIAL, round_.irregular),
            watch=f"{what} {batch}" if names else None,
            watch_flags=sum(1 << c.act_flag(n, p) for n in c.acts for p in (False, True)),
            progress=watch,
        )
        self._keep(found, result, what, names)

    def _keep(self, found: Found, result: Exploration, what: str, names: list[str]) -> None:
        c = self.compiled
        found.states += len(result.states)
        found.transitions += result.transitions
        found.seconds += result.seconds
        for index, number in result.watched.items():
            name = names[index]
            if what == "premise":
                found.met.add(name)
            elif name not in found.plays:
                found.plays[name] = self._play(result, number, result.path(number))
                found.met.add(name)
        for name in c.acts:
            flag, premise = c.act_flag(name), c.act_flag(name, premise=True)
            if flag in result.flagged and name not in found.plays:
                found.plays[name] = self._play(result, result.flagged[flag][0], result.flagged_path(flag))
            if premise in result.flagged:
                found.met.add(name)
        found.samples += self._sample(result, SAMPLE, random.Random(len(result.states)))

    def _play(self, result: Exploration, number: int, path: list[Played]) -> Play:
        s, deck = self.system, self.system.deck
        root = result.root(number)
        start, rigid = result.state(root), result.rigid_values(root)
        kinds = {k.name: k for k in s.kinds}
        acts = []
        for played in path:
            act = dict(played.act)
            if act.get("act.cards"):
                act["act.cards"] = deck.to_full(act["act.cards"])
            acts.append((kinds[played.step], act))
        hands = tuple(deck.to_full(start[f"own.{n}"]) for n in SEAT_NAMES[s.seats])
        mates = [rigid[f"mates.{n}"] | 1 << i for i, n in enumerate(SEAT_NAMES[s.seats])]
        readings = {key: choices[rigid[f"reading/{key}"]] for key, choices in s.readings.items()}
        groups = tuple(dict.fromkeys(mates))
        return Play(hands, start["turn"].bit_length() - 1, groups, rigid["trumps"], readings, tuple(acts))

    def sieve(self, found: Found) -> set[str]:
        """The names of the candidates that some reached state makes false."""
        names = list(self.compiled.candidates)
        if not names or not found.samples:
            return set()
        buffers, alive = Buffers(self.compiled.native), (1,) * len(names)
        no_act = [0] * len(self.system.act_slots)
        for words, rigid in found.samples:
            buffers.load(words, rigid, no_act)
            if not all(values := buffers.outputs("candidates")):
                alive = tuple(map(int.__and__, alive, values))
        return {name for name, lives in zip(names, alive, strict=True) if not lives}


class Replayer:
    """Replays plays on the full pack and says whether they violate a part, under any assignment of readings."""

    def __init__(self, compiled: Compiled) -> None:
        if compiled.system.deck != FULL:
            raise ValueError(f"plays are replayed on the full pack, not on {compiled.system.deck}")
        self.compiled, self.system = compiled, compiled.system
        self._buffers = Buffers(compiled.native)
        self._order = [s.name for s in self.system.act_slots]

    def violates(self, play: Play, part: str, readings: Mapping[str, str]) -> bool:
        """Whether each act of the play is possible in turn and the play ends in a violation of the part."""
        c, buffers = self.compiled, self._buffers
        row = c.initial(play.hands, play.leader, play.groups, play.trumps, dict(readings)).tolist()
        words, rigid = row[: c.native.words], row[c.native.words :]
        flag = 0
        for kind, act in play.acts:
            buffers.load(words, rigid, [act.get(name, 0) for name in self._order])
            possible, flags, *after = buffers.successor(kind.name)
            if not possible:
                return False
            words, flag = list(after), flags
        if part in c.acts:
            return bool(flag >> c.act_flag(part) & 1)
        batch, position = next((i, names.index(part)) for i, names in enumerate(c.batches) if part in names)
        buffers.load(words, rigid, [0] * len(self._order))
        return bool(buffers.outputs(f"violated {batch}")[position])


def rigid_of(system: System, play: Play, readings: Mapping[str, str]) -> dict[str, int]:
    """The rigid constants of a play."""
    return rigid_values(system, play.groups, play.trumps, dict(readings))

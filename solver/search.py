"""Refutation: plays that violate a claim, found by exploring small deals.

Breadth first, in rounds: deals of one card each first, then of two, each with few irregular acts and then with more, so
that the first play found for a deal is a shortest one. `tricklaw.solver.walking` goes further from the deal.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations, product

import numpy as np

from tricklaw.model.cards import PACKS, Deck
from tricklaw.model.deals import random_marks
from tricklaw.model.native import Buffers
from tricklaw.model.table import Table
from tricklaw.solver.compiled import SPECIAL, UNLAWFUL, Compiled, Row
from tricklaw.solver.explorer import Budget, Exploration, Move, Played, Progress, explore
from tricklaw.solver.plays import Play, play_of
from tricklaw.solver.readings import Assignment, assignment_in

SMALL = Deck(3, 4)
"""The deck for exploring and for finding invariants: three suits, so that one can be led, one trumps, one neither."""


def small(table: Table) -> Deck:
    """The same of the pack of a game, the jacks being as many as its suits where they are a suit of their own."""
    pack = PACKS[table.pack]
    return pack.smaller(SMALL.suits, SMALL.ranks - pack.jacks)


SAMPLE = 5_000
"""How many states of an exploration are kept to sieve candidates."""

IRREGULAR = UNLAWFUL | SPECIAL
"""The acts that are counted as out of the regular course."""


@dataclass(frozen=True)
class Round:
    """One round of exploration: cards each, deals, acts out of the regular course (unlawful ones and words), states."""

    cards: int
    deals: int
    irregular: int
    states: int = 1_000_000
    thin: bool = False
    """Leave out the acts that expose cards in other ways than by facing one: they come to the same."""


QUICK = (Round(1, 24, 3, 60_000), Round(2, 8, 2, 120_000))
"""The first exploration: it refutes what is easily refuted and sieves the candidates."""


def deals(deck: Deck, seats: int, n: int, many: int, seed: float | str = "") -> Iterator[tuple[int, ...]]:
    """Hands of `n` cards each: of one all deals from the top of two suits, else a sample drawn with a fixed seed."""
    if n == 1:
        high = [deck.ranks - 2, deck.ranks - 1, 2 * deck.ranks - 2, 2 * deck.ranks - 1]
        top = [deck.size - 1, *high[1:]] if deck.jacks else high
        yield from (tuple(1 << c for c in cards) for cards in permutations(top, seats))
        return
    source = random.Random(f"{n} {many}{seed}")
    for _ in range(many):
        cards = list(range(deck.size))
        source.shuffle(cards)
        yield tuple(sum(1 << c for c in cards[i * n : (i + 1) * n]) for i in range(seats))


@dataclass
class Found:
    """What explorations have shown: plays that violate parts, premises that were met."""

    plays: dict[str, Play] = field(default_factory=dict)
    """For each part the first play found, a shortest one of its exploration."""
    others: dict[str, dict[Assignment, Play]] = field(default_factory=dict)
    """The same by the readings under which it was found."""
    met: set[str] = field(default_factory=set)
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    samples: list[Row] = field(default_factory=list)
    """Packed states that were reached, each followed by its rigid constants."""


class Searcher:
    """Explores a small deck for violations of parts."""

    def __init__(self, compiled: Compiled, tell: Callable[[str], None] | None = None) -> None:
        self.compiled, self.system, self.tell = compiled, compiled.system, tell

    def initial(
        self,
        cards: int,
        many: int,
        readings: Sequence[Mapping[str, str]],
        seed: float | str = "",
        most: int | None = None,
    ) -> list[Row]:
        """Starts with so many cards each: deals, arrangements, trumps (none or the first suit), leaders.

        The readings, and what else a deal may say, are dealt out among the starts. Of too many some are drawn.
        """
        dealt = deals(self.system.deck, self.system.seats, cards, many, seed)
        starts = list(product(dealt, self.system.arrangements, self.system.table.trumps, self.system.leaders))
        if most is not None and len(starts) > most:
            starts = random.Random(f"{cards} {seed}").sample(starts, most)
        chosen = [readings[i % len(readings)] for i in range(len(starts))]
        random.Random(cards).shuffle(chosen)
        source, table = random.Random(f"{cards} {many}{seed}"), self.system.table
        rows = []
        for (even, groups, trumps, first), choice in zip(starts, chosen, strict=True):
            hands, marks = random_marks(self.system.deck, table, even, source)
            rows.append(self.compiled.initial(hands, first, groups, trumps, dict(choice), marks))
        return rows

    # rounds --------------------------------------------------------------------------------------------------------

    def search(
        self,
        found: Found,
        wanted: Iterable[str],
        readings: Sequence[Mapping[str, str]],
        rounds: Sequence[Round],
    ) -> None:
        """Look for plays that violate the wanted parts; premises that are met by the way are kept."""
        for round_ in rounds:
            left = {n for n in wanted if n not in found.plays}
            if left:
                rows = np.array(self.initial(round_.cards, round_.deals, readings))
                moves = self.compiled.moves_for(left, round_.thin)
                what = f"deals of {round_.cards}"
                result = self.explore(rows, moves, round_.states, round_.irregular, left, what)
                self.keep(found, result, lambda number, path, r=result: self.play(r, number, path))  # type: ignore[misc]
                found.samples += sample(result, SAMPLE, random.Random(len(result.states)))

    def explore(
        self, rows: Row, moves: list[Move], states: int, irregular: int, wanted: set[str], what: str
    ) -> Exploration:
        """Explore from some rows until the wanted parts are violated."""
        c = self.compiled
        target = sum({1 << c.violated_at[n] for n in wanted if n in c.states})
        acts = sum(1 << c.act_flag(n) for n in c.acts if n in wanted)

        def enough(progress: Progress) -> bool:
            if self.tell:
                self.tell(f"exploring {what}: {progress.states:,} states")
            missing = target & ~progress.watched or acts & ~progress.flagged
            return bool((target or acts) and not missing)

        return explore(
            c.native,
            moves,
            rows,
            max_states=states,
            budget=Budget(IRREGULAR, irregular),
            watch="watch" if c.states else None,
            watch_flags=sum(1 << at for at in c.flags.values()),
            progress=enough,
        )

    def keep(self, found: Found, result: Exploration, play: Callable[[int, list[Played]], Play]) -> list[str]:
        """Keep what is new, for each part a play under each assignment of readings; the parts that are newly violated."""
        c = self.compiled
        found.states += len(result.states)
        found.transitions += result.transitions
        found.seconds += result.seconds
        found.met |= {name for name, at in c.premise_at.items() if at in result.watched}
        found.met |= {name for (name, premise), at in c.flags.items() if premise and at in result.flagged}
        new = []
        for name, firsts in self._firsts(result).items():
            others = found.others.setdefault(name, {})
            for number, path in firsts:
                readings = assignment_in(self.system, result.rigid_values(number))
                if readings not in others:
                    others[readings] = play(number, path())
                    if name not in found.plays:
                        found.plays[name] = others[readings]
                        new.append(name)
        return new

    def _firsts(self, result: Exploration) -> dict[str, list[tuple[int, Callable[[], list[Played]]]]]:
        """For each part the states in which it was first violated, in their order, and the ways there."""
        c, found = self.compiled, dict[str, list[tuple[int, Callable[[], list[Played]]]]]()
        for name, at in c.violated_at.items():
            states = sorted(result.watched_each[result.watched_each[:, at] >= 0, at].tolist())
            found[name] = [(state, partial(result.path, state)) for state in states]
        for name in c.acts:
            pairs = [(s, code) for s, code in result.flagged_each[:, c.act_flag(name)].tolist() if s >= 0]
            found[name] = [(s, partial(result.path_on, s, code)) for s, code in sorted(pairs)]
        return found

    def play(self, result: Exploration, number: int, path: list[Played]) -> Play:
        """The play that a path to a state means."""
        root = result.root(number)
        return play_of(self.system, result.state(root), result.rigid_values(root), path)

    # candidates ----------------------------------------------------------------------------------------------------

    def sieve(self, found: Found) -> dict[Assignment, set[str]]:
        """The names of the candidates that some reached state makes false, by the readings under which it was reached."""
        names = list(self.compiled.candidates)
        if not names or not found.samples:
            return {}
        buffers, alive = Buffers(self.compiled.native), dict[Assignment, tuple[int, ...]]()
        no_act, width = [0] * len(self.system.act_slots), self.compiled.native.words
        for row in np.unique(np.array(found.samples), axis=0).tolist():
            buffers.load(row[:width], row[width:], no_act)
            values, readings = buffers.outputs("candidates"), assignment_in(self.system, self.compiled.rigid_in(row))
            before = alive.setdefault(readings, values)
            if not all(values):
                alive[readings] = tuple(map(int.__and__, before, values))
        return {r: {n for n, lives in zip(names, values, strict=True) if not lives} for r, values in alive.items()}


def rows(result: Exploration, numbers: Sequence[int]) -> list[Row]:
    """Some of the states of an exploration, each with its rigid constants."""
    return [np.concatenate([result.states[n], result.rigids[result.rigid[n]]]) for n in numbers]


def sample(result: Exploration, size: int, source: random.Random) -> list[Row]:
    """As many of the states of an exploration, drawn at random."""
    return rows(result, source.sample(range(len(result.states)), min(size, len(result.states))))

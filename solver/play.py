"""Random play of full deals, by Hypothesis or by a plain loop: regular play mixed with anything that anybody can do.

Every act is a rule with one number, decoded to actor, cards, suit and seat among the acts that are possible; a smaller
number, and an earlier rule, is more regular, so that Hypothesis shrinks a failing play to a plain one. The parts of
properties over states are checked in every state, those over acts at every act. `Coverage` tells which clauses were
broken and set off: a rule that never fires is tested by nobody.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import comb
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tricklaw.model import native
from tricklaw.model.acts import LAYING, ActKind, Do, Param
from tricklaw.model.cards import SUIT_NAMES
from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.law import Code
from tricklaw.model.lawfiles import builtin_codes, load_code
from tricklaw.model.machine import Deed
from tricklaw.model.native import Buffers, Function
from tricklaw.model.sentences import sentence_of
from tricklaw.model.system import System
from tricklaw.model.terms import bits, collect, gate, less, select, union, when
from tricklaw.properties import PROPERTIES, Part, find
from tricklaw.solver.cache import default_directory
from tricklaw.solver.compiled import Compiled
from tricklaw.solver.explorer import Move
from tricklaw.solver.plays import Play

LONGEST_PLAY = 60
"""Acts of the plain loop before it deals anew."""

LENGTHS = (1, 2, 3, 2, 4, 3, 2, 5, 1, 3, 7, 10, 13)
"""Cards each, as often as they are dealt: a short hand comes to its end within a play."""

ROUND = 4
"""Regular acts of the rule `round`, each meant by four bits of its number."""

MOST_TRIES = 64
"""Numbers tried, from the one drawn, before the kind of act is taken to be impossible: enough for each player with each
of his cards, or with each player and suit."""

NUMBERS = 1 << 24
"""A number drawn for an act is below this."""

DEALS = 1 << 48
"""A number drawn for a deal is below this."""


class Way(NamedTuple):
    """A way to do a kind of act: the function that gives the cards to draw from, if any; one or a pair; the rest."""

    held: str
    pairs: bool
    suit: int
    seat: int
    seen: int


class Rules(Compiled):
    """A game as machine code for the full pack, with a step flag for each clause that an act breaks or sets off.

    Attributes:
        labels: for each kind of act, the meaning of the flags that follow those of `Compiled`.
    """

    def __init__(self, code: Code, game: str, properties: Sequence[str] | None = None, cache: Path | None = None):
        system = System(code.restrict(game), game)
        wanted = PROPERTIES.values() if properties is None else [find(name) for name in properties]
        self.parts: dict[str, Part] = {f"{p.id}/{q.right}": q for p in wanted for q in p.parts(system)}
        super().__init__(system, self.parts, cache or default_directory() / "native")
        self.game, self.kinds = game, {kind.name: kind for kind in system.kinds}

    @cached_property
    def labels(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """The clauses that each kind of act can break, and those that it can set off."""
        steps = [self.system.step(kind) for kind in self.system.kinds]
        return {step.kind.name: (tuple(step.broken), tuple(step.fired)) for step in steps}

    @property
    def first_clause(self) -> int:
        """The first step flag of a clause."""
        return 2 + 2 * len(self.acts)

    @cached_property
    def act_masks(self) -> list[tuple[str, int, int]]:
        """The parts over acts, with the masks of violation and premise in the step flags."""
        return [(name, 1 << self.act_flag(name), 1 << self.act_flag(name, premise=True)) for name in self.acts]

    @cached_property
    def ways(self) -> dict[str, list[Way]]:
        """The ways to enumerate each kind of act, with every combination of what is not cards."""
        found: dict[str, list[Way]] = {name: [] for name in self.kinds}
        for move in self.moves:
            for values in move.combinations:
                chosen = dict(zip((name for name, _ in move.choices), values, strict=True))
                others = (chosen.get(f"act.{name}", 0) for name in ("suit", "seat", "seen"))
                found[move.step].append(Way(move.held or "", move.card_source == "pairs", *others))
        return found

    @cached_property
    def tries(self) -> dict[str, int]:
        """How many numbers are tried, from the one drawn, before a kind of act is taken to be impossible."""
        seats, cards = self.system.seats, self.system.deck.size // self.system.seats
        return {
            kind: min(MOST_TRIES, seats * len(ways) * (cards if any(way.held for way in ways) else 1))
            for kind, ways in self.ways.items()
        } | {"regular": 1, "right": MOST_TRIES, "round": 1}

    @cached_property
    def right_kinds(self) -> list[list[ActKind]]:
        """The ways to exact each right, and to waive it."""
        return [[kind for kind in self.system.kinds if kind.right == right] for right in self.system.rights]

    @cached_property
    def left_out(self) -> list[str]:
        """The clauses of the built-in code of that name that this one leaves out."""
        folder = builtin_codes().get(self.system.code.id)
        whole = load_code(folder).restrict(self.game).clauses if folder else ()
        kept = {clause.id for clause in self.system.code.clauses}
        return [clause.id for clause in whole if clause.id not in kept]

    def rule_names(self) -> list[str]:
        """The rules, each as often as it should be drawn: regular play, exacting and waiving, then any act at all."""
        irregular = [name for name, kind in self.kinds.items() for _ in range(_often(kind))]
        n = len(irregular)
        return ["regular"] * (n // 3) + ["right"] * (n // 3) + ["round"] * (n // 5) + irregular

    def select_parts(self, names: Iterable[str]) -> frozenset[str]:
        """The parts named, or of the properties named.

        Raises:
            UnknownName: there is no such part or property here; the message names the nearest.
        """
        found: set[str] = set()
        for name in names:
            chosen = {part for part in self.parts if name in (part, part.split("/")[0])}
            if not chosen and name not in PROPERTIES:
                raise UnknownName(f"unknown property or part {name!r}{nearest(name, [*PROPERTIES, *self.parts])}")
            found |= chosen
        return frozenset(found)

    def _functions(self) -> list[Function]:
        s, v = self.system, self.system.view
        lays = [select(v.to_act, [s.lawful_cards(do, i) for i in range(s.seats)]) for do in LAYING]
        quits = collect([s.lawful_plain(Do.QUIT, i) for i in range(s.seats)])
        over = when(v.over, bits(1, 1), bits(0, 1))
        now = [s.right_state(right, i) for right in s.rights.values() for i in range(s.seats)]
        others = [less(union(v.hands, s.deck.size), hand) for hand in v.hands]
        return [
            *super()._functions(),
            Function("regular", (v.to_act, *lays, quits, over)),
            Function("open", tuple(gate(state.open, state.enforcers) for state in now)),
            Function("cards of others", tuple(others)),
        ]

    def _step(self, kind: ActKind) -> native.Step:
        step, plain = self.system.step(kind), super()._step(kind)
        flags = (*plain.flags, *step.broken.values(), *step.fired.values())
        return native.Step(plain.name, plain.possible, flags, plain.changes)

    def _moves(self, kind: ActKind) -> list[Move]:
        found = super()._moves(kind)
        if kind.do is Do.DEMAND and kind.param is Param.CARD:
            found += [Move(m.step, m.actor, m.cards, "each", "cards of others", m.choices) for m in found]
        return found


def _often(kind: ActKind) -> int:
    """How often a kind of act is drawn: what leads to the rarer clauses most, words least, since there are many."""
    if kind.right:
        return 1
    if kind.do is Do.ATTENTION:  # there is seldom something to draw attention to
        return 40
    return 8 if kind.do in (*LAYING, Do.TAKE_BACK) else 3


# coverage ------------------------------------------------------------------------------------------------------------


class Coverage:
    """What plays have come to: how often each kind of act was done, each clause broken or set off, each premise met."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._flags: Counter[tuple[str, int]] = Counter()
        self._watched = Counter[tuple[int, ...]]()

    def add_act(self, kind: str, flags: int) -> None:
        """Count an act with its step flags."""
        self._flags[kind, flags] += 1

    def add_state(self, watched: tuple[int, ...]) -> None:
        """Count a state with what is watched in it."""
        self._watched[watched] += 1

    @property
    def acts(self) -> dict[str, int]:
        """How often each kind of act was done."""
        found = dict.fromkeys(self._rules.kinds, 0)
        for (kind, _), count in self._flags.items():
            found[kind] += count
        return found

    @property
    def broken(self) -> dict[str, int]:
        """How often each duty was broken; `comply ID`: a demand under that right was disobeyed."""
        return self._clauses(0)

    @property
    def fired(self) -> dict[str, int]:
        """How often each clause was set off."""
        return self._clauses(1)

    def _clauses(self, which: int) -> dict[str, int]:
        labels, first = self._rules.labels, self._rules.first_clause
        found = {name: 0 for both in labels.values() for name in both[which]}
        for (kind, flags), count in self._flags.items():
            start = first + (len(labels[kind][0]) if which else 0)
            for at, name in enumerate(labels[kind][which], start):
                found[name] += count * (flags >> at & 1)
        return found

    @property
    def met(self) -> dict[str, int]:
        """How often the premise of each part was met."""
        found = dict.fromkeys(self._rules.parts, 0)
        for watched, count in self._watched.items():
            for name, at in self._rules.premise_at.items():
                found[name] += count * watched[at]
        for name, _, premise in self._rules.act_masks:
            found[name] = sum(count for (_, flags), count in self._flags.items() if flags & premise)
        return found


def unfired(coverage: Coverage) -> list[str]:
    """The acts that were never done, the duties never broken, the clauses never set off."""
    kinds = [f"act: {name}" for name, count in coverage.acts.items() if not count]
    broken = [f"never broken: {name}" for name, count in coverage.broken.items() if not count]
    return kinds + broken + [f"never set off: {name}" for name, count in coverage.fired.items() if not count]


def unmet(coverage: Coverage) -> list[str]:
    """The parts of properties whose premise was never met, so that they were never put to the test."""
    return [name for name, count in coverage.met.items() if not count]


# a play --------------------------------------------------------------------------------------------------------------


class Done(NamedTuple):
    """An act as it can be done: its kind, its parameters, its step flags and the state after it."""

    kind: str
    deed: Deed
    flags: int
    words: list[int]


def deal(rules: Rules, number: int, readings: Mapping[str, str]) -> Play:
    """The deal of that number: 0 is the lowest card to each, no trumps, the first of everything.

    Parameters:
        readings: the choices that are fixed; the others come from the number.
    """
    s = rules.system
    number, length = divmod(number, len(LENGTHS))
    number, leader = divmod(number, s.seats)
    number, trumps = divmod(number, s.deck.suits + 1)
    number, sides = divmod(number, len(s.arrangements))
    chosen = {}
    for key, choices in s.readings.items():
        number, choice = divmod(number, len(choices))
        chosen[key] = readings.get(key, choices[choice])
    cards = list(range(s.deck.size))
    if number:
        random.Random(number).shuffle(cards)
    cards = cards[: min(LENGTHS[length], s.deck.size // s.seats) * s.seats]
    hands = tuple(sum(1 << card for card in cards[i :: s.seats]) for i in range(s.seats))
    return Play(hands, leader, s.arrangements[sides], 1 << trumps >> 1, chosen, ())


class Table:
    """A play in progress: what can be done next, and what the acts so far violate.

    Attributes:
        start: the deal.
        acts: the acts so far.
        violated: the parts violated by the last act, or in the state after it.
    """

    def __init__(self, rules: Rules, buffers: Buffers, coverage: Coverage, start: Play) -> None:
        self.rules, self.start, self.coverage, self._buffers = rules, start, coverage, buffers
        s, n = rules.system, rules.native.words
        row = rules.initial(start.hands, start.leader, start.groups, start.trumps, dict(start.readings)).tolist()
        self._words, self._rigid, self._seats = row[:n], row[n:], s.seats
        self._outputs: dict[str, tuple[int, ...]] = {}
        self._first: dict[str, Done | None] = {}
        self.acts: list[tuple[str, Deed]] = []
        self.violated: list[str] = self._look()

    # what can be done ------------------------------------------------------------------------------------------------

    def can(self, name: str) -> bool:
        """Whether the rule has an act now."""
        if name not in self._first:
            self._first[name] = self._find("regular" if name == "round" else name, range(self.rules.tries[name]))
        return self._first[name] is not None

    def run(self, name: str, number: int) -> Iterator[None]:
        """Do what the number means under the rule, act by act: `round` is a few regular acts, any other rule is one."""
        for _ in range(ROUND if name == "round" else 1):
            if not self.do("regular" if name == "round" else name, number):
                return
            yield
            number //= 16

    def do(self, name: str, number: int) -> bool:
        """Do the act that the number means under the rule: `regular`, `right`, or a kind of act; False if none is."""
        tries = self.rules.tries[name]
        done = self._find(name, chain(range(number, number + tries), range(tries))) if self.can(name) else None
        if done is None:
            return False
        self.coverage.add_act(done.kind, done.flags)
        self.acts.append((done.kind, done.deed))
        self.violated = [part for part, bad, _ in self.rules.act_masks if done.flags & bad]
        if done.words != self._words:
            self._words, self._outputs, self._first = done.words, {}, {}
            self.violated += self._look()
        return True

    @property
    def over(self) -> bool:
        """All cards are played, turned and quitted."""
        return bool(self._output("regular")[-1])

    @property
    def play(self) -> Play:
        """The play so far."""
        order = [slot.name for slot in self.rules.system.act_slots]
        acts = tuple((self.rules.kinds[kind], dict(zip(order, deed, strict=True))) for kind, deed in self.acts)
        start = self.start
        return Play(start.hands, start.leader, start.groups, start.trumps, start.readings, acts)

    def _find(self, name: str, numbers: Iterable[int]) -> Done | None:
        decode = {"regular": self._regular, "right": self._right}.get(name)
        for number in numbers:
            chosen = decode(number) if decode else self._any(name, number)
            done = chosen and self._try(*chosen)
            if done and (name != "right" or self._legitimate(done)):
                return done
            if decode and not chosen:
                return None
        return None

    def _try(self, kind: str, deed: Deed) -> Done | None:
        self._buffers.load(self._words, self._rigid, list(deed))
        possible, flags, *words = self._buffers.successor(kind)
        return Done(kind, deed, flags, words) if possible else None

    def _output(self, name: str) -> tuple[int, ...]:
        if name not in self._outputs:
            self._buffers.load(self._words, self._rigid, _NO_ACT)
            self._outputs[name] = self._buffers.outputs(name)
        return self._outputs[name]

    def _look(self) -> list[str]:
        """The parts violated in the state; its premises are counted."""
        if not self.rules.states:
            return []
        watched = self._output("watch")
        self.coverage.add_state(watched)
        return [name for name, at in self.rules.violated_at.items() if watched[at]]

    def _regular(self, number: int) -> tuple[str, Deed] | None:
        """The player whose turn it is leads or plays a lawful card, or somebody turns and quits."""
        actor, leads, plays, quits, _ = self._output("regular")
        cards, seats = leads | plays, quits.bit_count()
        if not cards and not seats:
            return None
        at = number % (cards.bit_count() + seats)
        if at < cards.bit_count():
            return (Do.LEAD if leads else Do.PLAY).value, Deed(actor, _member(cards, at))
        return Do.QUIT.value, Deed(_member(quits, at - cards.bit_count()))

    def _right(self, number: int) -> tuple[str, Deed] | None:
        """Somebody who may exact or waive an open penalty does so."""
        open_ = [(at, who) for at, who in enumerate(self._output("open")) if who]
        if not open_:
            return None
        number, which = divmod(number, len(open_))
        right, seat = divmod(open_[which][0], self._seats)
        kinds = self.rules.right_kinds[right]
        number, kind = divmod(number, len(kinds))
        number, at = divmod(number, open_[which][1].bit_count())
        actor, hand = _member(open_[which][1], at), self._output("hands")[seat]
        named = hand & self._output("liable cards of others")[actor.bit_length() - 1] or hand
        card = _member(named, number % named.bit_count()) if kinds[kind].param is Param.CARD and named else 0
        suit = 1 << number % self.rules.system.deck.suits if kinds[kind].param is Param.SUIT else 0
        return kinds[kind].name, Deed(actor, card, suit, 1 << seat)

    def _legitimate(self, done: Done) -> bool:
        broken, fired = self.rules.labels[done.kind]
        right = self.rules.kinds[done.kind].right
        at = self.rules.first_clause + len(broken)
        return right in fired and bool(done.flags >> at + fired.index(right) & 1)

    def _any(self, kind: str, number: int) -> tuple[str, Deed] | None:
        """An act of that kind by anybody, possible or not."""
        ways = self.rules.ways[kind]
        number, seat = divmod(number, self._seats)
        number, at = divmod(number, len(ways))
        held, pairs, suit, to, seen = ways[at]
        cards = _drawn(pairs, self._output(held)[seat], number) if held else 0
        return (kind, Deed(1 << seat, cards, suit, to, seen)) if cards or not held else None


_NO_ACT = list(Deed(0))


def _member(members: int, at: int) -> int:
    """The set of one member, counted from the lowest."""
    for _ in range(at):
        members &= members - 1
    return members & -members


def _drawn(pairs: bool, held: int, number: int) -> int:
    """One card of those held, or a pair; none where there are too few."""
    count = held.bit_count()
    if not pairs:
        return _member(held, number % count) if count else 0
    if count < 2:
        return 0
    number, low, rest = number % comb(count, 2), 0, count - 1
    while number >= rest:
        number, low, rest = number - rest, low + 1, rest - 1
    return _member(held, low) | _member(held, low + 1 + number)


# what is told --------------------------------------------------------------------------------------------------------


class Violated(AssertionError):
    """A play violates parts of properties; the message is the play as a case that can be kept in a file."""


def violation(rules: Rules, play: Play, parts: Sequence[str]) -> Violated:
    """The failure to raise: what is violated, what that means, and the play."""
    found = PROPERTIES[parts[0].split("/")[0]]
    others = f" (and {', '.join(parts[1:])})" if parts[1:] else ""
    lines = [f"{parts[0]} is violated{others}: {found.says}", found.failure, "", *case_lines(rules, play, parts[0])]
    return Violated("\n".join(lines))


def case_lines(rules: Rules, play: Play, part: str) -> Iterator[str]:
    """The play as a case file."""
    s, names = rules.system, rules.system.view.names
    sides = [" ".join(n for i, n in enumerate(names) if group >> i & 1) for group in play.groups]
    yield from ("case: FOUND", f"title: a play that violates {part}", f"code: {s.code.id}:{s.game}")
    if rules.left_out:
        yield f"without: [{', '.join(rules.left_out)}]"
    yield f"sides: [{', '.join(sides)}]"
    yield f"trumps: {SUIT_NAMES[play.trumps.bit_length() - 1] if play.trumps else 'none'}"
    yield f"leader: {names[play.leader]}"
    yield "readings: {" + ", ".join(f"{key}: {choice}" for key, choice in play.readings.items()) + "}"
    yield "deal:"
    yield from (f"  {n}: {' '.join(s.deck.names(h))}" for n, h in zip(names, play.hands, strict=True))
    yield "acts:" if play.acts else "acts: []"
    yield from (f"  - {sentence}" for sentence in sentences(rules, play))


def sentences(rules: Rules, play: Play) -> Iterator[str]:
    """The acts of a play in words."""
    names = rules.system.view.names
    for kind, act in play.acts:
        seat, who = act.get("act.seat", 0), names[act["act.actor"].bit_length() - 1]
        about = names[seat.bit_length() - 1] if seat else ""
        cards, suit, seen = (act.get(f"act.{name}", 0) for name in ("cards", "suit", "seen"))
        yield str(sentence_of(kind, who, about, cards, suit, seen, rules.system.deck))


# Hypothesis ----------------------------------------------------------------------------------------------------------


class PlayMachine(RuleBasedStateMachine):
    """Plays of a game; `machine_for` makes a subclass with a rule for each kind of act.

    Attributes:
        coverage: what all plays of the class have come to.
    """

    rules_: ClassVar[Rules]
    buffers: ClassVar[Buffers]
    coverage: ClassVar[Coverage]
    readings: ClassVar[Mapping[str, str]]
    allowed: ClassVar[frozenset[str]]
    table: Table

    @initialize(number=st.integers(0, DEALS - 1))
    def deal(self, number: int) -> None:
        """Deal; a smaller number gives a plainer deal."""
        self.begin(number)

    def begin(self, number: int) -> None:
        """Begin a new play."""
        self.table = Table(self.rules_, self.buffers, self.coverage, deal(self.rules_, number, self.readings))

    def do(self, name: str, number: int) -> None:
        """Do what the number means under a rule of the table, and look at the properties after each act."""
        for _ in self.table.run(name, number):
            self.properties_hold()

    @invariant()
    def properties_hold(self) -> None:
        """The last act, and the state after it, violate nothing that is not allowed."""
        bad = [part for part in self.table.violated if part not in self.allowed]
        if bad:
            raise violation(self.rules_, self.table.play, bad)


def machine_for(
    code: Code,
    game: str,
    properties: Sequence[str] | None = None,
    readings: Mapping[str, str] | None = None,
    allowed: Collection[str] = (),
    rules: Rules | None = None,
) -> type[PlayMachine]:
    """A state machine that plays a game of a code on the full pack.

    Parameters:
        properties: the properties checked; all unless given.
        readings: the choices that are fixed; the others are drawn.
        allowed: properties, or parts such as `one-enforcer/BS.20.0`, that may be violated: those known to be refuted.
        rules: the game as compiled before, so that it is not compiled again.

    Raises:
        UnknownName: there is no such property or part.
    """
    rules = rules or Rules(code, game, properties)
    members: dict[str, Any] = {
        "__doc__": f"Plays of {code.id}:{game}.",
        "rules_": rules,
        "buffers": Buffers(rules.native),
        "coverage": Coverage(rules),
        "readings": dict(readings or {}),
        "allowed": rules.select_parts(allowed),
    }
    for name in ("regular", "round", "right", *rules.kinds):
        called = re.sub(r"\W+", "_", f"some {name}" if name in rules.kinds else name)
        members[called] = _rule(called, name)
    return type("Play", (PlayMachine,), members)


def _rule(called: str, name: str) -> Any:
    """A rule of that identifier; Hypothesis shrinks to those whose identifiers come first in the alphabet.

    The number says how many regular acts come before the act proper, since Hypothesis leaves out some rules altogether
    in most plays; an odd one deals anew where the hand is over. There are no more rules and preconditions than needed:
    each makes the sequences longer that Hypothesis has to shrink.
    """

    def act(self: PlayMachine, n: int) -> None:
        n, before = divmod(n, ROUND)
        if self.table.over and before % 2:
            self.begin(n)
            return
        if name == Do.ATTENTION.value:  # there is seldom anything to notice: let somebody lead first
            self.do(Do.LEAD.value, n)
            before = 0
        for _ in range(before):
            n, regular = divmod(n, 16)
            self.do("regular", regular)
        self.do(name, n)

    act.__name__ = act.__qualname__ = called
    return rule(n=st.integers(0, NUMBERS - 1))(act)


# the plain loop ------------------------------------------------------------------------------------------------------


@dataclass
class Record:
    """What many plays have come to: the shortest play found that violates each part, in how many acts."""

    rules: Rules
    coverage: Coverage
    plays: dict[str, Play] = field(default_factory=dict)
    acts: int = 0
    seconds: float = 0.0

    def keep(self, table: Table) -> None:
        """Remember the play for the parts that its last act violates."""
        for part in table.violated:
            if part not in self.plays or len(table.acts) < len(self.plays[part].acts):
                self.plays[part] = table.play


def play_many(
    code: Code,
    game: str,
    seconds: float | None = None,
    acts: int | None = None,
    seed: int = 0,
    properties: Sequence[str] | None = None,
    readings: Mapping[str, str] | None = None,
    rules: Rules | None = None,
) -> Record:
    """Play without Hypothesis until so many seconds are over or so many acts are done, whichever comes first.

    Parameters:
        seed: the plays are the same for the same seed.
        properties, readings, rules: as for `machine_for`.

    Raises:
        ValueError: neither seconds nor acts are given.
    """
    if seconds is None and acts is None:
        raise ValueError("play_many never ends without seconds=... or acts=...")
    rules = rules or Rules(code, game, properties)
    record, chance, buffers = Record(rules, Coverage(rules)), random.Random(seed), Buffers(rules.native)
    names, started = rules.rule_names(), time.perf_counter()
    while (acts is None or record.acts < acts) and (seconds is None or record.seconds < seconds):
        table = Table(rules, buffers, record.coverage, deal(rules, chance.randrange(DEALS), readings or {}))
        record.keep(table)
        for _ in range(LONGEST_PLAY):
            for _ in table.run(chance.choice(names), chance.randrange(NUMBERS)):
                record.acts += 1
                record.keep(table)
            if table.over and chance.random() < 0.5:
                break
        record.seconds = time.perf_counter() - started
    return record

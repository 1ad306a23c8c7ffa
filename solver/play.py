"""Random play of full deals, by Hypothesis or by a plain loop: regular play mixed with anything that anybody can do.

Every act is a rule with one number; a smaller number, and an earlier rule, is more regular, so that Hypothesis shrinks a
failing play to a plain one. The parts of properties over states are checked in every state, those over acts at every act.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tricklaw.model.acts import Do
from tricklaw.model.cards import SUIT_NAMES
from tricklaw.model.deals import marks_in_words
from tricklaw.model.law import Code
from tricklaw.model.native import Buffers
from tricklaw.model.sentences import act_in_words
from tricklaw.properties import PROPERTIES
from tricklaw.solver.coverage import Coverage
from tricklaw.solver.plays import Play
from tricklaw.solver.rules import Rules
from tricklaw.solver.sitting import ROUND, Sitting, deal

LONGEST_PLAY = 60
"""Acts of the plain loop before it deals anew."""

NUMBERS = 1 << 24
"""A number drawn for an act is below this."""

DEALS = 1 << 48
"""A number drawn for a deal is below this."""


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
    marks = marks_in_words(play.marks, s.deck, names)
    yield from ["marks:", *(f"  {mark}: {' '.join(words)}" for mark, words in marks.items())] if marks else []
    yield "acts:" if play.acts else "acts: []"
    yield from (f"  - {act_in_words(kind, act, s.deck, names)}" for kind, act in play.acts)


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
    sitting: Sitting

    @initialize(number=st.integers(0, DEALS - 1))
    def deal(self, number: int) -> None:
        """Deal; a smaller number gives a plainer deal."""
        self.begin(number)

    def begin(self, number: int) -> None:
        """Begin a new play."""
        self.sitting = Sitting(self.rules_, self.buffers, self.coverage, deal(self.rules_, number, self.readings))

    def do(self, name: str, number: int) -> None:
        """Do what the number means under a rule, and look at the properties after each act."""
        for _ in self.sitting.run(name, number):
            self.properties_hold()

    @invariant()
    def properties_hold(self) -> None:
        """The last act, and the state after it, violate nothing that is not allowed."""
        bad = [part for part in self.sitting.violated if part not in self.allowed]
        if bad:
            raise violation(self.rules_, self.sitting.play, bad)


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
        if self.sitting.over and before % 2:
            self.begin(n)
            return
        if name == Do.ATTENTION.value:  # there is seldom anything to notice: let somebody lead first
            self.do(Do.LEAD.value, n)
            before = 0
        for _ in range(before):
            n, regular = divmod(n, 16)
            self.do("regular", regular)
        if name == Do.ADD.value:  # there is seldom a trick that lacks a card: let somebody omit his
            self.do(Do.OMIT.value, n)
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

    def keep(self, sitting: Sitting) -> None:
        """Remember the play for the parts that its last act violates."""
        for part in sitting.violated:
            if part not in self.plays or len(sitting.acts) < len(self.plays[part].acts):
                self.plays[part] = sitting.play


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
        sitting = Sitting(rules, buffers, record.coverage, deal(rules, chance.randrange(DEALS), readings or {}))
        record.keep(sitting)
        for _ in range(LONGEST_PLAY):
            for _ in sitting.run(chance.choice(names), chance.randrange(NUMBERS)):
                record.acts += 1
                record.keep(sitting)
            if sitting.over and chance.random() < 0.5:
                break
        record.seconds = time.perf_counter() - started
    return record

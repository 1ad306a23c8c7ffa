"""Plays: a deal and the acts that follow; found on small decks, replayed on the full pack.

A play on a small deck is a play of the full model, its cards being the highest of the first suits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import z3

from tricklaw.model.acts import ActKind
from tricklaw.model.deals import Marks, marks_of, moved
from tricklaw.model.names import variables
from tricklaw.model.state import Slot
from tricklaw.model.system import READING, System
from tricklaw.model.table import SEAT_NAMES, Groups
from tricklaw.solver._explorer_loop import Words
from tricklaw.solver._explorer_plan import settled
from tricklaw.solver._following import follow
from tricklaw.solver.compiled import Compiled, Row, rigid_values
from tricklaw.solver.explorer import Played
from tricklaw.solver.readings import Assignment, assignment, assignment_in, named


@dataclass(frozen=True)
class Play:
    """A play from a deal: cards of the full pack as bit-sets, acts as the fields of the act by kind of act."""

    hands: tuple[int, ...]
    leader: int
    groups: Groups
    trumps: int
    readings: Mapping[str, str]
    acts: tuple[tuple[ActKind, Mapping[str, int]], ...]
    marks: Marks = field(default_factory=dict)


@dataclass(frozen=True)
class Spot:
    """A state come to on a small deck, with the deal and the way there."""

    row: Row
    start: Row
    way: tuple[Played, ...] = ()


def play_of(system: System, start: Mapping[str, int], rigid: Mapping[str, int], path: Sequence[Played]) -> Play:
    """The play on the full pack that a path from a state dealt on a small deck means."""
    deck = system.deck
    kinds = {k.name: k for k in system.kinds}
    acts = []
    for played in path:
        act = dict(played.act)
        if act.get("act.cards"):
            act["act.cards"] = deck.to(system.pack, act["act.cards"])
        acts.append((kinds[played.step], act))
    names = SEAT_NAMES[system.seats]
    hands = tuple(deck.to(system.pack, start[f"own.{n}"]) for n in names)
    groups = tuple(dict.fromkeys(rigid[f"mates.{n}"] | 1 << i for i, n in enumerate(names)))
    readings = named(system, assignment_in(system, rigid))
    marks = moved(marks_of(system.slots, start), deck, system.pack)
    return Play(hands, start["turn"].bit_length() - 1, groups, rigid["trumps"], readings, tuple(acts), marks)


class Player:
    """Replays plays and says what they come to, under any assignments of readings, on the deck of a compiled system."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.system = compiled, compiled.system
        native = compiled.native
        self._watched = compiled.watch_width
        width = max(native.temp_words, 2 + native.words, self._watched)
        self._room = np.zeros((2, width), np.uint64)
        watch = native.addresses["watch"] if self._watched else 0
        self._functions = np.array([native.prepare_address, watch], np.uint64)
        self._rigids: dict[tuple[object, ...], Words] = {}
        self._moved: dict[int, int] = {}
        self._whole = self.system.deck == self.system.pack

    def violating(self, play: Play, part: str, readings: Sequence[Assignment]) -> list[Assignment]:
        """The assignments under which each act of the play is possible in turn and the play ends in a violation."""
        (told, _), compiled = self._follow(play, readings), self.compiled
        done = told[:, 0] == len(play.acts)
        if part in compiled.unwatched:
            return self._violating_by_z3(play, part, [readings[at] for at in np.flatnonzero(done).tolist()])
        if part in compiled.acts:
            bad = done & (told[:, 1] >> np.uint64(compiled.act_flag(part)) & np.uint64(1) != 0)
        else:
            bad = done & (told[:, 2 + compiled.violated_at[part]] != 0)
        return [readings[at] for at in np.flatnonzero(bad).tolist()]

    def _violating_by_z3(self, play: Play, part: str, readings: Sequence[Assignment]) -> list[Assignment]:
        """The same for a part that the machine code does not watch for: its claim about the last act, evaluated."""
        if not play.acts or not readings:
            return []
        kind, act = play.acts[-1]
        claim = self.compiled.unwatched[part](self.system.step(kind))
        if claim is None:
            return []
        _, ends = self._follow(replace(play, acts=play.acts[:-1]), readings)
        deed = {**act, "act.cards": self._cards(act.get("act.cards", 0))}
        plain = [slot for slot in self.system.rigid_slots if not slot.name.startswith(READING)]
        chosen = [slot for slot in self.system.rigid_slots if slot.name.startswith(READING)]
        rigid, bad = rigid_values(self.system, play.groups, play.trumps, {}), []
        left: dict[bytes, tuple[z3.BoolRef, list[int]]] = {}
        """For each state at the end what the claim comes to, and the readings that this speaks of."""
        known: dict[tuple[bytes, tuple[int, ...]], bool] = {}
        for reading, row in zip(readings, ends, strict=True):
            key = row.tobytes()
            if key not in left:
                values = self.compiled.native.unpack(row) | deed | rigid
                pairs = _pairs([*self.system.slots, *self.system.act_slots, *plain], values)
                term = z3.simplify(z3.substitute(claim.violated, *pairs))
                said = variables(term)
                left[key] = term, [at for at, slot in enumerate(chosen) if slot.name in said]
            term, speaks_of = left[key]
            choice = tuple(reading[at] for at in speaks_of)
            if (key, choice) not in known:
                pairs = _pairs((chosen[at] for at in speaks_of), {chosen[at].name: reading[at] for at in speaks_of})
                known[key, choice] = z3.is_true(z3.simplify(z3.substitute(term, *pairs)))
            if known[key, choice]:
                bad.append(reading)
        return bad

    def violates(self, play: Play, part: str) -> bool:
        """Whether the play is one, and violates the part, under its own readings."""
        return bool(self.violating(play, part, [assignment(self.system, play.readings)]))

    def along(self, play: Play) -> list[Spot]:
        """The states before each act of the play, the deal first, as far as its acts are possible."""
        start, played, width = self.start(play), self._played(play), self.compiled.native.words
        own, spots = [assignment(self.system, play.readings)], list[Spot]()
        for many in range(len(played)):
            told, ends = self._follow(replace(play, acts=play.acts[:many]), own)
            if told[0, 0] < many:
                break
            spots.append(Spot(np.concatenate([ends[0], start[width:]]), start, tuple(played[:many])))
        return spots

    def start(self, play: Play) -> Row:
        """The row of the deal."""
        hands = [self._cards(hand) for hand in play.hands]
        marks = play.marks if self._whole else moved(play.marks, self.system.pack, self.system.deck)
        return self.compiled.initial(hands, play.leader, play.groups, play.trumps, dict(play.readings), marks)

    def irregular(self, play: Play, flags: int) -> int:
        """How many of the acts have one of the step flags (a mask)."""
        own = [assignment(self.system, play.readings)]
        ends = (replace(play, acts=play.acts[: i + 1]) for i in range(len(play.acts)))
        return sum(bool(int(self._follow(p, own)[0][0, 1]) & flags) for p in ends)

    def _played(self, play: Play) -> list[Played]:
        """The acts of the play on the deck of the compiled system."""
        return [Played(k.name, {**act, "act.cards": self._cards(act.get("act.cards", 0))}) for k, act in play.acts]

    def _cards(self, cards: int) -> int:
        if self._whole:
            return cards
        if cards not in self._moved:
            self._moved[cards] = self.system.pack.to(self.system.deck, cards)
        return self._moved[cards]

    def _follow(self, play: Play, readings: Sequence[Assignment]) -> tuple[Words, Words]:
        """For each assignment how many acts are possible, the flags of the last, the watched outputs; the words at the end."""
        native, order = self.compiled.native, [s.name for s in self.system.act_slots]
        steps = np.array([native.addresses[kind.name] for kind, _ in play.acts], np.uint64)
        fields = [played.act for played in self._played(play)]
        acts = np.array([[act.get(name, 0) for name in order] for act in fields], np.uint64).reshape(
            len(fields), len(order)
        )
        ends = np.tile(self.start(play)[: native.words], (len(readings), 1))
        told = np.zeros((len(readings), 2 + self._watched), np.uint64)
        follow(self._functions, steps, acts, self._settled(play, readings), self._room, ends, told)
        return told, ends

    def _settled(self, play: Play, readings: Sequence[Assignment]) -> Words:
        key = (play.groups, play.trumps, *readings)
        if key not in self._rigids:
            values = rigid_values(self.system, play.groups, play.trumps, {})
            order = [slot.name for slot in self.system.rigid_slots]
            rows = np.tile(np.array([values[name] for name in order], np.uint64), (len(readings), 1))
            chosen = [order.index(READING + reading) for reading in self.system.readings]
            rows[:, chosen] = np.array(readings, np.uint64).reshape(len(readings), len(chosen))
            self._rigids[key] = settled(self.compiled.native, rows)
        return self._rigids[key]

    def reduced(self, play: Play, part: str) -> Play:
        """The play without acts that the violation has no need of: one, or two next to each other, left out at a time."""
        shorter = True
        while shorter:
            shorter = False
            for length in (1, 2):
                for at in range(len(play.acts) - length, -1, -1):
                    trial = replace(play, acts=play.acts[:at] + play.acts[at + length :])
                    if self.violates(trial, part):
                        play, shorter = trial, True
        return play


def _pairs(slots: Iterable[Slot], values: Mapping[str, int]) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    return [(slot.term(), z3.BitVecVal(values.get(slot.name, 0), slot.width)) for slot in slots]

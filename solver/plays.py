"""Plays: a deal and the acts that follow; found on small decks, replayed on the full pack.

A play on a small deck is a play of the full model, its cards being the highest of the first suits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tricklaw.model.acts import ActKind
from tricklaw.model.cards import FULL
from tricklaw.model.native import Buffers
from tricklaw.model.state import SEAT_NAMES
from tricklaw.model.system import System
from tricklaw.model.table import Groups
from tricklaw.solver.compiled import Compiled, Row, rigid_values
from tricklaw.solver.explorer import Played


@dataclass(frozen=True)
class Play:
    """A play from a deal: cards of the full pack as bit-sets, acts as the fields of the act by kind of act."""

    hands: tuple[int, ...]
    leader: int
    groups: Groups
    trumps: int
    readings: Mapping[str, str]
    acts: tuple[tuple[ActKind, Mapping[str, int]], ...]


def play_of(system: System, start: Mapping[str, int], rigid: Mapping[str, int], path: Sequence[Played]) -> Play:
    """The play on the full pack that a path from a state dealt on a small deck means."""
    deck = system.deck
    kinds = {k.name: k for k in system.kinds}
    acts = []
    for played in path:
        act = dict(played.act)
        if act.get("act.cards"):
            act["act.cards"] = deck.to_full(act["act.cards"])
        acts.append((kinds[played.step], act))
    names = SEAT_NAMES[system.seats]
    hands = tuple(deck.to_full(start[f"own.{n}"]) for n in names)
    groups = tuple(dict.fromkeys(rigid[f"mates.{n}"] | 1 << i for i, n in enumerate(names)))
    readings = {key: choices[rigid[f"reading/{key}"]] for key, choices in system.readings.items()}
    return Play(hands, start["turn"].bit_length() - 1, groups, rigid["trumps"], readings, tuple(acts))


class Player:
    """Replays plays and says what they come to, under any assignment of readings, on the deck of a compiled system."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.system = compiled, compiled.system
        self._buffers = Buffers(compiled.native)
        self._order = [s.name for s in self.system.act_slots]
        self._whole = self.system.deck == FULL

    def _cards(self, cards: int) -> int:
        return cards if self._whole else self.system.deck.from_full(cards)

    def start(self, play: Play, readings: Mapping[str, str]) -> Row:
        """The row of the deal."""
        hands = [self._cards(hand) for hand in play.hands]
        return self.compiled.initial(hands, play.leader, play.groups, play.trumps, dict(readings))

    def _run(self, play: Play, readings: Mapping[str, str]) -> Iterator[tuple[list[int], list[int], int]]:
        """The state and the rigid constants after each act, with the flags of the act; ends where one is impossible."""
        row, width = self.start(play, readings).tolist(), self.compiled.native.words
        words, rigid = row[:width], row[width:]
        yield words, rigid, 0
        for kind, act in play.acts:
            values = {**act, "act.cards": self._cards(act.get("act.cards", 0))}
            self._buffers.load(words, rigid, [values.get(name, 0) for name in self._order])
            possible, flags, *after = self._buffers.successor(kind.name)
            if not possible:
                return
            words = list(after)
            yield words, rigid, flags

    def flags(self, play: Play) -> list[int]:
        """The step flags of each act."""
        return [flags for _, _, flags in self._run(play, play.readings)][1:]

    def violates(self, play: Play, part: str, readings: Mapping[str, str]) -> bool:
        """Whether each act of the play is possible in turn and the play ends in a violation of the part."""
        c, states = self.compiled, list(self._run(play, readings))
        if len(states) <= len(play.acts):
            return False
        words, rigid, flags = states[-1]
        if part in c.acts:
            return bool(flags >> c.act_flag(part) & 1)
        self._buffers.load(words, rigid, [0] * len(self._order))
        return bool(self._buffers.outputs("watch")[c.violated_at[part]])

    def reduced(self, play: Play, part: str) -> Play:
        """The play without acts that the violation has no need of: one, or two next to each other, left out at a time."""
        shorter = True
        while shorter:
            shorter = False
            for length in (1, 2):
                for at in range(len(play.acts) - length, -1, -1):
                    trial = replace(play, acts=play.acts[:at] + play.acts[at + length :])
                    if self.violates(trial, part, play.readings):
                        play, shorter = trial, True
        return play


def rigid_of(system: System, play: Play, readings: Mapping[str, str]) -> dict[str, int]:
    """The rigid constants of a play."""
    return rigid_values(system, play.groups, play.trumps, dict(readings))

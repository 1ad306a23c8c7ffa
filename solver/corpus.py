"""What random plays have come to so far: states to go on from, as a fuzzer goes on from inputs that came far."""

from __future__ import annotations

import random
from collections.abc import Collection

import numpy as np

from tricklaw.solver.compiled import SITUATIONS, Compiled
from tricklaw.solver.plays import Spot
from tricklaw.solver.readings import Assignment

LAST = 600
"""How many of the last states of a corpus are always gone on from."""


class Corpus:
    """States that walks came to in which something new can be said of some player, to go on from.

    New is what was seldom said of a player before together with something else, as a fuzzer counts pairs of branches.

    Attributes:
        words: how many words can be said of each player.
        met: how often each two things were said together.
        spots: the states with their readings, as they were come to.
    """

    def __init__(self, compiled: Compiled) -> None:
        width = next(len(f.outputs) for f in compiled.native.system.functions if f.name == SITUATIONS)
        self.words = width // compiled.system.seats
        self.met = np.zeros((64 * self.words, 64 * self.words), np.int64)
        self.spots: list[tuple[Assignment, Spot]] = []

    def some(self, source: random.Random, many: int, readings: Collection[Assignment]) -> list[Spot]:
        """So many of them, at most, and the last besides, which are the rarest; under these readings."""
        spots = [spot for under, spot in self.spots if under in readings]
        return source.sample(spots, min(many, len(spots))) + 2 * spots[-LAST:]

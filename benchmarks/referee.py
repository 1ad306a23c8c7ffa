"""Acts a second of the referee, on random plays of the full pack: `python benchmarks/referee.py`."""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

from tricklaw.model._machine_play import plays
from tricklaw.model.acting import written
from tricklaw.model.codes import resolve
from tricklaw.model.referee import Referee, machine_of


def main() -> None:
    """Play, then put the same acts to the machine, and to the referee who tells all that holds after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["duplicate-whist:whist", "whist-family:boston"])
    parser.add_argument("--acts", type=int, default=20_000)
    given = parser.parse_args()
    for name in given.games:
        measure(name, given.acts)


def measure(name: str, acts: int) -> None:
    """Print the speeds for a game."""
    code, game = resolve(name)
    assert game, f"name a game: {name}:GAME"
    machine = machine_of(code, game)
    turns = [t for t in islice(plays(machine, random.Random(1)), acts) if machine.step(*t).possible]
    said = [(written(machine.system.kind(t.kind), t.deed, machine), t.state, t.rigid) for t in turns]
    referee = Referee(machine)
    print(f"{name}: {len(turns):,} acts; load {os.getloadavg()[0]:.1f}")
    print(f"  the act, what it breaks and sets off: {speed(machine.step, turns):,.0f} acts/s")
    print(
        f"  from the sentence to a ruling, with all that holds then: {speed(partial(referee.rule, 1), said):,.0f} acts/s"
    )


def speed(act: Callable[..., object], turns: Sequence[tuple[Any, ...]]) -> float:
    """How many a second."""
    started = time.perf_counter()
    for turn in turns:
        act(*turn)
    return len(turns) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()

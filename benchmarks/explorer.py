"""Transitions a second of the explorer on a real code, and what compiling costs: `python benchmarks/explorer.py`."""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path

import numpy as np

from tricklaw.model.cards import Deck
from tricklaw.model.codes import resolve
from tricklaw.model.law import Code
from tricklaw.model.system import System
from tricklaw.properties import PROPERTIES
from tricklaw.solver.compiled import UNLAWFUL, Compiled, Row
from tricklaw.solver.explorer import Budget, explore


def main() -> None:
    """Compile twice, cold and from the cache, then explore."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="duplicate-whist:whist")
    parser.add_argument("--cards", type=int, default=2, help="cards each")
    parser.add_argument("--irregular", type=int, default=2, help="irregular acts in a play")
    parser.add_argument("--deals", type=int, default=1)
    parser.add_argument("--states", type=int, default=1_000_000, help="at most")
    given = parser.parse_args()
    code, game = resolve(given.game)
    assert game, f"name a game: {given.game}:GAME"
    with tempfile.TemporaryDirectory() as folder:
        for what in ("cold", "cached"):
            compiled = compile_once(code, game, Path(folder), what)
        run(compiled, roots(compiled, given.cards, given.deals), given.irregular, given.states)


def compile_once(code: Code, game: str, cache: Path, what: str) -> Compiled:
    """The model on a small deck, with the seconds that its terms and its machine code took."""
    started = time.perf_counter()
    system = System(code.restrict(game), game, Deck(2, 4))
    parts = {f"{p.id}/{q.right}": q for p in PROPERTIES.values() for q in p.parts(system)}
    compiled = Compiled(system, parts, cache)
    built = time.perf_counter()
    _ = compiled.native
    ended = time.perf_counter()
    print(f"{what}: terms {built - started:.1f} s, steps and machine code {ended - built:.1f} s; load {_load()}")
    return compiled


def roots(compiled: Compiled, cards: int, deals: int) -> list[Row]:
    """The starts: some deals, with and without trumps, in every arrangement."""
    system, chance, found = compiled.system, random.Random(1), []
    for _ in range(deals):
        pack = list(range(system.deck.size))
        chance.shuffle(pack)
        hands = [sum(1 << c for c in pack[i * cards : (i + 1) * cards]) for i in range(system.seats)]
        found += [compiled.initial(hands, 0, g, trumps, {}) for trumps in (0, 1) for g in system.arrangements]
    return found


def run(compiled: Compiled, rows: list[Row], irregular: int, states: int) -> None:
    """Explore and print the speed; the first run compiles the loop itself, so it is not the one that counts."""
    explore(compiled.native, compiled.moves, np.array(rows), max_states=1000, watch="watch")
    result = explore(
        compiled.native,
        compiled.moves,
        np.array(rows),
        max_states=states,
        budget=Budget(UNLAWFUL, irregular),
        watch="watch",
        watch_flags=sum(1 << compiled.act_flag(name) for name in compiled.acts),
    )
    print(f"{len(rows)} starts, {len(result.states):,} states, {result.transitions:,} transitions, {result.ending}")
    print(f"{result.seconds:.1f} s, {result.transitions / result.seconds:,.0f} transitions/s; load {_load()}")


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()

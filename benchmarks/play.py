"""Acts a second of random play, by Hypothesis and by the plain loop, and what it finds: `python benchmarks/play.py`."""

from __future__ import annotations

import argparse
import os
import time

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tricklaw.model.codes import resolve
from tricklaw.solver.coverage import unfired
from tricklaw.solver.play import Record, machine_for, play_many
from tricklaw.solver.rules import Rules


def main() -> None:
    """Measure each game named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["duplicate-whist:whist", "whist-family:whist"])
    parser.add_argument("--seconds", type=float, default=10.0, help="of the plain loop")
    parser.add_argument("--examples", type=int, default=100, help="of Hypothesis, of 40 steps each")
    given = parser.parse_args()
    for name in given.games:
        measure(name, given.seconds, given.examples)


def measure(name: str, seconds: float, examples: int) -> None:
    """Print the speeds for one game."""
    code, game = resolve(name)
    assert game, f"name a game: {name}:GAME"
    started = time.perf_counter()
    rules = Rules(code, game)
    _ = rules.native
    print(f"{name}: {len(rules.parts)} parts, ready in {time.perf_counter() - started:.1f} s; load {_load()}")
    record = play_many(code, game, seconds=seconds, rules=rules)
    print(f"  plain loop: {record.acts:,} acts, {record.acts / record.seconds:,.0f} acts/s; load {_load()}")
    acts, spent = hypothesis_speed(rules, examples)
    print(f"  Hypothesis: {acts:,} acts, {acts / spent:,.0f} acts/s; load {_load()}")
    _tell(record)


def hypothesis_speed(rules: Rules, examples: int) -> tuple[int, float]:
    """Acts and seconds of a run of the state machine in which everything is allowed, so that nothing is shrunk."""
    machine = machine_for(rules.system.code, rules.game, allowed=list(rules.parts), rules=rules)
    how = settings(
        max_examples=examples,
        stateful_step_count=40,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    started = time.perf_counter()
    run_state_machine_as_test(machine, settings=how)
    return sum(machine.coverage.acts.values()), time.perf_counter() - started


def _tell(record: Record) -> None:
    found = sorted(record.plays.items(), key=lambda item: len(item[1].acts))
    print(f"  violated, with the acts of the shortest play: {', '.join(f'{p} {len(q.acts)}' for p, q in found)}")
    print(f"  never fired: {', '.join(unfired(record.coverage)) or 'nothing'}")


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()

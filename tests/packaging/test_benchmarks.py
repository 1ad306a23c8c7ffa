"""The benchmarks still run; how fast is no matter of a test."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("explorer", ("--states", "2000"), "transitions/s"),
        ("play", ("duplicate-whist:whist", "--seconds", "0.5"), "acts/s"),
        ("referee", ("duplicate-whist:whist", "--acts", "200"), "acts/s"),
    ],
)
def test_a_benchmark_runs(name: str, arguments: tuple[str, ...], says: str) -> None:
    """With little to do; it prints a speed."""
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout

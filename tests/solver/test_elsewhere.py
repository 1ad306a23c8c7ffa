"""Calls in processes of their own: their order, what they tell, and what comes of those that fail."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tricklaw.model.errors import UnknownName
from tricklaw.solver.elsewhere import LostCall, call_all

CALLED = """
import os, time
from pathlib import Path
from tricklaw.model.errors import UnknownName

def wait_for(one, tell):
    while not Path(one).exists():
        time.sleep(0.01)
    return one

def write(one, tell):
    tell(f"writing {one}")
    print("noise")
    Path(one).touch()
    return one, os.getpid()

def unknown(name, tell):
    raise UnknownName(f"unknown {name}")

def wrong(name, tell):
    return 1 // 0

def ended(code, tell):
    os._exit(code)

def forever(one, tell):
    Path(one + "~").write_text(str(os.getpid()))
    os.rename(one + "~", one)
    time.sleep(600)

def either(name, one, tell):
    return globals()[name](one, tell)
"""


@pytest.fixture(scope="module")
def called(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A module that other processes find too."""
    folder = tmp_path_factory.mktemp("called")
    (folder / "called_elsewhere.py").write_text(CALLED)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("called_elsewhere")


def test_results_come_in_order_whichever_is_begun_or_done_first(called: ModuleType, tmp_path: Path) -> None:
    """The first waits for what the second does; what is told is heard, what is printed is not taken for a result."""
    told: list[str] = []
    file = str(tmp_path / "written")
    calls = [("wait_for", file), ("write", file)]
    first, second = call_all(called.either, calls, 2, told.append, [1, 0])
    assert first == second[0] == file
    assert second[1] != os.getpid()
    assert told == [f"writing {file}"]


def test_what_a_call_raises_is_raised_here(called: ModuleType) -> None:
    """An error of the user's as it is; any other with the place where it came up."""
    with pytest.raises(UnknownName, match="unknown law"):
        list(call_all(called.unknown, [("law",)], 1, None, [0]))
    with pytest.raises(LostCall, match=r"called_elsewhere.py(.|\n)*ZeroDivisionError"):
        list(call_all(called.wrong, [("law",)], 1, None, [0]))


def test_a_process_that_ends_without_an_answer_is_an_error(called: ModuleType) -> None:
    """And not a missing result."""
    with pytest.raises(LostCall, match=r"ended without an answer \(exit code 3\)"):
        list(call_all(called.ended, [(3,)], 1, None, [0]))


def test_a_process_that_cannot_be_started_is_an_error(called: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says by what it was to be started."""
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(LostCall, match="no process can be started as '/no/such/python'"):
        list(call_all(called.wrong, [("law",)], 1, None, [0]))


def test_one_that_fails_ends_the_others(called: ModuleType, tmp_path: Path) -> None:
    """No process is left behind."""
    file = tmp_path / "process"
    calls = [("wait_for", str(file)), ("unknown", "law"), ("forever", str(file))]
    results = call_all(called.either, calls, 3, None, [2, 0, 1])
    assert next(results) == str(file)
    with pytest.raises(UnknownName):
        next(results)
    process = Path(f"/proc/{file.read_text()}")
    for _ in range(100):
        if not process.exists():
            break
        time.sleep(0.05)
    assert not process.exists()

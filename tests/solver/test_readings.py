"""Conditions over readings are exact and short."""

from __future__ import annotations

import pytest
import z3

from tricklaw.model.codes import resolve
from tricklaw.model.errors import UnknownName
from tricklaw.model.system import System
from tricklaw.solver import readings


@pytest.fixture(scope="module")
def system() -> System:
    """Whist Family Laws, the game of whist."""
    return System(resolve("whist-family")[0].restrict("whist"), "whist")


def test_one_reading_that_decides_is_named_alone(system: System) -> None:
    """Where one reading decides, the condition names it and no other."""
    everything = readings.assignments(system, {})
    position = list(system.readings).index("RS7")
    chosen = [a for a in everything if a[position] == 1]
    assert readings.condition(system, chosen, everything) == "RS7 = passes"


def test_two_readings_that_decide_together_are_both_named(system: System) -> None:
    """Where two readings decide, the condition is the conjunction."""
    everything = readings.assignments(system, {})
    keys = list(system.readings)
    i, j = keys.index("RS2"), keys.index("RS7")
    chosen = [a for a in everything if a[i] == 0 and a[j] == 1]
    assert readings.condition(system, chosen, everything) == "RS2 = lapses and RS7 = passes"


def test_the_constraint_means_the_same_as_the_set(system: System) -> None:
    """The term is true of the chosen assignments and false of the others."""
    everything = readings.assignments(system, {})
    chosen = everything[::3]
    term = readings.constraint(system, chosen, everything)
    for a in everything:
        pairs = [
            (system.view.rigid[f"reading/{key}"], z3.BitVecVal(i, 2)) for key, i in zip(system.readings, a, strict=True)
        ]
        assert z3.is_true(z3.simplify(z3.substitute(term, *pairs))) == (a in chosen)


def test_fixing_a_reading_leaves_its_one_choice(system: System) -> None:
    """Only assignments with the fixed choice are left."""
    left = readings.assignments(system, {"RS7": "passes"})
    assert {readings.named(system, a)["RS7"] for a in left} == {"passes"}
    assert len(left) * 2 == len(readings.assignments(system, {}))


def test_an_unknown_choice_is_told_with_the_nearest(system: System) -> None:
    """The message names the reading and the choice that was probably meant."""
    with pytest.raises(UnknownName, match=r"unknown choice 'pases' of reading RS7.*'passes'"):
        readings.check_fixed(system, {"RS7": "pases"})


def test_the_choices_of_one_reading_split_the_assignments(system: System) -> None:
    """Each assignment makes one choice for a reading; names and indices say the same."""
    everything = readings.assignments(system, {})
    key = next(iter(system.readings))
    parts = readings.choices(system, key, everything)
    assert len(parts) == len(system.readings[key])
    assert sorted(a for part in parts for a in part) == sorted(everything)
    assert [readings.assignment(system, readings.named(system, a)) for a in everything] == everything


def test_some_assignments_are_the_recommended_one_and_others(system: System) -> None:
    """The same at each call, no more than asked for, all of them where there are fewer."""
    everything = readings.assignments(system, {})
    chosen = readings.some_of(everything, 3)
    assert chosen == readings.some_of(everything, 3)
    assert chosen[0] == everything[0]
    assert len(set(chosen)) == 3
    assert sorted(readings.some_of(everything, 1000)) == sorted(everything)

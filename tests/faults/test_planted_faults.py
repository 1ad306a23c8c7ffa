"""Negative controls: break the law or the model on purpose and see a verdict turn red."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tricklaw.model import mechanics
from tricklaw.model.cards import FULL
from tricklaw.model.codes import resolve
from tricklaw.model.law import Code
from tricklaw.model.system import System
from tricklaw.model.terms import implies
from tricklaw.properties import PROPERTIES, Part
from tricklaw.solver import readings
from tricklaw.solver.candidates import candidates
from tricklaw.solver.compiled import Compiled
from tricklaw.solver.induction import Engine, Induction
from tricklaw.solver.plays import Player
from tricklaw.solver.search import SMALL, Found, Round, Searcher
from tricklaw.solver.table import Table
from tricklaw.solver.workers import Pool

ROUNDS = (Round(1, 24, 3, 50_000, thin=True), Round(2, 6, 3, 400_000, thin=True))


def change(clause_id: str, **update: Any) -> Callable[[Code], Code]:
    """A fault that changes some fields of one clause."""

    def plant(code: Code) -> Code:
        clauses = [c.model_copy(update=update) if c.id == clause_id else c for c in code.clauses]
        assert clauses != list(code.clauses), f"{clause_id} is not changed"
        return replace(code, clauses=tuple(clauses))

    return plant


def leave_out(clause_id: str) -> Callable[[Code], Code]:
    """A fault that leaves one clause out."""
    return lambda code: replace(code, clauses=tuple(c for c in code.clauses if c.id != clause_id))


@dataclass(frozen=True)
class LawFault:
    """A fault in a law file and the part of a property that must turn red."""

    plant: Callable[[Code], Code]
    red: str


LAW_FAULTS = {
    "discharge left out": LawFault(leave_out("AW.VII.3.3b"), "discharged-on-play/AW.VII.4.1"),
    "either adversary may call": LawFault(change("AW.VII.4.1", by="either adversary"), "one-enforcer/AW.VII.4.1"),
    "the partner calls the suit": LawFault(
        change("AW.VIII.1.2", by="his partner"), "enforcer-is-adversary/AW.VIII.1.2"
    ),
    "nobody is left to call": LawFault(change("AW.VIII.2.1", by="the single player"), "some-enforcer/AW.VIII.2.1"),
    "a call may order a revoke": LawFault(leave_out("AW.VII.3.2a"), "no-forced-revoke/AW.VII.4.1"),
    "a suit not held is exacted": LawFault(leave_out("AW.VIII.3.1"), "obeyable-or-excused/AW.VIII.2.1"),
    "a call only once": LawFault(leave_out("AW.VII.3.2b"), "call-repeatable/AW.VII.4.1"),
    "taking back is punished": LawFault(
        change("AW.VII.1.1a", when=("a card is taken back from a lead out of turn",), overrides=("AW.VIII.4.1d",)),
        "take-back-free/",
    ),
    "nothing follows from a premature fourth hand": LawFault(
        leave_out("AW.IX.2.1"), "no-gap/PLAY.turn, the fourth hand before the second and the third"
    ),
    "a liable card may be played, and must not": LawFault(
        change("AW.VII.3.1a", must=None, must_not="lead or play a liable card"),
        "no-conflict/AW.VII.3.3a and AW.VII.3.1a",
    ),
    "the innocent side is called on": LawFault(
        change("AW.IX.2.1", against="the third hand"), "innocent-side-untouched/AW.IX.2.1"
    ),
}


def parts_of(system: System, red: str) -> dict[str, Part]:
    """The one part of that name, watched for."""
    table = Table.build(system, [PROPERTIES[red.partition("/")[0]]])
    return {red: replace(table.parts[red], watched=True)}


def refuted(code: Code, red: str, cache: Path) -> bool:
    """Whether a play is found that violates the part, and replays on the full pack."""
    system = System(code, "whist", SMALL)
    compiled = Compiled(system, parts_of(system, red), cache)
    found = Found()
    first = readings.named(system, readings.assignments(system, {})[0])
    Searcher(compiled).search(found, [red], [first], ROUNDS)
    if red not in found.plays:
        return False
    full = System(code, "whist", FULL)
    replayer = Player(Compiled(full, parts_of(full, red), cache))
    assert replayer.violates(found.plays[red], red)
    return True


def inductive(code: Code, red: str) -> bool:
    """Whether the part survives induction on the small deck."""
    system = System(code, "whist", SMALL)
    claims = {n: implies(p.state.premise, p.state.claim) for n, p in parts_of(system, red).items() if p.state}
    induction = Induction(system, candidates(system) | claims)
    with Pool(2) as pool:
        induction.houdini(Engine(pool))
    return red in induction.alive


@pytest.fixture(scope="module")
def law() -> Code:
    """Duplicate Whist with its context."""
    return resolve("duplicate-whist")[0]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for machine code."""
    return tmp_path_factory.mktemp("native")


@pytest.mark.parametrize("name", LAW_FAULTS)
def test_a_fault_in_the_law_turns_its_property_red(name: str, law: Code, cache: Path) -> None:
    """The property is violated with the fault, by a play that replays, and not without it in the same exploration."""
    fault = LAW_FAULTS[name]
    base = law.restrict("whist")
    assert refuted(fault.plant(base), fault.red, cache)
    assert not refuted(base, fault.red, cache)


@pytest.mark.parametrize("name", ["discharge left out", "either adversary may call"])
def test_no_proof_survives_a_fault(name: str, law: Code) -> None:
    """With the fault the property is not inductive; without it, it is."""
    fault, base = LAW_FAULTS[name], law.restrict("whist", ["context"])
    assert not inductive(fault.plant(base), fault.red)
    assert inductive(base, fault.red)


def test_a_card_that_is_played_but_stays_faced_is_noticed(
    law: Code, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that forgets to take a played card from the faced ones violates the conservation of cards."""
    monkeypatch.setattr(mechanics, "_lay", lambda view, act, facts: {"faced": view["faced"] | act.cards})
    assert refuted(law.restrict("whist", ["context"]), "cards-conserved/", cache)


def test_a_trick_that_nobody_wins_is_noticed(law: Code, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in which the winner of a trick is lost violates the rule that it is always somebody's turn."""
    play = mechanics._play
    monkeypatch.setattr(
        mechanics, "_play", lambda view, act, facts: play(view, act, facts) | {"turn": view["turn"] & view.played}
    )
    assert refuted(law.restrict("whist", ["context"]), "one-turn/", cache)

"""Clauses and precedences that do nothing are told, with a proof; what does something is shown by a play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tricklaw.model.codes import resolve
from tricklaw.model.law import Code
from tricklaw.model.system import System
from tricklaw.properties import PROPERTIES, Part, Property
from tricklaw.solver.check import GameCheck, Settings
from tricklaw.solver.induction import Engine
from tricklaw.solver.verdicts import PartResult, Result, Verdict
from tricklaw.solver.workers import Pool


def only(property_id: str, *names: str) -> Property:
    """The property about some of its parts."""

    def parts(system: System) -> Iterator[Part]:
        return (part for part in PROPERTIES[property_id].parts(system) if part.right in names)

    return replace(PROPERTIES[property_id], id=f"some-{property_id}", parts=parts)


def decided(code: Code, cache: Path, *asked: Property) -> list[Result]:
    """The verdicts on some properties."""
    with Pool(2) as pool:
        settings = Settings(native_cache=cache, asked=asked)
        return GameCheck(code.restrict("whist"), "whist", Engine(pool, None, 60), settings).run()


def by_part(result: Result) -> dict[str, PartResult]:
    """The parts of a verdict by name."""
    return {part.right: part for part in result.parts}


def test_a_clause_is_dead_if_the_law_without_it_is_the_same_and_else_live_by_a_play(tmp_path: Path) -> None:
    """A clause written twice is dead in both places; each is live where the other is not there."""
    law = resolve("duplicate-whist")[0]
    once = law.clause("AW.IX.1.1")
    twice = replace(law, clauses=(*law.clauses, once.model_copy(update={"id": "AW.IX.1.9"})))
    names = ("AW.IX.1.1", "AW.IX.1.9", "AW.VII.3.3a", "AW.IX.2.1")
    (found,) = decided(twice, tmp_path, only("no-dead-clause", *names))
    parts = by_part(found)
    assert {name: parts[name].verdict for name in names} == {
        "AW.IX.1.1": Verdict.REFUTED,
        "AW.IX.1.9": Verdict.REFUTED,
        "AW.VII.3.3a": Verdict.REFUTED,  # what it permits is forbidden by nothing that it is ranked above
        "AW.IX.2.1": Verdict.PROVED,
    }
    assert found.verdict is Verdict.REFUTED
    assert found.witness is None
    assert found.method == "induction"
    shown = parts["AW.IX.2.1"].witness
    assert shown is not None
    assert shown.replayed
    alone, ranks = decided(
        law,
        tmp_path,
        only("no-dead-clause", "AW.IX.1.1"),
        only("no-idle-precedence", "AW.IX.1.1 over PLAY.turn", "AW.X.1.1a over PLAY.stays"),
    )
    assert (alone.verdict, alone.method, alone.confirmed_by) == (Verdict.PROVED, "play", ())
    assert (ranks.verdict, len(ranks.parts)) == (Verdict.PROVED, 2)
    assert all(part.witness for part in ranks.parts)


def test_what_is_struck_out_makes_no_difference_to_the_other_systems() -> None:
    """The system that is checked has no trace of the constants that strike clauses out; its twin has one for each clause."""
    system = System(resolve("duplicate-whist")[0].restrict("whist"), "whist")
    text = {term.sexpr() for step in system.steps for term in (step.unlawful, *step.changes.values())}
    assert not any("without/" in term for term in text)
    twin = {term.sexpr() for step in system.twin.steps for term in (step.unlawful, *step.changes.values())}
    assert any("without/AW.IX.1.1" in term for term in twin)
    assert any("without/AW.IX.1.1 over PLAY.turn" in term for term in twin)

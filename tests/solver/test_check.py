"""Whole checks of a game: proofs without human help, refutations with plays, and what a change of the law brings about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import z3

from tricklaw.model.cards import FULL
from tricklaw.model.codes import resolve
from tricklaw.model.law import Code
from tricklaw.model.sentences import parse_sentence
from tricklaw.model.system import System
from tricklaw.model.terms import at_most_one, none
from tricklaw.solver.check import GameCheck, Settings
from tricklaw.solver.induction import Engine, Induction
from tricklaw.solver.obligations import Status
from tricklaw.solver.search import SMALL
from tricklaw.solver.verdicts import Result, Verdict
from tricklaw.solver.workers import Pool


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """Two workers, nothing remembered."""
    with Pool(2) as pool:
        yield Engine(pool)


def check(code: Code, game: str, engine: Engine, folder: Path, *properties: str) -> dict[str, Result]:
    """The results by property."""
    return {r.property: r for r in GameCheck(code, game, engine, Settings(properties, native_cache=folder)).run()}


def test_the_law_of_duplicate_whist_is_proved_and_without_one_sentence_refuted(engine: Engine, tmp_path: Path) -> None:
    """No penalty remains once the card is played; leaving out the sentence that says so, a play shows one that does."""
    law = resolve("duplicate-whist")[0].restrict("whist", ["context"])
    proved = check(law, "whist", engine, tmp_path, "discharged-on-play")["discharged-on-play"]
    assert proved.verdict is Verdict.PROVED
    assert proved.confirmed_by == ("z3", "bitwuzla")
    assert proved.scope["cards"] == 52
    less = replace(law, clauses=tuple(c for c in law.clauses if not c.id.startswith("AW.VII.3.3")))
    refuted = check(less, "whist", engine, tmp_path, "discharged-on-play")["discharged-on-play"]
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.witness is not None
    assert refuted.witness.replayed
    assert refuted.witness.acts[-1].act in ("lead", "play")


def test_who_may_call_decides_whether_one_may(engine: Engine, tmp_path: Path) -> None:
    """Whist: either adversary may call, so two may; were it the one on the right, exactly one could."""
    law = resolve("whist-family:whist")[0].restrict("whist", ["context", "insertion"])
    found = check(law, "whist", engine, tmp_path, "one-enforcer")["one-enforcer"]
    verdicts = {p.right: p.verdict for p in found.parts}
    assert verdicts["BS.20.0"] is Verdict.REFUTED
    witness = found.witness
    assert witness is not None
    assert witness.completed
    assert [str(parse_sentence(act.text, FULL)) for act in witness.acts] == [act.text for act in witness.acts]
    changed = tuple(
        c.model_copy(update={"by": "the adversary on his right"}) if c.id == "BS.20.0" else c for c in law.clauses
    )
    found = check(replace(law, clauses=changed), "whist", engine, tmp_path, "one-enforcer")["one-enforcer"]
    assert {p.right: p.verdict for p in found.parts} == verdicts | {"BS.20.0": Verdict.PROVED}


def test_what_is_not_inductive_is_dropped_by_those_who_are_not_in_haste(engine: Engine) -> None:
    """A hasty proof is given up with nothing dropped; another goes on with what is left, and both solvers confirm it."""
    system = System(resolve("duplicate-whist")[0].restrict("whist", ["context"]), "whist", SMALL)
    leader, before = system.view["leader"], system.view["prevleader"]
    true = {"one leader": at_most_one(leader), "and one before": at_most_one(before)}
    trial = Induction(system, true | {"none": none(leader)})
    assert trial.prove(engine, hasty=True) is None
    assert trial.alive == [*true, "none"]
    answers = trial.prove(engine)
    assert trial.alive == [*true]
    assert answers is not None
    assert {answer.status for answer in answers} == {Status.UNSAT}
    assert {answer.solver.split()[0] for answer in answers} == {"bitwuzla", "z3"}
    assert trial.prove(engine, hasty=True) is not None


def test_asking_each_kind_of_act_once_can_be_gone_on_with(engine: Engine) -> None:
    """Those asked before something was dropped are asked again by a second call; a third has nothing to ask."""
    system = System(resolve("duplicate-whist")[0].restrict("whist", ["context"]), "whist", SMALL)
    leader, before, quitted = (system.view[name] for name in ("leader", "prevleader", "quitted"))
    true = {"one leader": at_most_one(leader), "and one before": at_most_one(before)}
    trial, asked = Induction(system, true | {"nobody quits": none(quitted)}), [engine.asked]
    for once in (True, False, False):
        trial.houdini(engine, once=once)
        assert trial.alive == [*true]
        asked.append(engine.asked)
    assert asked[0] < asked[1] < asked[2] == asked[3]


def test_what_follows_from_the_other_invariants_is_told(engine: Engine) -> None:
    """Of formulas that say the same the later ones are redundant; of independent ones none is."""
    system = System(resolve("duplicate-whist")[0].restrict("whist", ["context"]), "whist", SMALL)
    turn, begun = system.view["turn"], system.view["begun"]
    one, two, other = turn == 1, z3.And(turn == 1, turn != 2), begun == 0
    trial = Induction(system, {"one": one, "other": other, "the same": two, "both": z3.And(one, other)})
    assert trial.redundant(engine) == {"the same", "both"}
    assert Induction(system, {"one": one, "other": other}).redundant(engine) == set()
    answers, failed = Induction(system, {"one": one}).imply(engine, {"the same": two, "other": other})
    assert failed == {"other"}
    assert answers

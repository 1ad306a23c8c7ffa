"""Verdicts are put together, written, read back and compared with expectations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tricklaw.model.codes import resolve
from tricklaw.solver.session import Question, differences, exit_code, games_of, variant_of
from tricklaw.solver.verdicts import PartResult, Result, Verdict, Witness, WitnessAct, from_json, overall, to_json

V = Verdict


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([V.PROVED, V.PROVED], V.PROVED),
        ([V.PROVED, V.VACUOUS], V.PROVED),
        ([V.VACUOUS, V.VACUOUS], V.VACUOUS),
        ([], V.VACUOUS),
        ([V.PROVED, V.DEPENDS], V.DEPENDS),
        ([V.DEPENDS, V.UNKNOWN], V.UNKNOWN),
        ([V.UNKNOWN, V.REFUTED, V.PROVED], V.REFUTED),
    ],
)
def test_the_whole_is_as_bad_as_its_worst_part(parts: list[Verdict], whole: Verdict) -> None:
    """Refuted before unknown before depends; proved only where nothing else is left."""
    assert overall(PartResult(str(i), v) for i, v in enumerate(parts)) is whole


PLAY = Witness(
    {"A": ("9H",), "Y": ("2C",), "B": ("3C",), "Z": ("4C",)},
    "A",
    (("A", "B"), ("Y", "Z")),
    "none",
    {"RS4": "withdrawn"},
    (WitnessAct("face a card", "A", ("9H",), text="A faces 9H"),),
)
RESULT = Result(
    "duplicate-whist",
    "whist",
    "one-enforcer",
    V.REFUTED,
    witness=PLAY,
    parts=(PartResult("AW.VII.4.1", V.REFUTED, "", PLAY),),
)


def test_results_survive_json() -> None:
    """What is written is read back the same."""
    import json

    assert from_json(json.loads(json.dumps(to_json([RESULT])))) == [RESULT]


def test_another_format_is_refused() -> None:
    """A file of another format is not guessed at."""
    with pytest.raises(ValueError, match=r"tricklaw\.verdicts/1"):
        from_json({"format": "other", "results": []})


def _code(expect: dict[str, dict[str, str]]):  # type: ignore[no-untyped-def]
    return replace(resolve("duplicate-whist")[0], expect=expect)


def test_what_is_not_named_is_expected_to_be_proved() -> None:
    """A refutation that no expectation names differs, and gives exit code 1."""
    found = differences(_code({}), RESULT)
    assert [d.expected for d in found] == ["proved"]
    assert exit_code(found) == 1


def test_an_expected_refutation_is_no_difference() -> None:
    """A known refutation gives exit code 0."""
    found = differences(_code({"whist": {"one-enforcer": "refuted", "one-enforcer/AW.VII.4.1": "refuted"}}), RESULT)
    assert found == []
    assert exit_code(found) == 0


def test_the_expectation_of_a_part_is_compared_too() -> None:
    """A part that is not as expected differs though the whole is."""
    found = differences(_code({"whist": {"one-enforcer": "refuted", "one-enforcer/AW.VII.4.1": "proved"}}), RESULT)
    assert [(d.part, d.expected) for d in found] == [("AW.VII.4.1", "proved")]


def test_a_part_that_no_expectation_names_is_expected_to_be_proved_though_the_whole_is_not() -> None:
    """So that what is newly refuted in a property known to be refuted is told; what is vacuous is good."""
    (part,) = RESULT.parts
    code = _code({"whist": {"one-enforcer": "refuted", "one-enforcer/AW.VII.4.1": "refuted"}})
    for verdict, differs in ((V.REFUTED, True), (V.DEPENDS, True), (V.PROVED, False), (V.VACUOUS, False)):
        new = replace(RESULT, parts=(part, replace(part, right="AW.X.9.9", verdict=verdict)))
        found = [(d.part, d.expected) for d in differences(code, new)]
        assert found == ([("AW.X.9.9", "proved")] if differs else [])


def test_a_law_with_something_left_out_has_expectations_of_its_own() -> None:
    """The section named after what is left out comes on top of the game's."""
    code = _code({"whist": {}, "whist without context": {"one-enforcer": "refuted"}})
    question = Question(games_of([(code, None)]), without_layers=("context",))
    assert differences(code, RESULT, variant_of(question)) == []
    assert differences(code, RESULT) != []


def test_under_fixed_readings_either_verdict_is_what_depends() -> None:
    """What depends on the readings is proved or refuted when these are fixed; unknown is neither."""
    code = _code({"whist": {"one-enforcer": "depends", "one-enforcer/AW.VII.4.1": "depends"}})
    assert [d.expected for d in differences(code, RESULT)] == ["depends", "depends"]
    assert differences(code, RESULT, fixed=True) == []
    assert differences(code, replace(RESULT, verdict=V.UNKNOWN), fixed=True) != []


def test_what_only_stayed_unknown_gives_another_exit_code() -> None:
    """Exit code 3 where nothing contradicts an expectation but something stayed open."""
    assert exit_code(differences(_code({}), replace(RESULT, verdict=V.UNKNOWN))) == 3

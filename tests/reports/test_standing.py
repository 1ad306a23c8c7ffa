"""What is told of clauses from verdicts: whether they do something, in which games, and what rests on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tricklaw.cli import main
from tricklaw.model.codes import resolve
from tricklaw.reports.standing import LIVENESS, Standing, standing
from tricklaw.solver.cache import DIRECTORY_VARIABLE
from tricklaw.solver.session import Question
from tricklaw.solver.verdicts import PartResult, Result, Verdict

CODE = "whist-family"


def result(game: str, property_id: str, *parts: PartResult) -> Result:
    """A verdict with some parts."""
    return Result(CODE, game, property_id, Verdict.REFUTED, parts=parts)


def test_a_clause_is_live_if_it_is_in_some_game_and_a_sentence_if_a_clause_of_it_is() -> None:
    """Where it is dead is told; what is not known is not guessed; an embodied clause is how the machine is made."""
    code = resolve(CODE)[0]
    known = Standing()
    assert known.of_sentence(code, code.sentences["BS.21.1"]) is None
    known.add(
        [
            result("whist", LIVENESS, *(PartResult(c, Verdict.PROVED) for c in ("BS.21.1a", "BS.23.2a"))),
            result(
                "boston",
                LIVENESS,
                PartResult("BS.21.1a", Verdict.REFUTED),
                PartResult("BS.21.2", Verdict.REFUTED),
                PartResult("BS.22.1a", Verdict.UNKNOWN),
            ),
            result("whist", "one-enforcer", PartResult("BS.20.0", Verdict.REFUTED, clauses=("BS.20.0", "BS.21.2"))),
            result("boston", "one-enforcer", PartResult("BS.20.0", Verdict.PROVED, clauses=("BS.20.0",))),
        ]
    )
    assert (known.of_clause("BS.21.1a"), known.dead_in("BS.21.1a")) == (True, ["boston"])
    assert (known.of_clause("BS.21.2"), known.of_clause("BS.22.1a")) == (False, None)
    sentences = {name: known.of_sentence(code, sentence) for name, sentence in code.sentences.items()}
    assert sentences["BS.21.1"] is True
    assert sentences["BS.21.2"] is False
    assert sentences["BS.22.1"] is None
    assert known.rests == {"BS.20.0": ["one-enforcer"], "BS.21.2": ["one-enforcer"]}
    assert known.resting(code, code.sentences["BS.20.0"]) == ["one-enforcer"]


def test_the_listing_says_how_to_find_out_which_clauses_are_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """With nothing remembered it decides nothing of itself."""
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    run: Callable[..., str] = lambda *arguments: _told(capfd, *arguments)  # noqa: E731
    assert "tricklaw codes duplicate-whist --live" in run("codes", "duplicate-whist")
    told = json.loads(run("codes", "duplicate-whist", "--json", "-"))
    assert {sentence["live"] for sentence in told["sentences"]} == {None}
    assert {clause["live"] for clause in told["clauses"]} == {None}


def _told(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 0
    return capfd.readouterr().out


def test_only_the_games_that_are_not_known_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a check has left is used; of the games that it did not come to the clauses alone are decided."""
    live = (PartResult("BS.20.I", Verdict.PROVED),)
    asked: list[tuple[str, ...]] = []

    def decided(question: Question, tell: object) -> list[Result]:
        asked.append(tuple(game for _, game in question.games))
        return [result(game, LIVENESS, *live) for game in asked[-1]]

    monkeypatch.setattr("tricklaw.reports.standing.remembered", lambda _: [result("whist", LIVENESS, *live)])
    monkeypatch.setattr("tricklaw.reports.standing.run", decided)
    code = resolve(CODE)[0]
    assert standing(code, None, decide=True).live["BS.20.I"].keys() == code.head.games.keys()
    assert asked == [tuple(game for game in code.head.games if game != "whist")]
    assert standing(code, "whist", decide=True).live["BS.20.I"] == {"whist": True}
    assert len(asked) == 1

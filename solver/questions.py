"""Decides a committee's own questions: statements about a code, grouped so that one check answers many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tricklaw.model.codes import resolve
from tricklaw.model.errors import LawError, LawErrors, Place, UnknownName
from tricklaw.model.law import Code
from tricklaw.model.lawchecks import fit
from tricklaw.model.pair import Pair
from tricklaw.model.sheets import read_sheet
from tricklaw.model.system import System
from tricklaw.properties.base import PROPERTIES, Property
from tricklaw.properties.statements import Statement, to_property
from tricklaw.solver.session import Question, check_question, run_all
from tricklaw.solver.verdicts import PartResult, Result, Verdict, Witness

BUILTIN = Path(__file__).parent.parent / "properties" / "questions"
"""The folder of the questions that come with tricklaw."""

_OPPOSITE = {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED, Verdict.VACUOUS: Verdict.REFUTED}


@dataclass(frozen=True)
class Asked:
    """A question with the law that it is about."""

    statement: Statement
    code: Code
    game: str
    place: Place
    beside: tuple[Code, str] | None = None
    """The second law, where the question is about two, and its game."""

    @property
    def property_id(self) -> str:
        """The property by which it is decided."""
        return self.statement.same_as.partition("/")[0] or self.statement.question


@dataclass(frozen=True)
class Answer:
    """A question answered: the verdict on the statement as it is put, and what it rests on; none where it is left out."""

    asked: Asked
    verdict: Verdict | None
    result: Result | None
    condition: str = ""
    witness: Witness | None = None
    reason: str = ""


def load_question(path: Path, code: str | None = None) -> Asked:
    """Read a question and see that everything in it has a meaning.

    Parameters:
        code: the code, or CODE:GAME, to ask it of, if another than it names.

    Raises:
        LawErrors: what is wrong with the file, with places.
        UnknownName: there is no such code, game, property, reading or clause.
    """
    sheet = read_sheet(path)
    statement, problems = fit(Statement, sheet.data, sheet)
    if statement is None:
        raise LawErrors(problems)
    forms = [name for name in ("then", "never", "can", "same_as", "left_out") if getattr(statement, name)]
    if len(forms) != 1:
        what = "a question has exactly one of: then (with whenever or when), never, can, same as, left out"
        raise LawErrors([LawError(what, Place(str(path), 1, 1))])
    law, game = _one_game(code or statement.code, sheet.place(("code",)))
    beside = _one_game(statement.beside, sheet.place(("beside",))) if statement.beside else None
    asked = Asked(statement, law, game, Place(str(path), 1, 1), beside)
    if statement.left_out:
        return asked
    check_question(question_of([asked], 1))
    _understood(asked)
    return asked


def _one_game(named: str, place: Place) -> tuple[Code, str]:
    law, game = resolve(named)
    if game is None and len(law.head.games) > 1:
        games = " or ".join(f"{law.id}:{name}" for name in law.head.games)
        raise LawErrors([LawError(f"the code {law.id!r} has several games; write {games}", place)])
    return law, game or next(iter(law.head.games))


def _understood(asked: Asked) -> None:
    """See that each of its phrases means something under the law."""
    s, system = asked.statement, _system(asked)
    if s.same_as:
        known = [f"{s.same_as.partition('/')[0]}/{p.right}" for p in _property(asked).parts(system)]
        if "/" in s.same_as and s.same_as not in known:
            raise UnknownName(f"{s.question}: no part is called {s.same_as!r}; there are {', '.join(known)}")
        return
    try:
        for part in to_property(s).parts(system):
            for step in system.steps if part.act else ():
                assert part.act is not None
                part.act(step)
    except UnknownName as error:
        raise LawErrors([LawError(f"{s.question}: {error.message}", asked.place)]) from None
    except KeyError as error:
        raise LawErrors([LawError(f"{s.question}: no clause of the code is called {error}", asked.place)]) from None


def _property(asked: Asked) -> Property:
    if asked.property_id not in PROPERTIES:
        raise UnknownName(f"{asked.statement.question}: unknown property {asked.property_id!r}")
    return PROPERTIES[asked.property_id]


def _system(asked: Asked) -> System:
    left_out = question_of([asked], 1)
    law = asked.code.restrict(asked.game, left_out.without_layers, left_out.without)
    if asked.beside:
        return Pair(
            law,
            asked.game,
            second=(asked.beside[0].restrict(asked.beside[1], left_out.without_layers), asked.beside[1]),
        )
    return System(law, asked.game)


def builtin_questions(code: str = "") -> list[Path]:
    """The files of the questions that come with tricklaw, by number; all, or those about one code."""
    found = sorted(BUILTIN.glob("*.yaml"))
    return [path for path in found if not code or _code_of(path) == code]


def _code_of(path: Path) -> str:
    """The code that a question names, without more being read of it than that."""
    data = read_sheet(path).data
    named = data.get("code") if isinstance(data, dict) else None
    return str(named).partition(":")[0]


def question_of(group: Sequence[Asked], jobs: int, timeout: float = 60.0) -> Question:
    """The run of a check that answers questions about the same law."""
    first = group[0]
    layers = tuple(name for name in first.statement.without if "." not in name)
    clauses = tuple(name for name in first.statement.without if "." in name)
    known = tuple(dict.fromkeys(a.property_id for a in group if a.statement.same_as))
    own = tuple(to_property(a.statement) for a in group if not a.statement.same_as)
    games = ((first.code, first.game),)
    return Question(
        games, known, first.statement.readings, layers, clauses, jobs, timeout, asked=own, beside=first.beside
    )


def decide(asked: Sequence[Asked], jobs: int, tell: Callable[[str], None] | None = None) -> Iterator[Answer]:
    """Answer the questions; those about the same law together, as soon as it is decided."""
    for one in asked:
        if one.statement.left_out:
            yield Answer(one, None, None, reason=one.statement.left_out)
    groups: dict[tuple[object, ...], list[Asked]] = {}
    for one in (one for one in asked if not one.statement.left_out):
        s = one.statement
        key = (one.code.id, one.code.folder, one.game, s.beside, s.without, *sorted(s.readings.items()))
        groups.setdefault(key, []).append(one)
    runs = run_all([question_of(group, jobs) for group in groups.values()], tell)
    for group, results in zip(groups.values(), runs, strict=True):
        found = {result.property: result for result in results}
        yield from (_answer(one, found[one.property_id]) for one in group)


def _answer(asked: Asked, result: Result) -> Answer:
    part = asked.statement.same_as.partition("/")[2]
    shown: Result | PartResult = next((p for p in result.parts if p.right == part), result) if part else result
    verdict, condition = shown.verdict, shown.condition
    if asked.statement.possible:
        verdict = _OPPOSITE.get(verdict, verdict)
        condition = f"not ({condition})" if condition else ""
    result = replace(result, verdict=verdict, condition=condition)
    return Answer(asked, verdict, result, condition, shown.witness, shown.reason)

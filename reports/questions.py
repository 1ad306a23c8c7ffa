"""A committee's questions and their answers, on the terminal and as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tricklaw.model.codes import resolve
from tricklaw.reports.verdict_table import STYLES, progress, write_json
from tricklaw.solver.questions import Answer, Asked, builtin_questions, decide, load_question
from tricklaw.solver.verdicts import Verdict, to_json

WIDTH = 132
ANSWERED, UNKNOWN = 0, 3

ANSWERS = {
    Verdict.PROVED: "yes",
    Verdict.REFUTED: "no",
    Verdict.DEPENDS: "it depends",
    Verdict.VACUOUS: "never asked",
    Verdict.UNKNOWN: "unknown",
    None: "left out",
}
"""What a verdict on the statement answers; `never asked` where what it speaks of cannot come about."""


def ask(code: str, file: Path, json_file: Path | None, jobs: int | None) -> int:
    """Answer one question of a code.

    Returns:
        0 where it is answered, 3 where it is not.
    """
    return _answer([load_question(file, code)], json_file, jobs)


def questions(code: str | None, json_file: Path | None, jobs: int | None) -> int:
    """Answer the questions that come with tricklaw, all of them or those about one code."""
    law, game = resolve(code) if code else (None, None)
    loaded = [load_question(path) for path in builtin_questions(law.id if law else "")]
    return _answer([one for one in loaded if game in (None, one.game)], json_file, jobs)


def _answer(asked: Sequence[Asked], json_file: Path | None, jobs: int | None) -> int:
    started = time.monotonic()
    with progress() as tell:
        answers = sorted(decide(asked, jobs or os.cpu_count() or 1, tell), key=lambda a: a.asked.statement.question)
    if str(json_file) == "-":
        json.dump(data(answers), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
        console.print(_table(answers))
        counted = ", ".join(f"{n} {word}" for v, word in ANSWERS.items() if (n := sum(a.verdict is v for a in answers)))
        many = f"{len(answers)} question{'s' if len(answers) > 1 else ''}"
        console.print(Text(f"\n{many}: {counted}; {time.monotonic() - started:.1f} s."))
        if json_file:
            write_json(json_file, data(answers))
    return UNKNOWN if any(a.verdict is Verdict.UNKNOWN for a in answers) else ANSWERED


def _table(answers: Sequence[Answer]) -> Table:
    table = Table(show_lines=True)
    for head in ("question", "of", "answer", "why"):
        table.add_column(head, ratio=2 if head == "question" else 3 if head == "why" else None)
    for a in answers:
        s = a.asked.statement
        answer = Text(ANSWERS[a.verdict], style=STYLES[a.verdict] if a.verdict else "dim")
        table.add_row(Text(f"{s.question}  {s.asks}"), f"{a.asked.code.id}:{a.asked.game}", answer, _why(a))
    return table


def _why(a: Answer) -> Text:
    """The condition, the play that shows it, or that it was proved; and how the question is to be understood."""
    s, lines = a.asked.statement, list[str]()
    if a.verdict is None:
        return Text(a.reason)
    if a.condition:
        lines.append(f"Exactly when {a.condition}.")
    if a.witness:
        play = "; ".join(act.text for act in a.witness.acts) or "the deal alone shows it"
        lines.append(f"{a.witness.leader} to lead: {play}" + ("." if a.condition else f": {a.reason}."))
    elif a.verdict is Verdict.UNKNOWN:
        lines.append(f"{a.reason}.")
    elif a.verdict is Verdict.VACUOUS:
        lines.append("What it speaks of cannot come about.")
    elif not a.condition:
        lines.append("Proved over every deal and every play.")
    left_out = f"without {', '.join(s.without)}" if s.without else ""
    fixed = ", ".join(f"{key} = {choice}" for key, choice in s.readings.items())
    lines += [f"Asked {' and '.join(part for part in (left_out, fixed) if part)}."] if left_out or fixed else []
    return Text("\n".join([*lines, *([s.note] if s.note else [])]))


def data(answers: Sequence[Answer]) -> dict[str, Any]:
    """The answers as verdicts, each with the number of its question."""
    decided = [a for a in answers if a.result]
    found = to_json([a.result for a in decided if a.result])
    found["left_out"] = [{"question": a.asked.statement.question, "why": a.reason} for a in answers if not a.result]
    for one, a in zip(found["results"], decided, strict=True):
        s = a.asked.statement
        one |= {"question": s.question, "asks": s.asks, "answer": ANSWERS[a.verdict], "note": s.note}
        one |= {"same_as": s.same_as} if s.same_as else {}
    return found

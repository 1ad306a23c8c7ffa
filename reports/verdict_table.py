"""The verdicts of `tricklaw check` as a table on the terminal, and its progress."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from tricklaw.solver.session import Difference, Question, check_question, differences, exit_code, run, variant_of
from tricklaw.solver.verdicts import PartResult, Result, Verdict, to_json

STYLES = {
    Verdict.PROVED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.DEPENDS: "yellow",
    Verdict.VACUOUS: "cyan",
    Verdict.UNKNOWN: "magenta",
}


def check(question: Question, file: Path | None) -> int:
    """Decide, print a table a game, write the JSON, and return the exit code."""
    check_question(question)
    console = Console(width=None if sys.stdout.isatty() else 132)
    quiet = str(file) == "-"
    codes = {code.id: code for code, _ in question.games}
    results: list[Result] = []
    found: list[Difference] = []
    started = time.monotonic()
    with progress() as tell:
        for result in run(question, tell):
            results.append(result)
            found += differences(codes[result.code], result, variant_of(question), bool(question.fixed))
    if quiet:
        json.dump(to_json(results), sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        for game, rows in _by_game(results).items():
            console.print(table(game, rows, found))
        console.print(summary(results, found, time.monotonic() - started))
        if file is not None:
            write_json(file, to_json(results))
    return exit_code(found)


@contextmanager
def progress() -> Iterator[Any]:
    """A function to tell what is going on: a line that is rewritten on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    console = Console(stderr=True)
    with Status("starting", console=console) as status:
        yield lambda text: status.update(text)


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as out:
        json.dump(data, out, indent=1)
        out.write("\n")
    Path(out.name).chmod(0o644)
    Path(out.name).replace(file)


def _by_game(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for r in results:
        found.setdefault(f"{r.code}:{r.game}", []).append(r)
    return found


def table(title: str, rows: Sequence[Result], found: Sequence[Difference]) -> Table:
    """A line a property, and one for each part that is not like the whole."""
    out = Table(title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False)
    out.add_column("property", no_wrap=True)
    out.add_column("verdict", no_wrap=True)
    out.add_column("why, and by which law", overflow="fold")
    for r in rows:
        out.add_row(Text(r.property, "bold"), _verdict(r.verdict, r, "", found), _reason(r))
        for part in _told(r):
            why = Text(part.condition or part.reason or "")
            out.add_row(Text(f"  {part.right}", "dim"), _verdict(part.verdict, r, part.right, found), why)
    return out


def _verdict(verdict: Verdict, result: Result, part: str, found: Sequence[Difference]) -> Text:
    text = Text(verdict.value, STYLES[verdict])
    for d in found:
        if d.result.key == result.key and d.part == part:
            text.append(f" (expected {d.expected})", "bold")
    return text


def _told(r: Result) -> list[PartResult]:
    """The parts worth a line: those of rights, where the whole is not proved."""
    if r.verdict in (Verdict.PROVED, Verdict.VACUOUS) or r.by_plays:
        return [p for p in r.parts if p.right and p.verdict is not r.verdict and p.verdict is not Verdict.VACUOUS]
    return [p for p in r.parts if p.right]


def _reason(r: Result) -> Text:
    if r.verdict is Verdict.PROVED and r.by_plays:
        return Text(f"{r.scope.get('cards', '')} cards; a play for each of {len(r.parts)}", "dim")
    if r.verdict is Verdict.PROVED:
        return Text(f"{r.scope.get('cards', '')} cards, every deal, every play; {' and '.join(r.confirmed_by)}", "dim")
    if r.verdict is Verdict.REFUTED and r.witness:
        acts = "; ".join(a.text for a in r.witness.acts)
        return Text(f"{acts}: {r.reason}")
    return Text(r.condition or r.reason)


def summary(results: Sequence[Result], found: Sequence[Difference], seconds: float) -> Text:
    """One line: how many of each verdict, and whether all is as expected."""
    counts = {v: sum(r.verdict is v for r in results) for v in Verdict}
    told = ", ".join(f"{n} {v.value}" for v, n in counts.items() if n)
    text = Text(f"\n{told}; {seconds:.1f} s. ")
    if not found:
        return text.append("All verdicts are as expected.", "green")
    return text.append(f"{len(found)} not as expected.", "bold red")


def parse_readings(texts: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` texts as a mapping.

    Raises:
        ValueError: a text without an equals sign.
    """
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key or not value:
            raise ValueError(f"{text!r} is no reading; write KEY=VALUE, as RS7=passes")
        found[key] = value
    return found

"""Rulings told act by act: what was broken and by which clause, what it set off, and what has changed by it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tricklaw.model.cards import PACKS, SUIT_NAMES
from tricklaw.model.cases import Case, load_case
from tricklaw.model.errors import TricklawError
from tricklaw.model.referee import Citation, Hearing, InForce, OpenRight, Ruling, Standing, hear
from tricklaw.model.sentences import forms, names_of
from tricklaw.model.table import SEAT_NAMES

HOLDS, DIFFERS, BAD_INPUT = 0, 1, 2
WIDTH = 120
"""The width of a line where the output is no terminal."""

Line = tuple[str, str, Text]
"""A label, its style, and what is said under it."""


def rule(paths: Sequence[Path], json_file: Path | None = None) -> int:
    """Rule on case files, print the rulings, and perhaps write them as JSON.

    Returns:
        0 where all expectations hold, 1 where one does not, 2 where a case cannot be read or played.
    """
    console, errors = _console(), _console(stderr=True)
    hearings, code = [], HOLDS
    for path in paths:
        try:
            hearing = hear(load_case(path))
        except TricklawError as error:
            errors.print(Text(f"error: {error}", style="red"), soft_wrap=True)
            code = BAD_INPUT
            continue
        hearings.append(hearing)
        print_hearing(hearing, console)
        code = max(code, HOLDS if hearing.holds else DIFFERS)
    if json_file and not _write(hearings, json_file, errors):
        return BAD_INPUT
    return code


def _write(hearings: Sequence[Hearing], file: Path, errors: Console) -> bool:
    """Write hearings as JSON; tell where that cannot be done."""
    try:
        file.write_text(json.dumps([data(h) for h in hearings], indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        errors.print(Text(f"error: {file}: cannot be written: {error.strerror}", style="red"), soft_wrap=True)
        return False
    return True


def _console(stderr: bool = False) -> Console:
    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = WIDTH
    return console


def print_forms() -> None:
    """Print every way to write an act, with what it means."""
    table = Table.grid(padding=(0, 3))
    for form in forms():
        more = " [under CLAUSE]" if form.about_right else ""
        table.add_row(Text(form.example + more), Text(form.says, style="dim"))
    _print(table, _console())


# on the terminal ---------------------------------------------------------------------------------------------------


def print_hearing(hearing: Hearing, console: Console) -> None:
    """Print a case with its rulings: of each state only what has changed."""
    console.print(Text.assemble((hearing.case.id, "bold"), "  ", hearing.case.title))
    console.print(Text(table_of(hearing.case), style="dim"))
    before = hearing.before
    for ruling in hearing.rulings:
        _print(_row(ruling, before), console)
        before = ruling.after
    console.print(_summary(hearing), end="\n\n")


def _print(table: Table, console: Console) -> None:
    """Print a table; in a file, without the spaces that fill its columns."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.print(Text(line.rstrip()), soft_wrap=True)


def table_of(case: Case) -> str:
    """Code, sides, trumps, leader, readings and deal in a line each."""
    names = SEAT_NAMES[case.code.head.seats]
    sides = " against ".join(" ".join(n for i, n in enumerate(names) if g >> i & 1) for g in case.groups)
    trumps = SUIT_NAMES[case.trumps.bit_length() - 1] if case.trumps else "no"
    readings = "".join(f"; {key} read as {choice!r}" for key, choice in case.readings.items())
    head = f"{case.code.head.title}, {case.game}: {sides}, {trumps} trumps, {case.leader} to lead{readings}"
    pack = PACKS[case.code.head.games[case.game].pack]
    deal = "   ".join(f"{name}: {' '.join(pack.names(cards))}" for name, cards in case.deal.items())
    return f"{head}\n{deal}"


def _row(ruling: Ruling, before: Standing) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", width=3, style="dim")
    grid.add_column()
    verdict = ("lawful", "green") if ruling.lawful else ("unlawful", "red")
    grid.add_row(f"{ruling.number}", Text.assemble((f"{ruling.text}   ", "bold"), verdict))
    inner = Table.grid(padding=(0, 1))
    inner.add_column(width=9)
    inner.add_column()
    for label, style, text in _lines(ruling, before):
        inner.add_row(Text(label, style=style), text)
    grid.add_row("", inner)
    return grid


def _lines(ruling: Ruling, before: Standing) -> Iterator[Line]:
    yield from (("breaks", "red", _cited(clause)) for clause in ruling.broken)
    yield from ((_label(clause, ruling), "yellow", _cited(clause)) for clause in ruling.fired)
    yield from _changes(before, ruling.after)
    if line := _to_act(ruling.after):
        yield line
    yield from (("differs", "bold red", Text(text)) for text in ruling.differences)


def _label(clause: Citation, ruling: Ruling) -> str:
    """How the clause comes in: a right that is exacted or let go by the act is not set off by it."""
    if ruling.kind.startswith(f"demand {clause.id}:"):
        return "exacts"
    return "lets go" if ruling.kind == f"waive {clause.id}" else "sets off"


def _cited(clause: Citation) -> Text:
    return Text.assemble((clause.id, "bold"), f"  {clause.says}")


def _changes(before: Standing, after: Standing) -> Iterator[Line]:
    if before.liable != after.liable:
        yield "liable", "yellow", Text(_by_player(after.liable) or "no card any more")
    yield from (("opens", "cyan", _opened(right)) for right in _new(after.rights, before.rights))
    closed = [r for r in before.rights if (r.id, r.against) not in {(a.id, a.against) for a in after.rights}]
    yield from (("closes", "cyan", Text(f"{right.id} against {right.against}")) for right in closed)
    yield from (("binds", "cyan", _demanded(demand)) for demand in _new(after.demands, before.demands))
    for now in _new(after.results, before.results):
        yield "result", "magenta", Text(f"{now.player} {now.result} ({now.clause})")
    if before.takes_back != after.takes_back and after.takes_back:
        yield "back", "cyan", Text(f"{names_of(after.takes_back)} may take the card back")


def _new(after: Sequence[Any], before: Sequence[Any]) -> Iterable[Any]:
    return [item for item in after if item not in before]


def _opened(right: OpenRight) -> Text:
    demands = "; ".join(right.demands)
    about = f"  {right.name}, from {right.against}, by {names_of(right.by)}: {demands}"
    return Text.assemble((right.id, "bold"), about)


def _demanded(demand: InForce) -> Text:
    excused = ", but he is excused" if demand.excused else ""
    return Text.assemble((demand.right, "bold"), f"  {demand.against}: {demand.demand}{excused}")


def _by_player(cards: Mapping[str, Sequence[str]]) -> str:
    return "   ".join(f"{name}: {' '.join(held)}" for name, held in cards.items())


def _to_act(state: Standing) -> Line | None:
    """What the player whose turn it is may do, and which clauses keep him from the rest."""
    if not state.turn:
        return ("turn", "dim", Text("the hand is over")) if state.over else None
    he = state.turn[0]
    cards = " ".join(state.may.get(he, ())) or "no card"
    bars = "; ".join(f"{' '.join(bar.cards)} barred by {bar.id}" for bar in state.bars)
    return "turn", "dim", Text(f"{he}: {cards}" + (f"   ({bars})" if bars else ""))


def _summary(hearing: Hearing) -> Text:
    count = hearing.case.expectations
    wrong = len(hearing.differences) + sum(len(r.differences) for r in hearing.rulings)
    for text in hearing.differences:
        return Text(f"before the first act: {text}", style="bold red")
    if not count:
        return Text("nothing is expected of this case", style="dim")
    if wrong:
        return Text(f"{wrong} of {count} expectations differ", style="bold red")
    return Text(f"all {count} expectations hold", style="green")


# as data -----------------------------------------------------------------------------------------------------------


def data(hearing: Hearing) -> dict[str, Any]:
    """A hearing as plain data, for JSON."""
    case = hearing.case
    return {
        "case": case.id,
        "title": case.title,
        "code": case.code.id,
        "game": case.game,
        "source": case.source,
        "file": case.place.file,
        "holds": hearing.holds,
        "expectations": case.expectations,
        "differences": list(hearing.differences),
        "before": asdict(hearing.before),
        "rulings": [{"lawful": r.lawful, **asdict(r)} for r in hearing.rulings],
    }

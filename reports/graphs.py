"""The graph of a code's irregularity states: as a file (GraphML, DOT, JSON, SVG), and what it shows on the terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from tricklaw.model.codes import resolve
from tricklaw.model.errors import TricklawError
from tricklaw.model.law import Code
from tricklaw.reports._graph_files import WRITERS, Format, data
from tricklaw.solver.cache import default_directory
from tricklaw.solver.graph import Graph, Round, draw
from tricklaw.solver.session import Question, check_question

PATIENCE = 2.0
"""Seconds before it is told how far the work is."""

SHOWN = 6
"""How many of a list are told on the terminal; `--json` has all."""

WIDTH = 120
"""The width of a line where the output is no terminal."""


def graph(
    name: str,
    output: Path,
    form: str | None = None,
    *,
    cards: int | None = None,
    irregularities: int | None = None,
    without_layers: Sequence[str] = (),
    lists: Path | None = None,
) -> None:
    """Draw the graph of a code, write it, and tell what it shows.

    Parameters:
        name: `CODE` or `CODE:GAME`, as on the command line.
        output: the file to write.
        form: one of `Format`; as the file's name ends unless given.
        cards: how many cards each player gets; with `irregularities` alone, one.
        irregularities: how many irregular acts there are at most; with `cards` alone, one.
        without_layers: layers of the law to leave out.
        lists: where to write the lists as JSON.

    Raises:
        TricklawError: something named does not exist, or a file cannot be written.
    """
    chosen = _format(output, form)
    code, game = _game(*resolve(name))
    check_question(Question(((code, game),), without_layers=tuple(without_layers)))
    for file in filter(None, (output, lists)):
        _check_writable(file)
    rounds = [] if cards is None and irregularities is None else [Round(cards or 1, _or(irregularities, 1))]
    with _progress() as tell:
        restricted = code.restrict(game, without_layers)
        found = draw(restricted, game, rounds, cache=default_directory() / "native", tell=tell)
        tell("writing")
        _write(output, WRITERS[chosen](found))
        if lists:
            _write(lists, json.dumps(data(found), indent=1) + "\n")
    _tell(found)


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _format(file: Path, form: str | None) -> Format:
    """The format asked for, or that the file's name ends with.

    Raises:
        TricklawError: there is no such format.
    """
    wanted = (form or file.suffix.removeprefix(".")).lower()
    wanted = {"gv": "dot", "xml": "graphml"}.get(wanted, wanted)
    if wanted not in list(Format):
        known = ", ".join(Format)
        if form is None:
            raise TricklawError(
                f"{str(file)!r} does not end with the name of a format; write --format with one of {known}"
            )
        raise TricklawError(f"unknown format {form!r}; the formats are {known}")
    return Format(wanted)


def _game(code: Code, game: str | None) -> tuple[Code, str]:
    """The game named, or the only one.

    Raises:
        TricklawError: the code has several.
    """
    games = list(code.head.games)
    if game is None and len(games) != 1:
        named = ", ".join(f"{code.id}:{g}" for g in games)
        raise TricklawError(f"the code {code.id!r} has {len(games)} games; write one of {named}")
    return code, game or games[0]


def _check_writable(file: Path) -> None:
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise TricklawError(f"{file}: cannot be written: {'a folder' if file.is_dir() else 'no such folder'}")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TricklawError(f"{file}: cannot be written: {error.strerror}") from None


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """A function to tell what is going on: on a terminal, and once that has taken a while; nothing elsewhere."""
    started, status = time.monotonic(), Status("", console=Console(stderr=True))

    def tell(text: str) -> None:
        if sys.stderr.isatty() and time.monotonic() - started > PATIENCE:
            status.update(text)
            status.start()

    try:
        yield tell
    finally:
        status.stop()


# the terminal ----------------------------------------------------------------------------------------------------------


def _tell(found: Graph) -> None:
    console = Console(highlight=False, soft_wrap=True)
    d = data(found)
    head = f"{d['situations']:,} situations, {d['edges']:,} edges, from {d['states']:,} states in {d['seconds']} s"
    console.print(Text.assemble((f"{d['code']}:{d['game']}", "bold"), f"  {head}"))
    console.print(Text("complete over:" if found.complete else "not complete; explored:", style="dim"))
    for text in d["scope"]["deals"]:
        console.print(Text(f"  {text}", style="dim"))
    _tell_nodes(console, "play may stick, no lawful act being left", d["stuck"])
    _tell_nodes(console, "dead ends of the graph", d["dead_ends"], plays=False)
    _tell_nodes(console, "traps: no way back to regular play", [t["nodes"][0] for t in d["traps"]], plays=False)
    _tell_nodes(console, "left at the end of the hand", d["left_over"], plays=False)
    _tell_unused(console, d["unused"])
    _tell_passages(console, d["passages"])


def _tell_nodes(console: Console, head: str, nodes: Sequence[Mapping[str, Any]], plays: bool = True) -> None:
    console.print(Text(f"\n{head}: {len(nodes) or 'none'}", style="bold"))
    for node in nodes[:SHOWN]:
        console.print(Text(f"  {node['node']}  {node['situation']}"))
        if plays:
            console.print(Text(f"      {'; '.join(node['play'])}", style="dim"))
    if len(nodes) > SHOWN:
        console.print(Text(f"  and {len(nodes) - SHOWN} more; --json writes all", style="dim"))


def _tell_unused(console: Console, unused: Sequence[Mapping[str, str]]) -> None:
    console.print(Text(f"\nclauses that no path uses: {len(unused) or 'none'}", style="bold"))
    for one in unused:
        console.print(Text.assemble("  ", f"{one['clause']}  ", (one["reason"], "dim")))


def _tell_passages(console: Console, passages: Sequence[Mapping[str, Any]]) -> None:
    """What is passed on every way to a right or another irregularity; for single demands only JSON tells it."""
    console.print(Text("\nwhat every path from the deal passes", style="bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2), header_style="dim")
    for head in ("to", "irregular acts at least", "acts", "breaks", "sets off"):
        table.add_column(head, overflow="fold")
    for p in (p for p in passages if ": " not in p["matter"]):
        passed = ("; ".join(p["acts"]), ", ".join(p["broken"]), ", ".join(p["set_off"]))
        table.add_row(p["matter"], str(p["irregular"]), *(text or "-" for text in passed))
    wide = Console(highlight=False, width=None if console.is_terminal else WIDTH)
    with wide.capture() as captured:
        wide.print(table)
    console.print("\n".join(line.rstrip() for line in captured.get().splitlines()), markup=False)

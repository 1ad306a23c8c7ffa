"""The report as one HTML page that needs nothing else: verdicts, what they rest on, and plays told with drawings."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tricklaw import __version__
from tricklaw.model.codes import resolve
from tricklaw.model.errors import TricklawError, UnknownName, nearest
from tricklaw.model.law import Code
from tricklaw.reports.verdict_table import progress
from tricklaw.reports.views import MEANINGS, Viewer
from tricklaw.solver.session import Question, games_of, run
from tricklaw.solver.verdicts import Result, from_json

WRITTEN, STALE = 0, 1
"""Exit codes: all is told; the page is written, but a play in it no longer fits the law files."""

TEMPLATES = Path(__file__).parent / "templates"


def render(results: Sequence[Result], code: Code) -> tuple[str, list[str]]:
    """The page, and the plays that could not be told, in a line each.

    Parameters:
        results: of that code; games in any order.
        code: the code with all its games.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    viewer = Viewer(code)
    games = viewer.games(results)
    used = {key for game in games for entry in game.entries for key in entry.result.scope.get("readings", ())}
    page = environment.get_template("report.html.j2").render(
        code=code, games=games, meanings=MEANINGS, cited=viewer.cite.all(), used=used, version=__version__
    )
    return page, viewer.problems


def read_results(file: Path) -> list[Result]:
    """The results saved by `tricklaw check --json`.

    Raises:
        TricklawError: the file cannot be read, or holds something else.
    """
    try:
        return from_json(json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise TricklawError(f"{file}: cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise TricklawError(f"{file}: holds no verdicts: {error!r}; write them with `tricklaw check --json`") from None
    except ValueError as error:
        raise TricklawError(f"{file}: holds no verdicts: {error}; write them with `tricklaw check --json`") from None


def chosen(results: Sequence[Result], code: Code, game: str | None) -> list[Result]:
    """The results that are of the code, and of the game if one is named.

    Raises:
        UnknownName: there are none, or one is of a game that the code does not have.
    """
    found = [r for r in results if r.code == code.id and game in (None, r.game)]
    if not found:
        wanted = f"{code.id}:{game}" if game else code.id
        there = sorted({f"{r.code}:{r.game}" for r in results}) or ["nothing"]
        raise UnknownName(f"no verdicts of {wanted!r}; there are verdicts of {', '.join(there)}")
    for name in {r.game for r in found} - set(code.head.games):
        raise UnknownName(f"the code {code.id!r} has no game {name!r}{nearest(name, code.head.games)}")
    return found


def write(page: str, folder: Path) -> Path:
    """Write the page as `index.html` in a folder: whole, or not at all.

    A folder that exists keeps what else is in it. The page is written beside it first, then renamed.

    Raises:
        OSError: it cannot be written.
    """
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    try:
        fresh = work / "page"
        fresh.mkdir()
        (fresh / "index.html").write_text(page, encoding="utf-8")
        if folder.is_dir():
            (fresh / "index.html").replace(folder / "index.html")
        else:
            fresh.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder / "index.html"


def report(name: str, folder: Path, verdicts: Path | None = None) -> int:
    """Write the report on a code, and tell where it is.

    Parameters:
        name: `CODE` or `CODE:GAME`, as on the command line.
        folder: where to write it.
        verdicts: saved results; without them the code is checked first.

    Returns:
        0 where all is told, 1 where a play in it no longer fits the law files.

    Raises:
        TricklawError: nothing is written, and why.
    """
    code, game = resolve(name)
    results = chosen(read_results(verdicts), code, game) if verdicts else checked(code, game)
    page, problems = render(results, code)
    try:
        print(write(page, folder))
    except OSError as error:
        raise TricklawError(f"{folder}: cannot be written: {error.strerror}") from None
    for problem in problems:
        print(f"warning: {problem}", file=sys.stderr)
    return STALE if problems else WRITTEN


def checked(code: Code, game: str | None) -> list[Result]:
    """The results of checking the code, or one game of it, as `tricklaw check` does."""
    with progress() as tell:
        return list(run(Question(games_of([(code, game)]), jobs=os.cpu_count() or 1), tell))

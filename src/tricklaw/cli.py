"""The command `tricklaw`.

`tricklaw --help` must answer at once, so this module imports nothing heavy (z3, numba, llvmlite, networkx). A command
imports what it needs inside its own function; `tests/packaging/test_imports.py` keeps it so.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tricklaw import __version__
from tricklaw.model.errors import TricklawError

app = typer.Typer(
    name="tricklaw",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: rich alone takes longer to load than all the rest
    pretty_exceptions_show_locals=False,  # a solver's locals fill screens
)


def _print_version(asked: bool) -> None:
    """Print the version and stop, if it was asked for."""
    if asked:
        typer.echo(f"tricklaw {__version__}")
        raise typer.Exit


@app.callback()
def tricklaw(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Prove or refute properties of the laws of trick-taking card games, over every deal and every irregularity."""


@app.command()
def check(
    codes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CODE[:GAME]|PATH ...]", help="Codes, games or folders; all built-in codes if none."),
    ] = None,
    property_id: Annotated[
        list[str] | None, typer.Option("--property", metavar="ID", help="Only this property; may be repeated.")
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Fix a reading, as RS7=passes; may be repeated. Else all are decided."),
    ] = None,
    without_layer: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Leave out a layer: play, law, insertion or context.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="CLAUSE", help="Leave out a clause, or all clauses of a sentence.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the verdicts as JSON; `-`: instead of tables.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many solvers work at once; as many as cores.")] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for each obligation.")] = 60.0,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Decide everything anew.")] = False,
) -> None:
    """Decide which properties of a code hold, over every deal and every sequence of acts.

    Exit code 0: every verdict is as the code's expectation file states (default: proved); 1: some verdict differs;
    2: bad input; 3: something expected stayed unknown.
    """
    from tricklaw.model.codes import builtins, resolve
    from tricklaw.reports import verdict_table
    from tricklaw.solver.session import Question, games_of

    try:
        fixed = verdict_table.parse_readings(reading or [])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--reading") from None
    chosen = [resolve(c) for c in codes] if codes else [(code, None) for code in builtins()]
    question = Question(
        games_of(chosen),
        tuple(property_id or ()),
        fixed,
        tuple(without_layer or ()),
        tuple(without or ()),
        jobs or os.cpu_count() or 1,
        timeout,
        not no_cache,
    )
    raise typer.Exit(verdict_table.check(question, json))


@app.command()
def rule(
    cases: Annotated[list[Path] | None, typer.Argument(metavar="CASE.yaml...", help="Case files.")] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the rulings as JSON as well.")] = None,
    acts: Annotated[bool, typer.Option("--acts", help="List the ways to write an act, and stop.")] = False,
) -> None:
    """Rule on cases: say of each act what it breaks, what it sets off, and what each player may do then.

    Exit code 0: all is as the cases expect; 1: something is not; 2: a case cannot be read or played.
    """
    from tricklaw.reports import rulings

    if acts:
        rulings.print_forms()
    elif not cases:
        raise typer.BadParameter("give a case file, or --acts", param_hint="CASE.yaml")
    else:
        raise typer.Exit(rulings.rule(cases, json))


JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write it as JSON as well; where FILE is `-`, on standard output instead."
    ),
]
"""The option `--json` of every listing."""


@app.command()
def codes(
    code: Annotated[str | None, typer.Argument(metavar="CODE", help="A code, CODE:GAME, or a folder.")] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Decide which clauses do something, if it is not known.")
    ] = False,
    json: JsonFile = None,
) -> None:
    """List the codes, or the sentences, clauses and readings of one, and which of them are known to do something."""
    from tricklaw.reports import listings

    if live and code is None:
        raise typer.BadParameter("name the code whose clauses are meant", param_hint="--live")
    listings.codes(code, json, live)


@app.command()
def properties(
    property_id: Annotated[str | None, typer.Argument(metavar="ID", help="A property.")] = None,
    json: JsonFile = None,
) -> None:
    """List what can be asked of a code, or tell about one property."""
    from tricklaw.reports import listings

    listings.properties(property_id, json)


@app.command()
def phrases(
    sort: Annotated[str | None, typer.Argument(metavar="SORT", help="A sort of phrase, or a key of a clause.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Write the JSON Schema of law files, for editors.")] = False,
    json: JsonFile = None,
) -> None:
    """List the phrases of law files, and where each may stand."""
    from tricklaw.reports import listings

    if schema and sort:
        raise typer.BadParameter("the schema is of all sorts; leave out SORT", param_hint="--schema")
    if schema:
        listings.phrase_schema(json)
    else:
        listings.phrases(sort, json)


Jobs = Annotated[int | None, typer.Option(min=1, help="How many solvers work at once; as many as cores.")]
"""The option `--jobs`."""


@app.command()
def ask(
    code: Annotated[str, typer.Argument(metavar="CODE[:GAME]", help="A code, one game of it, or a folder.")],
    question: Annotated[Path, typer.Argument(metavar="QUESTION.yaml", help="A question, in the phrases of law files.")],
    json: JsonFile = None,
    jobs: Jobs = None,
) -> None:
    """Answer a question of your own about a code: `whenever ... then ...`, `never ...` or `can ...`.

    Exit code 0: answered; 2: bad input; 3: it stayed unknown.
    """
    from tricklaw.reports import questions as asked

    raise typer.Exit(asked.ask(code, question, json, jobs))


@app.command()
def questions(
    code: Annotated[
        str | None, typer.Argument(metavar="[CODE[:GAME]]", help="Only those about this code, or game.")
    ] = None,
    json: JsonFile = None,
    jobs: Jobs = None,
) -> None:
    """Answer the questions that come with tricklaw: what a careful reader would ask of the codes.

    Exit code 0: all are answered; 2: bad input; 3: one stayed unknown.
    """
    from tricklaw.reports import questions as asked

    raise typer.Exit(asked.questions(code, json, jobs))


@app.command()
def report(
    code: Annotated[str, typer.Argument(metavar="CODE[:GAME]", help="A code, one game of it, or a folder.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write index.html.")],
    verdicts: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Verdicts saved by `check --json`; else the code is checked."),
    ] = None,
) -> None:
    """Write the verdicts as one HTML page, each counterexample told act by act with the table drawn.

    Exit code 0: written; 1: written, but a play in it no longer fits the law files; 2: bad input, nothing written.
    """
    from tricklaw.reports import pages

    raise typer.Exit(pages.report(code, output, verdicts))


@app.command()
def graph(
    code: Annotated[str, typer.Argument(metavar="CODE[:GAME]", help="A code with one game, a game, or a folder.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where to write the graph.")],
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="graphml, dot, json or svg; as FILE ends unless given."),
    ] = None,
    irregularities: Annotated[
        int | None, typer.Option(metavar="K", min=0, help="At most K irregular acts; 1 if only --cards is given.")
    ] = None,
    cards: Annotated[
        int | None, typer.Option(metavar="C", min=1, max=6, help="C cards each; 1 if only --irregularities is given.")
    ] = None,
    without_layer: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Leave out a layer: play, law, insertion or context.")
    ] = None,
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the lists as JSON.")] = None,
) -> None:
    """Draw the reachable irregularity states of a code as a graph, and list dead ends, traps and unused clauses.

    Unless told, deals of one card each are explored with two irregular acts, of two cards with one, and, where the
    sides are fixed, two of two cards with two.

    Exit code 0: written; 2: bad input.
    """
    from tricklaw.reports import graphs

    layers = tuple(without_layer or ())
    graphs.graph(code, output, form, cards=cards, irregularities=irregularities, without_layers=layers, lists=json)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; the console script `tricklaw` starts here.

    What is wrong with the user's input is told on standard error, an error a line, with exit code 2.
    """
    try:
        app(arguments)
    except TricklawError as error:
        for one in getattr(error, "errors", (error,)):
            typer.echo(f"error: {one}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to be flushed at the end
        sys.exit(1)

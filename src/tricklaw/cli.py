"""The command `tricklaw`.

`tricklaw --help` must answer at once, so this module imports nothing heavy (z3, numba, llvmlite, networkx). A command
imports what it needs inside its own function; `tests/packaging/test_imports.py` keeps it so.
"""

from typing import Annotated

import typer

from tricklaw import __version__

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


def main() -> None:
    """Run the command line; the console script `tricklaw` starts here."""
    app()

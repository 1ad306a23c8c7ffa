"""The codes that a user can name, with everything about them checked: what every command starts from."""

from __future__ import annotations

from tricklaw.model.errors import LawError
from tricklaw.model.law import Code
from tricklaw.model.lawfiles import builtin_codes, find_code, load_code


def resolve(argument: str) -> tuple[Code, str | None]:
    """The code and game that a command line names: `CODE`, `CODE:GAME`, `PATH` or `PATH:GAME`.

    Raises:
        UnknownName: there is no such code or game.
        LawErrors: the code is there, but something is wrong with it, its phrases included.
    """
    return find_code(argument, check=_check)


def builtins() -> list[Code]:
    """The codes that come with tricklaw and have a game. Their phrases are not looked at, so this needs no Z3."""
    return [load_code(folder) for folder in builtin_codes().values()]


def _check(code: Code) -> list[LawError]:
    from tricklaw.model.phrases.check import check_phrases  # loads Z3

    return check_phrases(code)

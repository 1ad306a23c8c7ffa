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


def builtins(*, phrases: bool = True) -> list[Code]:
    """The codes that come with tricklaw and have a game.

    Parameters:
        phrases: whether to check the phrases too, for which Z3 is loaded.

    Raises:
        LawErrors: something is wrong with one of them.
    """
    return [load_code(folder, check=_check if phrases else None) for folder in builtin_codes().values()]


def _check(code: Code) -> list[LawError]:
    from tricklaw.model.phrases.check import check_phrases  # loads Z3

    return check_phrases(code)

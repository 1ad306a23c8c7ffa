"""Reads law files: a folder with `code.yaml`, perhaps `expect.yaml`, and files of clauses becomes a `Code`.

Whatever is wrong is told with its file, line and column and with what to write instead, all problems of a folder at
once. A file is read into plain data (`sheets`), a folder into clauses (`lawfolder`); here a code's folders are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic.json_schema import models_json_schema

from tricklaw.model.errors import LawError, LawErrors, Place, UnknownName
from tricklaw.model.law import LEADING, Address, ClauseFile, Code, CodeHead, Expectation, Kind, Reading
from tricklaw.model.lawchecks import Located, condition_problems, near, reference_problems
from tricklaw.model.lawfolder import HEAD, MOST_CLAUSES, Part, read_part
from tricklaw.model.sheets import read_sheet

BUILTIN = Path(__file__).parent / "codes"
"""The folder of the codes that come with tricklaw."""

Check = Callable[[Code], list[LawError]]
"""A further check of a code; each clause fits the schema, but a reference between clauses may still lead nowhere."""


def load_code(folder: Path, *, codes_root: Path = BUILTIN, check: Check | None = None) -> Code:
    """Read a code: the clauses of the codes it uses, then its own, files in the order of their names.

    Readings of the codes it uses are its own too; one that it defines itself goes before a used one of that name.

    Parameters:
        folder: the folder of the code.
        codes_root: where the codes named under `uses` are.
        check: what else to ask of the code, such as whether its phrases are known; `Code.where` tells it places.

    Raises:
        LawErrors: all that is wrong with the folder and the codes it uses.
    """
    parts = _with_used(read_part(Path(folder)), codes_root)
    problems = _too_many(parts) or list(_duplicates(parts))
    if all(part.whole for part in parts):
        problems += _misfits(parts)
    code = _join(parts)
    if code and check:
        problems += check(code)
    problems += chain.from_iterable(part.problems for part in parts)
    if problems or code is None:
        files = [file for part in reversed(parts) for file in part.files]
        raise LawErrors(sorted(problems, key=lambda problem: _rank(problem.place, files)))
    return code


def builtin_codes(codes_root: Path = BUILTIN) -> dict[str, Path]:
    """The folders of the codes that come with tricklaw and have a game, by name."""
    return {name: folder for name, folder in _codes_below(codes_root).items() if _has_games(folder)}


def find_code(text: str, *, codes_root: Path = BUILTIN, check: Check | None = None) -> tuple[Code, str | None]:
    """The code and game that a command line names: `CODE`, `CODE:GAME`, `PATH` or `PATH:GAME`.

    A built-in code goes before a folder of the same name; write `./NAME` for the folder.

    Raises:
        UnknownName: there is no such code or game.
        LawErrors: the code is there, but something is wrong with it.
    """
    known = builtin_codes(codes_root)
    name, colon, game = text.rpartition(":")
    for candidate, wanted in ((text, None), (name, game)) if colon else ((text, None),):
        folder = known.get(candidate) or _existing(candidate)
        if folder:
            code = load_code(folder, codes_root=codes_root, check=check)
            if wanted is not None and wanted not in code.head.games:
                raise UnknownName(f"the code {code.id!r} has no game {wanted!r}{near(wanted, code.head.games)}")
            return code, wanted
    raise UnknownName(f"{text!r} is neither a built-in code nor a folder{near(name if colon else text, known)}")


def schema(phrases: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """The JSON Schema of law files, for editors: it accepts `code.yaml`, `expect.yaml` and files of clauses.

    Parameters:
        phrases: for a key (as written, or as the field is called), what may stand there: literal phrases, or regular
            expressions that begin with `^`. A key not named here takes any text.
    """
    models = (ClauseFile, CodeHead, Expectation)
    refs, whole = models_json_schema([(model, "validation") for model in models], by_alias=True)
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    whole["title"] = "tricklaw law file"
    whole["anyOf"] = [refs[model, "validation"] for model in models]
    clause = whole["$defs"]["Clause"]
    clause["oneOf"] = [{"required": [key]} for key in LEADING]
    for key, allowed in ((key, allowed) for key, allowed in (phrases or {}).items() if allowed):
        for properties in (whole["$defs"][name]["properties"] for name in ("Clause", "Game")):
            written = key if key in properties else key.rstrip("_").replace("_", " ")
            if written in properties:
                properties[written] = _enumerated(properties[written], allowed)
    return whole


def _enumerated(before: Mapping[str, Any], allowed: Sequence[str]) -> dict[str, Any]:
    """A property that takes only these phrases: one, or a list of them where it took a list before."""
    one = {
        "anyOf": [{"pattern": text, "type": "string"} if text.startswith("^") else {"const": text} for text in allowed]
    }
    listed = any(choice.get("type") == "array" for choice in before.get("anyOf", ()))
    kept = {key: value for key, value in before.items() if key in {"description", "title"}}
    return kept | ({"anyOf": [one, {"type": "array", "items": one}]} if listed else one)


def _codes_below(root: Path) -> dict[str, Path]:
    if not root.is_dir():
        return {}
    return {path.name: path for path in sorted(root.iterdir()) if (path / HEAD).is_file()}


def _has_games(folder: Path) -> bool:
    """Whether the code names a game; one that cannot be read is let pass, for `load_code` to tell why."""
    try:
        return bool(read_sheet(folder / HEAD).data.get("games"))
    except LawErrors:
        return True


def _existing(text: str) -> Path | None:
    """The folder of that path, if there is one."""
    try:
        return Path(text) if text and Path(text).is_dir() else None
    except (OSError, ValueError):  # a name too long, a zero byte
        return None


def _with_used(own: Part, root: Path, above: tuple[Path, ...] = (), seen: dict[Path, Part] | None = None) -> list[Part]:
    """A part after all those it uses, each folder once."""
    seen = {} if seen is None else seen
    here = own.folder.resolve()
    seen[here] = own
    known = _codes_below(root)
    parts: list[Part] = []
    for index, name in enumerate(own.head.uses if own.head else ()):
        place = own.sheet.place(("uses", index)) if own.sheet else None
        used = known[name].resolve() if name in known else None
        if used is None:
            own.report(LawError(f"'uses' names {name!r}, which is no built-in code{near(name, known)}", place))
        elif used in (*above, here):
            own.report(LawError(f"{name!r} uses itself, directly or through another code; leave it out here", place))
        elif used not in seen:
            parts += _with_used(read_part(known[name]), root, (*above, here), seen)
    return [*parts, own]


def _too_many(parts: Sequence[Part]) -> list[LawError]:
    size = sum(part.size for part in parts)
    if size <= MOST_CLAUSES or any(part.size > MOST_CLAUSES for part in parts):
        return []
    what = f"the code has {size:,} clauses with those it uses, more than {MOST_CLAUSES:,}; divide it into several codes"
    return [LawError(what, Place(str(parts[-1].folder)))]


def _duplicates(parts: Sequence[Part]) -> Iterator[LawError]:
    """Clauses whose id has gone before."""
    first: dict[str, Located] = {}
    for at in (at for part in parts for at in part.clauses):
        before = first.setdefault(at.clause.id, at)
        if before is not at:
            what = f"the clause id {at.clause.id!r} is taken, by {before.place('id')}; give this clause another id"
            what += ", and let it override that one if it shall take its place"
            yield LawError(what, at.place("id"))


def _readings(parts: Sequence[Part]) -> dict[str, Reading]:
    return {name: reading for part in parts if part.head for name, reading in part.head.readings.items()}


def _misfits(parts: Sequence[Part]) -> Iterator[LawError]:
    """References to what the code does not have."""
    clauses = [at for part in parts for at in part.clauses]
    broken = set().union(*(part.broken for part in parts))
    known = dict.fromkeys(at.clause.id for at in clauses)
    rights = {at.clause.id: at for at in clauses if at.clause.id not in broken and at.clause.kind is Kind.RIGHT}
    yield from reference_problems(clauses, rights, known, broken)
    own = parts[-1].head
    for part in parts:
        if own and part.head:
            games = dict.fromkeys((*own.games, *part.head.games))
            yield from condition_problems(part.clauses, _readings(parts), games)


def _join(parts: Sequence[Part]) -> Code | None:
    """The parts as one code, if no file and no clause had to be left out."""
    own = parts[-1]
    if own.head is None or any(part.broken or not part.whole for part in parts):
        return None
    clauses = [at for part in parts for at in part.clauses]
    places: dict[Address, Place] = {}
    for part in parts:
        places |= _head_places(part)
    for at in clauses:
        places |= _places(at.clause.id, at)
    head = own.head.model_copy(update={"readings": _readings(parts)})
    sentences = {name: sentence for part in parts for name, sentence in part.sentences.items()}
    return Code(head, tuple(at.clause for at in clauses), places, sentences, own.expect, str(own.folder))


def _places(owner: str, at: Located) -> dict[Address, Place]:
    """The places of a clause, of what stands under its keys, and of the items there."""
    places: dict[Address, Place] = {owner: at.key_place("id")}
    for key, value in at.raw.items():
        places[owner, key] = at.place(key)
        items = value if isinstance(value, dict) else range(len(value) if isinstance(value, list) else 0)
        places |= {(owner, key, item): at.place(key, item) for item in items}
    return places


def _head_places(part: Part) -> dict[Address, Place]:
    """The places of the games and readings, of what stands under their keys, and of the items there."""
    places: dict[Address, Place] = {}
    for keys in part.sheet.values if part.sheet else ():
        if part.sheet and len(keys) > 1 and keys[0] in {"games", "readings"}:
            owner = f"{str(keys[0])[:-1]} {keys[1]}"
            match keys[2:]:
                case ():
                    places[owner] = part.sheet.key_place(keys)
                case (str(key),):
                    places[owner, key] = part.sheet.place(keys)
                case (str(key), item):
                    places[owner, key, item] = part.sheet.place(keys)
    return places


def _rank(place: Place | None, files: Sequence[str]) -> tuple[int, int, int]:
    """Where a problem comes in the report: by file in the order of reading, by line, by column."""
    if place is None:
        return -1, 0, 0
    return files.index(place.file) if place.file in files else -1, place.line, place.column

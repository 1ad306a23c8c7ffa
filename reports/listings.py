"""What there is to ask about: codes and their clauses, properties, phrases; as tables or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tricklaw.model.codes import builtins, resolve
from tricklaw.model.errors import TricklawError, UnknownName
from tricklaw.model.law import Clause, Code, Layer, Sentence
from tricklaw.model.lawchecks import near

if TYPE_CHECKING:
    from tricklaw.model.phrases.registry import Phrase
    from tricklaw.properties.base import Property
    from tricklaw.reports.standing import Standing

WIDTH = 120
"""The width of a line where the output is no terminal."""

LAYERS = {
    Layer.PLAY: "what every code takes for granted",
    Layer.LAW: "the numbered law",
    Layer.INSERTION: "insertions for single games",
    Layer.CONTEXT: "laws outside the excerpt",
}
"""What each layer of a code is."""

SORTS = {
    "seats": "players",
    "condition": "what holds in a state",
    "event": "what an act brings about",
    "cards": "sets of cards",
    "acts": "acts that are forbidden or permitted",
    "must": "what has to be done",
    "demand": "what a right allows to demand",
    "effect": "what comes of an act",
    "sides": "who may sit with whom, in `code.yaml`",
}
"""What each sort of phrase stands for."""


# codes ---------------------------------------------------------------------------------------------------------------


def codes(argument: str | None, file: Path | None, live: bool = False) -> None:
    """List the built-in codes, or tell what one says, for all its games or for the one named.

    Parameters:
        live: decide which clauses do something, where it is not remembered.
    """
    if argument is None:
        found = builtins(phrases=False)
        _tell([_head(code) for code in found], [_codes_table(found)], file)
        return
    from tricklaw.reports.standing import standing

    code, game = resolve(argument)
    known = standing(code, game, live)
    code = code.restrict(game) if game else code
    _tell(_code(code, game, known), _code_parts(code, game, known), file)


def _head(code: Code) -> dict[str, Any]:
    games = {name: {"says": g.says, "sides": list(g.sides)} for name, g in code.head.games.items()}
    return {
        "code": code.id,
        "title": code.head.title,
        "edition": code.head.edition,
        "seats": code.head.seats,
        "games": games,
    }


def _code(code: Code, game: str | None, known: Standing) -> dict[str, Any]:
    """A code as plain data; the game it is told for, if any."""
    readings = {name: code.head.readings[name].model_dump() for name in _readings(code)}
    clauses = [_clause(code, c, known) for c in code.clauses]
    sentences = [_sentence(code, s, known) for s in code.sentences.values()]
    return _head(code) | {"game": game, "clauses": clauses, "readings": readings, "sentences": sentences}


def _sentence(code: Code, sentence: Sentence, known: Standing) -> dict[str, Any]:
    clauses = code.clauses_of(sentence)
    reasons = [clause.not_modelled for clause in clauses if clause.not_modelled]
    return {
        "id": sentence.id,
        "says": sentence.says,
        "layer": str(sentence.layer),
        "clauses": [clause.id for clause in clauses],
        "readings": list(dict.fromkeys(name for clause in clauses for name in clause.under)),
        "live": known.of_sentence(code, sentence),
        "properties": known.resting(code, sentence),
        "not_modelled": "; ".join(reasons) if len(reasons) == len(clauses) else "",
    }


def _clause(code: Code, clause: Clause, known: Standing) -> dict[str, Any]:
    return {
        "id": clause.id,
        "layer": str(clause.layer),
        "kind": str(clause.kind),
        "says": clause.says,
        "games": list(clause.games),
        "under": clause.under,
        "overrides": list(clause.overrides),
        "live": known.of_clause(clause.id),
        "dead_in": known.dead_in(clause.id),
        "properties": known.rests.get(clause.id, []),
        "note": clause.note,
        "place": str(code.where(clause.id)),
    }


def _readings(code: Code) -> list[str]:
    """The readings that some clause depends on."""
    used = {name for clause in code.clauses for name in clause.under}
    return [name for name in code.head.readings if name in used]


def _codes_table(known: Sequence[Code]) -> Table:
    rows = [(c.id, c.head.title, ", ".join(c.head.games), c.head.edition) for c in known]
    return _table(("code", "title", "games", "edition"), rows, wraps=(1, 3))


def _code_parts(code: Code, game: str | None, known: Standing) -> Iterator[RenderableType]:
    yield Text.assemble((code.id, "bold"), "  ", code.head.title)
    about = (code.head.edition, f"{code.head.seats} players", f"as played in {game}" if game else "")
    yield Text("; ".join(part for part in about if part), style="dim")
    games = [(n, f"{g.says} ({', '.join(g.sides)})") for n, g in code.head.games.items() if game in (None, n)]
    yield from _section("games", "", _table(("", ""), games))
    if code.sentences:
        yield from _section("sentences", _accounted(code, known), _sentence_table(code, known))
    for layer in Layer:
        rows = [_row(clause) for clause in code.clauses if clause.layer is layer]
        if rows:
            yield from _section(layer, LAYERS[layer], _clause_table(rows))
    yield from _section("dead clauses", "struck out, the law would be the same", *_dead(code, known))
    rows = [row for name in _readings(code) for row in _reading_rows(code, name)]
    if rows:
        yield from _section("readings", "what an ambiguous clause may mean", _table(("", "", ""), rows))


def _accounted(code: Code, known: Standing) -> str:
    """How many sentences there are, and how many of them the model has."""
    left = sum(bool(_sentence(code, s, known)["not_modelled"]) for s in code.sentences.values())
    return f"{len(code.sentences)} sentences, {len(code.sentences) - left} of them modelled"


def _sentence_table(code: Code, known: Standing) -> Table:
    rows = []
    for sentence in code.sentences.values():
        told = _sentence(code, sentence, known)
        live = {True: "live", False: "dead", None: ""}[told["live"]]
        named = (told["layer"], "\n".join(told["clauses"]), "\n".join(told["readings"]), live)
        rows.append((told["id"], told["says"], *named, ", ".join(told["properties"]), told["not_modelled"]))
    heads = ("sentence", "says", "layer", "clauses", "readings", "", "verdicts resting on it", "not modelled")
    return _table(heads, rows, wraps=(1, 6, 7))


def _dead(code: Code, known: Standing) -> Iterator[RenderableType]:
    """The clauses that do nothing, and where; or how to find out."""
    if not known.live:
        yield Text(f"not known yet: `tricklaw codes {code.id} --live` decides it, as does `tricklaw check {code.id}`")
        return
    dead = [(c, games) for c in code.clauses if (games := known.dead_in(c.id))]
    if not dead:
        yield Text("none")
    rows = [(c.id, c.says, "" if known.of_clause(c.id) is False else ", ".join(games)) for c, games in dead]
    yield _table(("clause", "says", "only in"), rows, wraps=(1,))


def _clause_table(rows: Sequence[Sequence[str]]) -> Table:
    return _table(("clause", "kind", "says", "only", "overrides"), rows, wraps=(2,))


def _row(clause: Clause) -> tuple[str, ...]:
    only = [", ".join(clause.games), *(f"{reading}: {choice}" for reading, choice in clause.under.items())]
    overrides = "\n".join(clause.overrides)
    return clause.id, clause.kind, clause.says, "\n".join(part for part in only if part), overrides


def _reading_rows(code: Code, name: str) -> Iterator[tuple[str, str, str]]:
    reading = code.head.readings[name]
    yield name, "", reading.asks
    for choice, says in reading.choices.items():
        yield "", choice, says + (" (default)" if choice == reading.default else "")


# properties ----------------------------------------------------------------------------------------------------------


def properties(property_id: str | None, file: Path | None) -> None:
    """List the properties, or tell all about one."""
    from tricklaw.properties import PROPERTIES, find

    if property_id is None:
        found = list(PROPERTIES.values())
        parts = [p for theme, of_it in groupby(found, lambda p: p.theme) for p in _theme(theme, list(of_it))]
        _tell([_property(p) for p in found], parts, file)
        return
    one = find(property_id)
    rows = [("statement", one.formal), ("failure", one.failure), ("theme", one.theme)]
    _tell(_property(one), [Text.assemble((one.id, "bold"), "  ", one.says), "", _table(("", ""), rows)], file)


def _property(p: Property) -> dict[str, str]:
    return {"id": p.id, "says": p.says, "formal": p.formal, "failure": p.failure, "theme": p.theme}


def _theme(theme: str, found: Sequence[Property]) -> Iterator[RenderableType]:
    yield from _section(theme, "", _table(("", ""), [(p.id, p.says) for p in found]))


# phrases -------------------------------------------------------------------------------------------------------------


def phrases(sort: str | None, file: Path | None) -> None:
    """List the phrases of all sorts, or of one: a sort, or a key of a clause that takes it."""
    listed = _phrases()
    chosen = {name: listed[name] for name in (listed if sort is None else [_sort(sort, listed)])}
    data = {name: {"means": SORTS[name], **listing} for name, listing in chosen.items()}
    _tell(data, [part for name in chosen for part in _sort_parts(name, chosen[name])], file)


def phrase_schema(file: Path | None) -> None:
    """Write the JSON Schema of law files, with every phrase under the keys that take it."""
    from tricklaw.model.lawfiles import schema
    from tricklaw.model.phrases.check import phrases_of_keys

    _write(schema(phrases_of_keys()), file or Path("-"))


def _phrases() -> dict[str, dict[str, Any]]:
    """For each sort its keys and its phrases, as plain data."""
    from tricklaw.model.phrases import PHRASES, Sort
    from tricklaw.model.phrases.check import written_key
    from tricklaw.model.phrases.registry import SORT_OF_KEY
    from tricklaw.model.table import ARRANGEMENTS

    found: dict[str, dict[str, Any]] = {}
    for sort in Sort:
        keys = [written_key(key) for key, of_it in SORT_OF_KEY.items() if of_it is sort]
        found[str(sort)] = {"keys": keys, "phrases": [_phrase(p, keys) for p in PHRASES.values() if p.sort is sort]}
    sides = [{"phrase": text, "means": f"{says.capitalize()}."} for text, (_, says) in ARRANGEMENTS.items()]
    return found | {"sides": {"keys": ["sides"], "phrases": sides}}


def _phrase(phrase: Phrase, keys: Sequence[str]) -> dict[str, Any]:
    from tricklaw.model.phrases.check import keys_of, written_key

    own = [written_key(key) for key in keys_of(phrase)]
    return {"phrase": phrase.text, "means": phrase.doc} | ({"only under": own} if own != list(keys) else {})


def _sort(name: str, listed: Mapping[str, Mapping[str, Any]]) -> str:
    for sort, listing in listed.items():
        if name == sort or name in listing["keys"]:
            return sort
    raise UnknownName(f"unknown sort of phrase {name!r}{near(name, listed)}")


def _sort_parts(name: str, listing: Mapping[str, Any]) -> Iterator[RenderableType]:
    yield from _section(name, f"{SORTS[name]}; under {_quoted(listing['keys'])}")
    for phrase in listing["phrases"]:
        yield Text(f"  {phrase['phrase']}", style="cyan", no_wrap=True, overflow="ignore")
        only = f" Only under {_quoted(phrase['only under'])}." if "only under" in phrase else ""
        yield Padding(Text(phrase["means"] + only), (0, 0, 0, 6))


def _quoted(keys: Sequence[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


# telling -------------------------------------------------------------------------------------------------------------


def _section(name: str, says: str, *content: RenderableType) -> Iterator[RenderableType]:
    yield ""
    yield Text.assemble((name, "bold underline"), f"  {says}" if says else "")
    yield from content


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], wraps: Container[int] = ()) -> Table:
    """A table without lines or empty columns. Running text is wrapped, the last column unless told; names are not."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(heads))
    kept = [index for index in range(len(heads)) if any(row[index] for row in rows)]
    for index in kept:
        text = index in wraps or (not wraps and index == len(heads) - 1)
        table.add_column(heads[index], no_wrap=not text, overflow="fold", style="bold" if index == 0 else "")
    for row in rows:
        table.add_row(*(Text(row[index]) for index in kept))
    return table


def _tell(data: object, parts: Iterable[RenderableType], file: Path | None) -> None:
    """Print a listing, or as JSON to a file as well, or as JSON to standard output instead."""
    if file:
        _write(data, file)
    if str(file) != "-":
        _print(Group(*parts))


def _write(data: object, file: Path) -> None:
    text = json.dumps(data, indent=2) + "\n"
    if str(file) == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TricklawError(f"{file}: cannot be written: {error.strerror}") from None


def _print(listing: RenderableType) -> None:
    """Print for the terminal's width; elsewhere for `WIDTH`, without colours and the spaces that fill columns."""
    console = Console(highlight=False, markup=False)
    if console.is_terminal:
        console.print(listing)
        return
    console.width = WIDTH
    with console.capture() as captured:
        console.print(listing)
    lines = [line.rstrip() for line in captured.get().strip("\n").splitlines()]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()

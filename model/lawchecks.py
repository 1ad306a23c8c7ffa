"""What can be wrong with a code whose files could be read: misfits with the schema, and misfits between clauses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tricklaw.model.errors import LawError, Place, nearest
from tricklaw.model.law import EVERY, LEADING, Clause, CodeHead, Game, Kind, Layer, Reading, Sentence
from tricklaw.model.results import RESULTS
from tricklaw.model.sheets import MOST_PROBLEMS, Keys, Sheet

M = TypeVar("M", bound=BaseModel)

_ENTITLED = frozenset({Kind.RIGHT, Kind.TERMS})
_BROUGHT_ABOUT = frozenset({Kind.LIABILITY, Kind.CONSEQUENCE, Kind.RESULT})
_RANKED = frozenset({Kind.RIGHT, Kind.DUTY, Kind.PERMISSION}) | _BROUGHT_ABOUT
_CONDITIONAL = _RANKED | {Kind.IMMUNITY}
_GOES_WITH: Mapping[str, frozenset[Kind]] = {
    "against": frozenset({Kind.RIGHT}),
    "arises": _ENTITLED,
    "demands": frozenset({Kind.RIGHT}),
    "cards": frozenset({Kind.RIGHT}),
    "by": _ENTITLED,
    "repeats": _ENTITLED,
    "lost": _ENTITLED,
    "lost to": _ENTITLED,
    "closed": _ENTITLED,
    "discharged": _ENTITLED,
    "excused": _ENTITLED,
    "must": frozenset({Kind.DUTY}),
    "must not": frozenset({Kind.DUTY}),
    "may": frozenset({Kind.PERMISSION}),
    "from": frozenset({Kind.IMMUNITY}),
    "for": frozenset({Kind.RESULT}),
    "when": _BROUGHT_ABOUT | {Kind.EMBODIED},
    "while": _CONDITIONAL,
    "unless": _CONDITIONAL,
    "overrides": _RANKED,
}
"""The kinds of clause that a key says something in; elsewhere it would be read by nobody."""


@dataclass(frozen=True)
class Located:
    """A clause and where it stands."""

    clause: Clause
    sheet: Sheet
    path: Keys

    @property
    def raw(self) -> dict[str, Any]:
        """The clause as written."""
        found: Any = self.sheet.data
        for key in self.path:
            found = found[key]
        return dict(found)

    def place(self, *keys: str | int) -> Place:
        """Where the value under these keys stands."""
        return self.sheet.place((*self.path, *keys))

    def key_place(self, *keys: str | int) -> Place:
        """Where the last of these keys stands."""
        return self.sheet.key_place((*self.path, *keys))


def near(word: str, known: Iterable[str]) -> str:
    """The nearest known words, for the end of a message; all of them if none is near and they are few."""
    words = list(dict.fromkeys(known))
    found = nearest(word[:100], words)
    if found or not 0 < len(words) <= 30:
        return found
    return "; known: " + ", ".join(map(repr, words))


def fit(model: type[M], data: object, sheet: Sheet, path: Keys = ()) -> tuple[M | None, list[LawError]]:
    """What a part of a sheet means under the schema, or all that is wrong with it."""
    try:
        return model.model_validate(data, by_alias=True, by_name=False), []
    except ValidationError as error:
        details = error.errors(include_url=False)[:MOST_PROBLEMS]
        return None, [_misfit(model, detail, sheet, path) for detail in details]


_INNER: Mapping[str, type[BaseModel]] = {"games": Game, "readings": Reading}
"""The models inside the head of a code."""


def _misfit(model: type[BaseModel], detail: ErrorDetails, sheet: Sheet, path: Keys) -> LawError:
    """One of pydantic's errors in our words and with its place."""
    loc = detail["loc"]
    if loc and loc[-1] == "[key]":
        where = (*path, *loc[:-1])
        return LawError(
            f"the name {_shown(loc[-2])} holds a sign no name may hold{_EXAMPLES[0]}", sheet.key_place(where)
        )
    place = sheet.place((*path, *loc))
    owner: type[BaseModel] | None = model
    if len(loc) > 1:
        owner = _INNER.get(str(loc[0]))
    known = {info.alias or name: info for name, info in owner.model_fields.items()} if owner else {}
    key = str(loc[-1]) if loc else ""
    if detail["type"] == "extra_forbidden":
        return LawError(
            f"unknown key {_shown(key)}{near(key.strip('_').replace('_', ' '), known)}", sheet.key_place((*path, *loc))
        )
    if detail["type"] == "missing":
        what = known[key].description if key in known else None
        return LawError(f"the key {key!r} is missing; write `{key}: ...`{f' ({what})' if what else ''}", place)
    return LawError(f"{_name((*path, *loc))} is {_shown(detail['input'])}; write {_wanted(detail, key)}", place)


def _name(loc: tuple[int | str, ...]) -> str:
    """What the value is called in a message."""
    if not loc:
        return "this"
    if isinstance(loc[-1], int):
        return f"item {loc[-1] + 1} of {_name(loc[:-1])}"
    return repr(loc[-1])


def _shown(value: object) -> str:
    """A value in a message: text in quotation marks and not too long."""
    match value:
        case None:
            return "empty"
        case dict():
            return f"a mapping of {len(value)}"
        case list() | tuple():
            return f"a list of {len(value)}"
    text = str(value)
    return repr(text if len(text) <= 60 else text[:57] + "...")


_EXAMPLES = ("; leave out ':', '=', '/' and line breaks", "'AW.VIII.1.2'", "'duplicate-whist'")


def _wanted(detail: ErrorDetails, key: str) -> str:
    """What to write instead."""
    context: dict[str, Any] = detail.get("ctx", {})
    match detail["type"]:
        case "string_type":
            return "text"
        case "string_too_short":
            return f"at least {context['min_length']} characters"
        case "string_pattern_mismatch":
            return f"it like {_EXAMPLES[1] if key == 'id' else _EXAMPLES[2]}"
        case "enum" | "literal_error":
            return str(context["expected"])
        case "tuple_type":
            return "a list" if key == "clauses" else "one, or a list of them"
        case "too_short":
            return f"at least {context['min_length']}"
        case "dict_type" | "model_type":
            return "`key: value` lines"
        case "greater_than_equal":
            return f"{context['ge']} or more"
        case "less_than_equal":
            return f"{context['le']} or less"
        case "int_parsing" | "int_type" | "int_from_float" | "int_parsing_size":
            return "a whole number"
    return f"something else: {detail['msg']}"


def kind_problems(at: Located) -> list[LawError]:
    """Leading keys that are none or several, keys that say nothing in a clause of this kind, and keys it needs."""
    clause = at.clause
    try:
        kind = clause.kind
    except ValueError as error:
        written = [key for key, value in at.raw.items() if value and key in LEADING]
        return [LawError(str(error), at.key_place(written[1]) if len(written) > 1 else at.key_place("id"))]
    found = [
        LawError(f"the key {key!r} says nothing in a clause of the kind {kind}; {_belongs(key)}", at.key_place(key))
        for key in at.raw
        if kind not in _GOES_WITH.get(key, {kind})
    ]
    if kind is Kind.DUTY and not (clause.must or clause.must_not):
        found.append(LawError("a duty says what must or must not be done; write `must:` or `must not:`", at.place()))
    if kind is Kind.RESULT and clause.result not in RESULTS:
        what = f"{_shown(clause.result)} is no result{near(clause.result or '', RESULTS)}"
        found.append(LawError(what, at.place("result")))
    if kind is Kind.RESULT and not clause.for_:
        found.append(LawError("a result is somebody's; write `for:`", at.place()))
    if kind is Kind.PERMISSION and not clause.may:
        found.append(LawError("a permission says what may be done; write `may:`", at.place()))
    return found


def _belongs(key: str) -> str:
    kinds = " or ".join(sorted(_GOES_WITH[key]))
    return f"it goes with the kind {kinds}; leave it out"


def reference_problems(
    clauses: Iterable[Located], rights: Collection[str], known: Collection[str], broken: Collection[str]
) -> Iterator[LawError]:
    """References to clauses that are not there.

    Parameters:
        rights: the ids of the right clauses.
        known: the ids of all clauses that could be read.
        broken: the ids of clauses that have problems of their own; a reference to one is let pass.
    """
    for at in clauses:
        if at.clause.id in at.clause.overrides:
            place = at.place("overrides", at.clause.overrides.index(at.clause.id))
            yield LawError(f"{at.clause.id!r} overrides itself; name the clause that yields to it", place)
        for key, ids in (("overrides", at.clause.overrides), ("of", at.clause.of), ("from", at.clause.from_)):
            for index, other in enumerate(ids):
                if other in broken or (key == "of" and (other == EVERY or other in rights)):
                    continue
                if other not in known:
                    nothing = "; this is an override of nothing" if key == "overrides" else ""
                    what = f"{key!r} names {_shown(other)}, but no clause has this id{nothing}"
                    yield LawError(what + near(other, rights if key == "of" else known), at.place(key, index))
                elif key == "of":
                    what = f"'of' names {_shown(other)}, which is no right; name a right, or {EVERY!r}"
                    yield LawError(what + nearest(other, rights), at.place(key, index))


def condition_problems(
    clauses: Iterable[Located], readings: Mapping[str, Reading], games: Collection[str]
) -> Iterator[LawError]:
    """Readings, choices and games that the code does not know."""
    for at in clauses:
        for reading, choice in at.clause.under.items():
            if reading not in readings:
                what = f"'under' names the reading {_shown(reading)}, which the code does not have"
                yield LawError(what + near(reading, readings), at.key_place("under", reading))
            elif choice not in readings[reading].choices:
                what = f"{_shown(choice)} is no choice of the reading {reading!r}"
                yield LawError(what + near(choice, readings[reading].choices), at.place("under", reading))
        for index, game in enumerate(at.clause.games):
            if game not in games:
                what = f"'games' names {_shown(game)}, which the code does not have"
                yield LawError(what + near(game, games), at.place("games", index))


def sentence_problems(sentences: Mapping[str, Sentence], clauses: Sequence[Located]) -> Iterator[LawError]:
    """Sentences that no clause accounts for, and clauses of a file with sentences that come from none."""
    for sentence in sentences.values():
        if not any(sentence.holds(at.clause) for at in clauses):
            what = f"the sentence {sentence.id!r} has no clause; write one, if only `not modelled:` with the reason"
            yield LawError(what, sentence.place)
    for at in clauses if sentences else ():
        known = [s for s in sentences.values() if s.holds(at.clause)]
        if not known and at.clause.layer in (Layer.LAW, Layer.INSERTION):
            what = f"the clause {at.clause.id!r} comes from none of the sentences; write `sentence:` with the number of its own"
            yield LawError(what + near(at.clause.id, sentences), at.place("id"))


def head_problems(head: CodeHead, sheet: Sheet) -> Iterator[LawError]:
    """Defaults that are none of their reading's choices."""
    for name, reading in head.readings.items():
        if reading.default not in reading.choices:
            what = f"the default {_shown(reading.default)} is no choice of the reading {name!r}"
            yield LawError(what + near(reading.default, reading.choices), sheet.place(("readings", name, "default")))


def expectation_problems(expect: Iterable[str], games: Iterable[str], sheet: Sheet) -> Iterator[LawError]:
    """Expectations of games that the code does not have."""
    known = list(games)
    for section in expect:
        game = section.partition(" ")[0]  # `whist without context`: the game with something left out
        if game not in known:
            what = f"'expect' names the game {_shown(game)}, which the code does not have"
            yield LawError(what + near(game, known), sheet.key_place(("expect", section)))

"""Whether the phrases of a code are known and fit where they stand: what `codes.resolve` adds to the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from tricklaw.model.errors import LawError, UnknownName, nearest
from tricklaw.model.law import Clause, Code, Kind
from tricklaw.model.lawchecks import near
from tricklaw.model.phrases.registry import PHRASES, SORT_OF_KEY, Phrase, Sort, lookup
from tricklaw.model.table import ARRANGEMENTS

_DEMANDED = ("excused",)
_ENDS = ("lost", "discharged")
_OWNERS = ("by", "lost_to")
_OF_OFFENCE = ("against", "by", "lost_to")
_NAMEABLE = ("liable", "cards")

ONLY_UNDER = {
    (Sort.CONDITION, "he cannot comply without revoking"): _DEMANDED,
    (Sort.CONDITION, "he has no card that complies"): _DEMANDED,
    (Sort.EVENT, "the wrong adversary demands it"): _ENDS,
    (Sort.EVENT, "a wrong penalty is demanded"): _ENDS,
    (Sort.EVENT, "an adversary waives it"): _ENDS,
    (Sort.SEATS, "his adversaries, once one of them is bound by a decision"): _OWNERS,
    (Sort.SEATS, "his adversaries, once one of them has demanded it"): _OWNERS,
    (Sort.SEATS, "an adversary who plays after another that has not yet spoken"): _OWNERS,
    (Sort.SEATS, "the offender"): _OF_OFFENCE,
    (Sort.SEATS, "the offender or his partner"): _OF_OFFENCE,
    (Sort.SEATS, "the partner of the offender"): _OF_OFFENCE,
    (Sort.SEATS, "the proper leader, if a partner of the offender"): _OF_OFFENCE,
    (Sort.SEATS, "the second hand, if a partner of the offender"): _OF_OFFENCE,
    (Sort.SEATS, "the adversary of the single player who has not played"): _OF_OFFENCE,
    (Sort.CARDS, "the cards thrown together"): _NAMEABLE,
    (Sort.CARDS, "liable cards"): _NAMEABLE,
    (Sort.CARDS, "liable trumps"): _NAMEABLE,
    (Sort.CARDS, "liable cards of the suit led"): _NAMEABLE,
    (Sort.CARDS, "that card"): ("liable",),
    (Sort.CARDS, "the cards seen"): ("liable",),
    (Sort.CARDS, "all cards in his hand"): ("liable",),
    (Sort.CARDS, "all cards in the partner's hand"): ("liable",),
    (Sort.CARDS, "the cards thrown with it"): ("liable",),
}
"""Phrases that speak of a demand, a right, an offender or an act, and the keys under which there is one.

A phrase that asserts that there is one must be listed; a test builds a system with every phrase under each of its keys.
"""

NAMED = {
    "{clause} is broken": Kind.DUTY,
    "an adversary of the single player breaks {clause}": Kind.DUTY,
    "{clause} has fixed his result": Kind.RESULT,
}
"""The kind of clause that a phrase names; a right unless it is here."""

_OPEN = ("the right {clause} is open", "the right {clause} is open against him")
ANY_OPEN = "a penalty for an offence is open against him"
_DECIDING = ("while_", "unless", "closed")
"""The keys of the conditions that decide whether a right is open."""


def check_phrases(code: Code) -> list[LawError]:
    """All that is wrong with phrases: unknown, in the wrong place, about a clause that is not there, or circular."""
    return [
        *_seating(code),
        *(problem for clause in code.clauses for problem in _clause_problems(code, clause)),
        *_circles(code),
    ]


@cache
def keys_of(phrase: Phrase) -> tuple[str, ...]:
    """The keys of a clause, as the fields are called, under which a phrase may stand."""
    return ONLY_UNDER.get((phrase.sort, phrase.text)) or tuple(k for k, s in SORT_OF_KEY.items() if s is phrase.sort)


def written_key(field: str) -> str:
    """A key as law files have it: `must not` for `must_not`."""
    return Clause.model_fields[field].alias or field


def phrases_of_keys() -> dict[str, list[str]]:
    """What may stand under each key, for `lawfiles.schema`: phrases, and patterns for those that name a clause."""
    found = {key: [_pattern(p) for p in PHRASES.values() if key in keys_of(p)] for key in SORT_OF_KEY}
    return found | {"sides": list(ARRANGEMENTS)}


def _pattern(phrase: Phrase) -> str:
    if "{" not in phrase.text:
        return phrase.text
    before, after = (re.sub(r"([.?*+^$()\[\]\\|])", r"\\\1", part) for part in phrase.text.split("{clause}"))
    return f"^{before}[A-Z][A-Za-z0-9_.]+{after}$"


def _seating(code: Code) -> Iterator[LawError]:
    """Arrangements that are unknown, or that so many players cannot take."""
    for name, game in code.head.games.items():
        for index, text in enumerate(game.sides):
            place = code.where(f"game {name}", "sides", index)
            if text not in ARRANGEMENTS:
                yield LawError(f"unknown phrase for sides: {text!r}{near(text, ARRANGEMENTS)}", place)
            elif not ARRANGEMENTS[text][0](code.head.seats):
                fit = [t for t, (seatings, _) in ARRANGEMENTS.items() if seatings(code.head.seats)]
                what = f"{code.head.seats} players cannot sit as {text!r}; write one of: {', '.join(map(repr, fit))}"
                yield LawError(what, place)


def _written(clause: Clause) -> Iterator[tuple[str, int, str]]:
    """Every phrase of a clause, with its key and its place in a list."""
    for key in SORT_OF_KEY:
        value = getattr(clause, key) or ()
        yield from ((key, i, text) for i, text in enumerate((value,) if isinstance(value, str) else value))


def _clause_problems(code: Code, clause: Clause) -> Iterator[LawError]:
    if clause.kind is Kind.RIGHT and not clause.against:
        yield LawError("a right lies against somebody; write `against:`", code.where(clause.id))
    if clause.kind is Kind.TERMS and clause.arises:
        for standing in (right for right in code.of_kind(Kind.RIGHT) if right.id in clause.of and not right.arises):
            where = code.where(clause.id, "arises")
            message = f"the right {standing.id!r} lies without an event; give it `arises:` too, or leave this out"
            yield LawError(message, where)
    for key, index, text in _written(clause):
        what = _problem(code, clause, key, text)
        if what:
            yield LawError(what, code.where(clause.id, key, index))


def _problem(code: Code, clause: Clause, key: str, text: str) -> str | None:
    """What is wrong with one phrase under a key of a clause."""
    sort = SORT_OF_KEY[key]
    if "{" in text:
        return f"{text!r} is the form of a phrase; write the id of a clause for what stands in braces"
    try:
        phrase, arguments = lookup(sort, text)
    except UnknownName as unknown:
        hint = "" if ";" in unknown.message.removeprefix(f"unknown phrase for {sort}: {text!r}") else _listed(sort)
        return unknown.message + hint
    if key not in keys_of(phrase):
        fit = " or ".join(f"`{written_key(k)}:`" for k in keys_of(phrase))
        return f"{text!r} says nothing under `{written_key(key)}:`; it goes under {fit}"
    bare = [game for game in _games(code, clause) if phrase.covers and phrase.covers not in code.table(game).covers]
    if bare:
        where = f"for {', '.join(bare)} in code.yaml, or `games:` here"
        return f"{text!r} speaks of {phrase.covers}; add `covers: [{phrase.covers}]` {where}"
    if keys_of(phrase) == _OF_OFFENCE and clause.kind is Kind.RIGHT and not clause.arises:
        return f"{text!r} needs an offence, and this right arises from none; write `arises:`"
    return next((what for name in arguments if (what := _misnamed(code, clause, phrase, text, name))), None)


def _listed(sort: Sort) -> str:
    return f"; `tricklaw phrases {sort}` lists those there are"


def _misnamed(code: Code, clause: Clause, phrase: Phrase, text: str, name: str) -> str | None:
    """What is wrong with the clause that a phrase names."""
    kind = NAMED.get(phrase.text, Kind.RIGHT)
    fit = [c.id for c in code.of_kind(kind)]
    named = {c.id: c for c in code.clauses}.get(name)
    if named is None:
        return f"{text!r} names {name!r}, but no clause has this id{near(name, fit)}"
    if named.kind is not kind:
        return f"{text!r} names {name!r}, which is no {kind}; name a {kind}{nearest(name, fit)}"
    missing = [g for g in _games(code, clause) if g not in _games(code, named)]
    if missing:
        where, other = ", ".join(_games(code, named)), ", ".join(missing)
        return f"{text!r} names a clause of {where} only, but applies in {other} too; add `games: [{where}]`"
    return None


def _games(code: Code, clause: Clause) -> list[str]:
    return [game for game in code.head.games if not clause.games or game in clause.games]


def _circles(code: Code) -> Iterator[LawError]:
    """Rights that are open on a condition that comes back to themselves; clauses that override each other."""
    asked = {c.id: list(_conditions(code, c.id)) for c in code.of_kind(Kind.RIGHT)}
    edges = {right: [name for *_, named in found for name in named] for right, found in asked.items()}
    for right, found in asked.items():
        for clause, key, index, named in found:
            if right in _reached(edges, named):
                what = f"by this condition it depends on itself whether the right {right!r} is open; leave it out"
                yield LawError(what, code.where(clause.id, key, index))
    yielding = {c.id: c.overrides for c in code.clauses}
    for clause in code.clauses:
        for index, other in enumerate(clause.overrides):
            if other != clause.id and clause.id in _reached(yielding, [other]):
                what = f"{other!r} overrides this clause in its turn; let one of them yield to the other"
                yield LawError(what, code.where(clause.id, "overrides", index))


_Edge = tuple[Clause, str, int, list[str]]


def _conditions(code: Code, right: str) -> Iterator[_Edge]:
    """Where the terms of a right ask whether rights are open, and which."""
    shields = [c for c in code.of_kind(Kind.IMMUNITY) if right in c.from_ and not code.clause(right).arises]
    for clause in (*code.terms_of(right), *shields):
        for key, index, text in _written(clause):
            if key in _DECIDING:
                named = [m["clause"] for form in _OPEN if (m := PHRASES[Sort.CONDITION, form].pattern.match(text))]
                if text == ANY_OPEN:
                    named = [c.id for c in code.of_kind(Kind.RIGHT) if c.arises]
                if named:
                    yield clause, key, index, named


def _reached(edges: Mapping[str, Sequence[str]], start: Sequence[str]) -> set[str]:
    """What is named, directly or through another."""
    seen: set[str] = set()
    todo = [*start]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += edges.get(name, ())
    return seen

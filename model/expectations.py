"""What a case expects of the ruling of an act, and where a ruling differs from it.

An expectation speaks of the act (`lawful`, `breaks`, `sets off`) and of the state after it (all other keys).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tricklaw.model.cards import Deck
from tricklaw.model.errors import CaseError, Place, TricklawError, nearest
from tricklaw.model.law import Code, Ids
from tricklaw.model.lawchecks import fit
from tricklaw.model.results import RESULTS
from tricklaw.model.sentences import parse_cards, parse_seats
from tricklaw.model.sheets import Keys, Sheet
from tricklaw.model.table import SEAT_NAMES

if TYPE_CHECKING:
    from tricklaw.model.referee import Ruling, Standing

T = TypeVar("T")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Written(_Strict):
    """An expectation as it is written."""

    lawful: bool | None = Field(None, description="whether the act breaks no duty")
    breaks: Ids | None = Field(None, description="all clauses that it breaks; of a disobeyed demand, the right")
    sets_off: Ids = Field((), alias="sets off", description="clauses that it sets off, perhaps among others")
    liable: Any = Field(None, description="all liable cards: {B: 9H}, or none")
    open: Any = Field(None, description="rights that may be exacted: {AW.VII.4.1: {against: B, by: [Y]}}")
    not_open: Any = Field(None, alias="not open", description="rights that may not be: [AW.VII.4.1], or {ID: B}")
    may: Any = Field(None, description="the cards a player may lead or play: {B: 9H}, or {B: none}")
    may_take_back: str | None = Field(None, alias="may take back", description="all who may take a card back, or none")
    turn: str | None = Field(None, description="whose turn it is, or none")
    called_on: Any = Field(None, alias="called on", description="rights whose demands bind him: {B: [AW.VII.4.1]}")
    excused: Any = Field(None, description="demands that he need not comply with: {B: [AW.VII.4.1]}")
    barred_by: Ids = Field((), alias="barred by", description="clauses that keep the player to act from some card")
    over: bool | None = Field(None, description="the hand is over")
    results: Any = Field(None, description="all results fixed for a player: {V: loses}, or {V: none}")


class Entry(_Strict):
    """What is expected of a right: against whom and by whom it may be exacted."""

    against: str | None = None
    by: Any = None


@dataclass(frozen=True)
class OpenExpected:
    """A right that should be open, or not: against these players (any, if none is named), by exactly these."""

    right: str
    against: tuple[str, ...] = ()
    by: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Expectation:
    """What is expected; nothing where a field is None or empty.

    Attributes:
        place: where it is written.
        liable: all liable cards of each player.
        may: for the players named, the cards that they may lead or play.
        called_on, excused: for the players named, all rights of the demands concerned.
    """

    place: Place
    lawful: bool | None = None
    breaks: tuple[str, ...] | None = None
    sets_off: tuple[str, ...] = ()
    liable: Mapping[str, tuple[str, ...]] | None = None
    open: tuple[OpenExpected, ...] = ()
    not_open: tuple[OpenExpected, ...] = ()
    may: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    may_take_back: tuple[str, ...] | None = None
    turn: tuple[str, ...] | None = None
    called_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excused: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    barred_by: tuple[str, ...] = ()
    over: bool | None = None
    results: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many things are expected."""
        single = (self.lawful, self.breaks, self.liable, self.may_take_back, self.turn, self.over)
        listed = (
            self.sets_off,
            self.open,
            self.not_open,
            self.may,
            self.called_on,
            self.excused,
            self.barred_by,
            self.results,
        )
        return sum(one is not None for one in single) + sum(len(many) for many in listed)


# reading -----------------------------------------------------------------------------------------------------------


def parse_expectation(
    data: object, sheet: Sheet, path: Keys, code: Code, pack: Deck
) -> tuple[Expectation, list[TricklawError]]:
    """What is written under `expect`, and what is wrong with it."""
    written, problems = fit(Written, data, sheet, path)
    if written is None:
        return Expectation(sheet.place(path)), list(problems)
    reader = _Reader(sheet, path, code, pack)
    return reader.read(written), reader.problems


class _Reader:
    def __init__(self, sheet: Sheet, path: Keys, code: Code, pack: Deck) -> None:
        self.sheet, self.path, self.pack = sheet, path, pack
        self.seats = SEAT_NAMES[code.head.seats]
        self.clauses = [c.id for c in code.clauses]
        self.rights = [c.id for c in code.clauses if c.right]
        self.problems: list[TricklawError] = []

    def read(self, w: Written) -> Expectation:
        return Expectation(
            self.sheet.place(self.path),
            w.lawful,
            None if w.breaks is None else self._ids(w.breaks, self.clauses, "breaks"),
            self._ids(w.sets_off, self.clauses, "sets off"),
            None if w.liable is None else self._cards_of(w.liable, "liable"),
            self._rights(w.open, "open"),
            self._rights(w.not_open, "not open"),
            self._cards_of(w.may, "may"),
            None if w.may_take_back is None else self._seats(w.may_take_back, "may take back"),
            None if w.turn is None else self._seats(w.turn, "turn"),
            self._ids_of(w.called_on, "called on"),
            self._ids_of(w.excused, "excused"),
            self._ids(w.barred_by, self.clauses, "barred by"),
            w.over,
            {name: self._results(item, "results", name) for name, item in self._items(w.results, "results")},
        )

    def _results(self, value: Any, *keys: str | int) -> tuple[str, ...]:
        """Results; `none` for no result."""
        found = tuple(value) if isinstance(value, list | tuple) else (str(value),)
        found = () if found == ("none",) else found
        for i, name in enumerate(found):
            if name not in RESULTS:
                self._say(f"{name!r} is no result{nearest(str(name), RESULTS)}", *keys, i)
        return found

    def _say(self, message: str, *keys: str | int) -> None:
        self.problems.append(CaseError(message, self.sheet.place((*self.path, *keys))))

    def _ids(self, value: Any, known: Sequence[str], *keys: str | int) -> tuple[str, ...]:
        """Clause ids; `none` for no clause."""
        ids = (value,) if isinstance(value, str) else tuple(value or ())
        ids = () if ids == ("none",) else ids
        for i, name in enumerate(ids):
            if name not in known:
                what = "right" if known is self.rights else "clause"
                self._say(f"{name!r} is no {what} of the code{nearest(str(name), known)}", *keys, i)
        return ids

    def _seats(self, value: Any, *keys: str | int) -> tuple[str, ...]:
        text = " ".join(value) if isinstance(value, list | tuple) else str(value)
        return self._try(lambda: tuple(parse_seats(text, len(self.seats))), (), *keys)

    def _try(self, parse: Callable[[], T], otherwise: T, *keys: str | int) -> T:
        try:
            return parse()
        except CaseError as error:
            self._say(error.message, *keys)
            return otherwise

    def _items(self, value: Any, *keys: str | int) -> Iterator[tuple[str, Any]]:
        """The players of a mapping and what is said of each."""
        if value in (None, "none"):
            return
        if not isinstance(value, dict):
            self._say(f"write {keys[0]}: {{B: ...}}, a line for each player, or none", *keys)
            return
        for name, item in value.items():
            if name in self.seats:
                yield name, item
            else:
                what = f"there is no player {name!r}; the players are {', '.join(self.seats)}"
                self.problems.append(CaseError(what, self.sheet.key_place((*self.path, *keys, name))))

    def _cards_of(self, value: Any, key: str) -> dict[str, tuple[str, ...]]:
        return {name: tuple(self._cards(item, key, name)) for name, item in self._items(value, key)}

    def _cards(self, value: Any, *keys: str | int) -> list[str]:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        return [] if text == "none" else self.pack.names(self._try(lambda: parse_cards(text, self.pack), 0, *keys))

    def _ids_of(self, value: Any, key: str) -> dict[str, tuple[str, ...]]:
        return {name: self._ids(item, self.rights, key, name) for name, item in self._items(value, key)}

    def _rights(self, value: Any, key: str) -> tuple[OpenExpected, ...]:
        if value in (None, "none"):
            return ()
        if not isinstance(value, dict):
            return tuple(OpenExpected(name) for name in self._ids(value, self.rights, key))
        self._ids(list(value), self.rights, key)
        return tuple(self._right(name, item, key) for name, item in value.items())

    def _right(self, name: str, item: Any, key: str) -> OpenExpected:
        if not isinstance(item, dict):
            return OpenExpected(name, self._seats(item, key, name))
        entry, problems = fit(Entry, item, self.sheet, (*self.path, key, name))
        self.problems += problems
        if entry is None:
            return OpenExpected(name)
        by = None if entry.by is None else self._seats(entry.by, key, name, "by")
        return OpenExpected(name, self._seats(entry.against or "none", key, name, "against"), by)


# comparing ---------------------------------------------------------------------------------------------------------


def differences_of_act(expect: Expectation, ruling: Ruling) -> Iterator[str]:
    """Where the ruling of the act, and the state after it, are not as expected."""
    if expect.lawful is not None and expect.lawful != ruling.lawful:
        yield f"expected {_lawful(expect.lawful)}, found {_lawful(ruling.lawful)}"
    if expect.breaks is not None:
        unmet = [name for name in expect.breaks if not any(name in b.ids for b in ruling.broken)]
        more = [b.id for b in ruling.broken if not set(expect.breaks) & set(b.ids)]
        if unmet or more:
            yield f"breaks: expected {_list(expect.breaks)}, found {_list([b.id for b in ruling.broken])}"
    fired = [c.id for c in ruling.fired]
    for name in expect.sets_off:
        if name not in fired:
            yield f"sets off: expected {name}, found {_list(fired)}"
    yield from differences(expect, ruling.after)


def _lawful(value: bool) -> str:
    return "a lawful act" if value else "an unlawful act"


def _list(words: Sequence[str]) -> str:
    return ", ".join(words) or "none"


def differences(expect: Expectation, state: Standing) -> Iterator[str]:
    """Where the state is not as expected."""
    if expect.liable is not None:
        for name, cards in {**dict.fromkeys(state.liable, ()), **expect.liable}.items():
            yield from _differ(f"liable of {name}", cards, state.liable.get(name, ()))
    for wanted in expect.open:
        yield from _open(wanted, state)
    for barred in expect.not_open:
        for right in state.rights:
            if right.id == barred.right and (not barred.against or right.against in barred.against):
                yield f"not open: expected {barred.right} not open, found it open against {right.against}"
    for name, cards in expect.may.items():
        yield from _differ(f"may of {name}", cards, state.may.get(name, ()))
    for name, results in expect.results.items():
        fixed = dict.fromkeys(now.result for now in state.results if now.player == name)
        yield from _differ(f"results of {name}", sorted(results), sorted(fixed))
    if expect.may_take_back is not None:
        yield from _differ("may take back", expect.may_take_back, state.takes_back)
    if expect.turn is not None:
        yield from _differ("turn", expect.turn, state.turn)
    for key, excused, named in (("called on", False, expect.called_on), ("excused", True, expect.excused)):
        for name, ids in named.items():
            found = [d.right for d in state.demands if d.against == name and d.excused == excused]
            yield from _differ(f"{key} of {name}", ids, list(dict.fromkeys(found)))
    for name in expect.barred_by:
        if not any(name in bar.ids for bar in state.bars):
            yield f"barred by: expected {name}, found {_list([bar.id for bar in state.bars])}"
    if expect.over is not None and expect.over != state.over:
        yield f"over: expected {str(expect.over).lower()}, found {str(state.over).lower()}"


def _differ(what: str, expected: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    if set(expected) != set(found):
        yield f"{what}: expected {_list(expected)}, found {_list(found)}"


def _open(wanted: OpenExpected, state: Standing) -> Iterator[str]:
    found = [right for right in state.rights if right.id == wanted.right]
    if not found:
        yield f"open: expected {wanted.right} open, found {_list(sorted({r.id for r in state.rights}))}"
        return
    if wanted.against:
        yield from _differ(f"open {wanted.right} against", wanted.against, [right.against for right in found])
    if wanted.by is not None:
        for right in found:
            yield from _differ(f"open {wanted.right} against {right.against}, by", wanted.by, right.by)

"""Case files: a deal, the acts in words, and what the ruling should be, in YAML that a player can read.

A case names a code, so it can be ruled by `tricklaw.model.referee` and kept as a test. What is wrong with a file is
told with its file, line and column, all of it at once where that is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tricklaw.model.cards import PACKS
from tricklaw.model.codes import resolve
from tricklaw.model.deals import Marks, parse_marks, proper
from tricklaw.model.errors import CaseError, LawErrors, Place, TricklawError, UnknownName, nearest
from tricklaw.model.expectations import Expectation, parse_expectation
from tricklaw.model.law import Code, Ids, Layer
from tricklaw.model.lawchecks import fit, near
from tricklaw.model.lawfiles import builtin_codes
from tricklaw.model.sentences import Sentence, parse_cards, parse_seats, parse_sentence, parse_suit
from tricklaw.model.sheets import Keys, Sheet, read_sheet
from tricklaw.model.state import MARKS
from tricklaw.model.table import SEAT_NAMES, Groups, arrangements

T = TypeVar("T")


def _joined(value: object) -> object:
    """Cards as one text: a list is as good as words one after the other."""
    return ", ".join(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class CaseFile(_Strict):
    """A case as it is written."""

    case: str = Field(min_length=1, description="a short name, as P04")
    title: str = Field(min_length=3)
    code: str = Field(description="the code, or CODE:GAME")
    source: str = ""
    note: str = ""
    without: Ids = Field((), description="layers and clauses left out")
    sides: Ids = Field((), description="who sit together, as [A B, Y Z]; the game's only arrangement unless given")
    trumps: str = Field("none", description="a suit, or none")
    leader: str = Field(description="who has the right to lead first")
    readings: dict[str, str] = Field({}, description="the choice of a reading; its default unless given")
    deal: dict[str, Any] = Field(description="the cards of each player: {A: 2C 9H, ...}")
    marks: dict[str, Any] = Field(
        {}, description="what else the deal says: {too many: A, taken: AC TC, needs more: yes}"
    )
    expect: Any = Field(None, description="what holds before the first act")
    acts: tuple[Any, ...] = Field(description="the acts, a sentence each")


class ActEntry(_Strict):
    """An act with what is expected of its ruling."""

    act: str
    expect: Any = None


@dataclass(frozen=True)
class CaseAct:
    """An act of a case.

    Attributes:
        sentence: what is done.
        expect: what its ruling should be.
        place: where it is written.
    """

    sentence: Sentence
    expect: Expectation
    place: Place


@dataclass(frozen=True)
class Case:
    """A case that fits together: cards are sets as integers, seats are names.

    Attributes:
        code: the code, restricted to the game and without what is left out.
        groups: the sides, as sets of seats.
        expect: what holds before the first act.
    """

    id: str
    title: str
    source: str
    code: Code
    game: str
    groups: Groups
    trumps: int
    leader: str
    readings: Mapping[str, str]
    deal: Mapping[str, int]
    marks: Marks
    expect: Expectation
    acts: tuple[CaseAct, ...]
    place: Place

    @property
    def expectations(self) -> int:
        """How many things the case expects."""
        return self.expect.count + sum(act.expect.count for act in self.acts)


def load_case(path: Path) -> Case:
    """Read a case file.

    Raises:
        CaseError: what is wrong with it, one line a problem, each with its place.
        LawErrors: what is wrong with the code that it names.
    """
    try:
        sheet = read_sheet(Path(path))
    except LawErrors as errors:
        raise _together(errors.errors) from None
    return _Reader(sheet).case()


def _together(problems: Sequence[TricklawError]) -> CaseError:
    """One error for all that is wrong, in the order of the file."""
    if len(problems) == 1:
        return CaseError(problems[0].message, problems[0].place)
    return CaseError("\n".join(str(problem) for problem in sorted(problems, key=_position)))


def _position(problem: TricklawError) -> tuple[int, int]:
    return (problem.place.line, problem.place.column) if problem.place else (0, 0)


class _Reader:
    """Makes a case of a sheet, and gathers what is wrong."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.problems: list[TricklawError] = []

    def case(self) -> Case:
        written = self._fit(CaseFile, self.sheet.data, ())
        if written is None:
            raise _together(self.problems)
        whole, game = self._code(written)
        code = self._restricted(written, whole, game)
        self.seats, self.pack = SEAT_NAMES[code.head.seats], PACKS[code.head.games[game].pack]
        marks = self._marks(written, code, game)
        case = Case(
            written.case, written.title, written.source, code, game,
            self._sides(written, code, game),
            self._try(lambda: parse_suit(written.trumps), 0, "trumps"),
            self._leader(written), self._readings(written, code), self._deal(written, marks), marks,
            self._expect(written.expect, code, ("expect",)),
            tuple(self._acts(written, code)),
            Place(self.sheet.file),
        )  # fmt: skip
        if self.problems:
            raise _together(self.problems)
        return case

    def _fit(self, model: type[Any], data: object, path: Keys) -> Any:
        found, problems = fit(model, data, self.sheet, path)
        self.problems += problems
        return found

    def _say(self, message: str, *path: str | int) -> None:
        self.problems.append(CaseError(message, self.sheet.place(path)))

    def _try(self, parse: Callable[[], T], otherwise: T, *path: str | int) -> T:
        """What a text means; if nothing, the problem is put down with its place."""
        try:
            return parse()
        except CaseError as error:
            self._say(error.message, *path)
            return otherwise

    # the code ------------------------------------------------------------------------------------------------------

    def _code(self, written: CaseFile) -> tuple[Code, str]:
        """The code and game; without them nothing else can be read."""
        name, place = written.code, self.sheet.place(("code",))
        if name.rpartition(":")[0] not in builtin_codes() and name not in builtin_codes():
            name = str(Path(self.sheet.file).parent / name)
        try:
            code, game = resolve(name)
        except UnknownName:
            what = f"{written.code!r} is neither a built-in code nor a folder beside this file, nor a game of one"
            raise CaseError(what + near(written.code, _games()), place) from None
        if game is None and len(code.head.games) != 1:
            games = " or ".join(f"{code.id}:{name}" for name in code.head.games)
            raise CaseError(f"the code {code.id!r} has several games; write {games}", place)
        return code, game or next(iter(code.head.games))

    def _restricted(self, written: CaseFile, code: Code, game: str) -> Code:
        layers, clauses = [layer.value for layer in Layer], [c.id for c in code.clauses]
        for i, name in enumerate(written.without):
            if name not in layers and name not in clauses:
                self._say(f"{name!r} is no layer and no clause{nearest(name, layers + clauses)}", "without", i)
        return code.restrict(game, written.without, written.without)

    def _readings(self, written: CaseFile, code: Code) -> Mapping[str, str]:
        used = {key for clause in code.clauses for key in clause.under}
        for key, choice in written.readings.items():
            known = code.head.readings.get(key)
            if known is None or key not in used:
                what = f"no clause in force depends on a reading {key!r}{near(key, sorted(used))}"
                self.problems.append(CaseError(what, self.sheet.key_place(("readings", key))))
            elif choice not in known.choices:
                self._say(f"{choice!r} is no choice of {key}{near(choice, known.choices)}", "readings", key)
        return written.readings

    # the table -----------------------------------------------------------------------------------------------------

    def _sides(self, written: CaseFile, code: Code, game: str) -> Groups:
        known = arrangements(code.head.games[game].sides, len(self.seats))
        if not written.sides:
            if len(known) > 1:
                example = ", ".join(self._side(group) for group in known[0])
                what = f"the game {game!r} has several arrangements; write sides: [{example}], for instance"
                self._say(what, "code")
            return known[0]
        sides = [self._seats(text, "sides", i) for i, text in enumerate(written.sides)]
        return self._arranged([sum({1 << self.seats.index(n) for n in side}) for side in sides], known, game)

    def _seats(self, text: str, *path: str | int) -> list[str]:
        return self._try(lambda: parse_seats(text, len(self.seats)), [], *path)

    def _arranged(self, groups: list[int], known: Sequence[Groups], game: str) -> Groups:
        for arrangement in known:
            if sorted(groups) == sorted(arrangement):
                return arrangement
        allowed = " or ".join("[" + ", ".join(self._side(g) for g in groups) + "]" for groups in known)
        if not self.problems:
            self._say(f"so nobody sits in the game {game!r}; write {allowed}", "sides")
        return known[0]

    def _side(self, group: int) -> str:
        return " ".join(name for i, name in enumerate(self.seats) if group >> i & 1)

    def _leader(self, written: CaseFile) -> str:
        if written.leader not in self.seats:
            self._say(f"there is no player {written.leader!r}; the players are {', '.join(self.seats)}", "leader")
        return written.leader

    def _deal(self, written: CaseFile, marks: Marks) -> Mapping[str, int]:
        for name in written.deal:
            if name not in self.seats:
                what = f"there is no player {name!r}; the players are {', '.join(self.seats)}"
                self.problems.append(CaseError(what, self.sheet.key_place(("deal", name))))
        hands = {name: self._hand(written.deal.get(name), name) for name in self.seats}
        self._check_sizes(hands, marks)
        return hands

    def _marks(self, written: CaseFile, code: Code, game: str) -> Marks:
        """What else the deal says."""
        known = [mark for mark, covered in MARKS.items() if covered in code.table(game).covers]
        words: dict[str, list[str]] = {}
        for name, said in written.marks.items():
            if name not in known:
                what = f"the law of {code.id!r} speaks of no {name!r}{near(name, known)}"
                self.problems.append(CaseError(what, self.sheet.key_place(("marks", name))))
            else:
                words[name] = ["yes"] if said is True else str(_joined(said)).replace(",", " ").split()
        try:
            return parse_marks(words, self.pack, self.seats)
        except ValueError as error:
            self._say(str(error), "marks")
            return {}

    def _hand(self, value: object, name: str) -> int:
        text = _joined(value)
        if not isinstance(text, str):
            self._say(f"{name} has no cards; write {name}: 2C 9H, for instance", "deal", name)
            return 0
        return self._try(lambda: parse_cards(text, self.pack), 0, "deal", name)

    def _check_sizes(self, hands: Mapping[str, int], marks: Marks) -> None:
        if self.problems:
            return
        first = next(iter(hands))
        sizes = dict(zip(hands, proper(list(hands.values()), marks), strict=True))
        for name, hand in hands.items():
            for other, cards in hands.items():
                if other == name:
                    break
                for card in self.pack.names(hand & cards):
                    self._say(f"{name} holds {card}, which {other} holds already; give it to one of them", "deal", name)
            size, right = sizes[name], sizes[first]
            if size != right:
                self._say(f"{name} holds {size} cards, {first} {right}; give each the same number", "deal", name)
            elif size > self.pack.size // len(hands):
                self._say(
                    f"{name} holds {size} cards; no more than {self.pack.size // len(hands)} can be", "deal", name
                )

    # the acts ------------------------------------------------------------------------------------------------------

    def _acts(self, written: CaseFile, code: Code) -> Iterator[CaseAct]:
        for i, item in enumerate(written.acts):
            entry = ActEntry(act=item) if isinstance(item, str) else self._fit(ActEntry, item, ("acts", i))
            if entry is None:
                continue
            path: Keys = ("acts", i) if isinstance(item, str) else ("acts", i, "act")
            sentence = self._sentence(entry.act, code, path)
            expect = self._expect(entry.expect, code, ("acts", i, "expect"))
            if sentence:
                yield CaseAct(sentence, expect, self.sheet.place(path))

    def _sentence(self, text: str, code: Code, path: Keys) -> Sentence | None:
        found = self._try(lambda: parse_sentence(text, self.pack, len(self.seats)), None, *path)
        rights = [c.id for c in code.clauses if c.right]
        if found and found.under and found.under not in rights:
            self._say(f"{found.under!r} is no right of the code{nearest(found.under, rights)}", *path)
            return None
        return found

    def _expect(self, data: object, code: Code, path: Keys) -> Expectation:
        if data is None:
            return Expectation(self.sheet.place(path))
        found, problems = parse_expectation(data, self.sheet, path, code, self.pack)
        self.problems += problems
        return found


def _games() -> list[str]:
    """The built-in codes, as they may be named."""
    return list(builtin_codes())

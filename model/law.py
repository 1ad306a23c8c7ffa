"""What a law file says: the shape of a code, its games, readings and clauses.

This is the schema behind `model/codes/*/`; `tricklaw.model.lawfiles` reads it with places for every error, and
`tricklaw.model.phrases` gives the phrases their meaning. Nothing here knows Z3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from tricklaw.model.errors import Place
from tricklaw.model.table import SEAT_NAMES, Table


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


_ONE_OR_LIST = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})

Phrases = Annotated[tuple[str, ...], BeforeValidator(_listed), _ONE_OR_LIST]
"""One phrase, or a list of them."""

Ids = Annotated[tuple[str, ...], BeforeValidator(_listed), _ONE_OR_LIST]
"""One clause id, or a list of them."""

Name = Annotated[str, Field(pattern=r"^[^\s:=/][^:=/\n\r]*$")]
"""What a game, a reading or a choice is called; `:`, `=` and `/` separate names elsewhere."""


class Layer(StrEnum):
    """Where a clause comes from."""

    PLAY = "play"
    LAW = "law"
    INSERTION = "insertion"
    CONTEXT = "context"


class Kind(StrEnum):
    """What a clause does."""

    RIGHT = "right"
    TERMS = "terms"
    DUTY = "duty"
    PERMISSION = "permission"
    LIABILITY = "liability"
    IMMUNITY = "immunity"
    CONSEQUENCE = "consequence"
    RESULT = "result"
    EMBODIED = "embodied"
    NOT_MODELLED = "not modelled"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Clause(_Strict):
    """The smallest citable piece of a law. Exactly one of the leading keys says its kind."""

    id: str = Field(
        pattern=r"^[A-Z][A-Za-z0-9]*(\.[A-Za-z0-9]+)+$",
        description="sentence id, with a letter where a sentence holds several clauses",
    )
    says: str = Field(min_length=3, description="the clause in our own words")
    sentence: str = Field(
        "", description="the sentence that it comes from, where its id does not begin with that number"
    )
    layer: Layer | None = Field(None, description="where it comes from; the file's own layer unless given")
    games: Ids = Field((), description="the games it applies to; all unless given")
    under: dict[str, str] = Field({}, description="the readings under which it is in force: switch and choice")
    overrides: Ids = Field((), description="the clauses that yield to this one")
    note: str = ""

    right: str | None = Field(None, description="a power to exact something: its name")
    of: Ids = Field((), description="the rights whose terms this clause settles")
    duty: str | None = Field(None, description="the players (a seats phrase) that it binds")
    permission: str | None = Field(None, description="the players (a seats phrase) that it permits something")
    liable: str | None = Field(None, description="the cards (a cards phrase) that become liable to be called")
    immunity: str | None = Field(
        None, description="the players (a seats phrase) that the clauses under `from` do not touch"
    )
    consequence: Phrases = Field((), description="what comes about (effect phrases)")
    result: str | None = Field(None, description="what is fixed as the result of the hand")
    embodied: str | None = Field(None, description="where the mechanics of play embody this definition")
    not_modelled: str | None = Field(None, alias="not modelled", description="why it is left out")

    against: str | None = Field(None, description="right: whom it lies against (a seats phrase)")
    by: str | None = Field(None, description="right or terms: who may exact it (a seats phrase)")
    cards: str | None = Field(
        None, description="right: the cards that may be named in a demand; liable cards unless given"
    )
    arises: Phrases = Field((), description="right or terms: the events by which it arises; a standing right has none")
    demands: Phrases = Field((), description="right: what may be demanded (demand phrases)")
    repeats: Literal["at each trick"] | None = Field(None, description="terms: it may be exacted anew at each trick")
    lost: Phrases = Field((), description="right or terms: the events by which it is lost")
    lost_to: Phrases = Field((), alias="lost to", description="right or terms: the players that can no longer exact it")
    closed: Phrases = Field((), description="right or terms: the conditions in which it cannot be exacted")
    discharged: Phrases = Field((), description="terms: the events that discharge the card or player concerned")
    excused: Phrases = Field((), description="right or terms: the conditions that excuse from a demand")

    must: str | None = Field(None, description="duty: what must be done (a must phrase)")
    must_not: str | None = Field(None, alias="must not", description="duty: what must not be done (an acts phrase)")
    may: str | None = Field(None, description="permission: what may be done (an acts phrase)")
    from_: Ids = Field((), alias="from", description="immunity: the clauses that do not touch the immune")
    for_: str | None = Field(None, alias="for", description="result: the players (a seats phrase) that it concerns")
    when: Phrases = Field((), description="the events, any of which brings the clause about")
    while_: Phrases = Field((), alias="while", description="the conditions, all of which must hold")
    unless: Phrases = Field((), description="the conditions, any of which prevents it")

    @property
    def kind(self) -> Kind:
        """What the clause does, by its leading key.

        Raises:
            ValueError: no leading key, or several.
        """
        found = [key for key in LEADING if getattr(self, _FIELDS.get(key, key))]
        if len(found) != 1:
            what = " and ".join(found) or "none"
            raise ValueError(f"a clause has exactly one of: {', '.join(LEADING)}; found {what}")
        return LEADING[found[0]]


LEADING: Mapping[str, Kind] = {
    "right": Kind.RIGHT,
    "of": Kind.TERMS,
    "duty": Kind.DUTY,
    "permission": Kind.PERMISSION,
    "liable": Kind.LIABILITY,
    "immunity": Kind.IMMUNITY,
    "consequence": Kind.CONSEQUENCE,
    "result": Kind.RESULT,
    "embodied": Kind.EMBODIED,
    "not modelled": Kind.NOT_MODELLED,
}
"""The leading keys, as written, and the kinds they make."""

_FIELDS = {info.alias: name for name, info in Clause.model_fields.items() if info.alias}


class ClauseFile(_Strict):
    """One file of clauses."""

    layer: Layer
    sentences: dict[str, str] = Field(
        {}, description="the sentences that the clauses come from, by number, in our own words; each must have a clause"
    )
    clauses: tuple[Clause, ...]


class Choice(_Strict):
    """One of the named meanings of an ambiguous clause."""

    says: str


class Reading(_Strict):
    """An ambiguity, with its choices; the default is the one taken unless another is chosen."""

    asks: str
    choices: dict[Name, str] = Field(min_length=2)
    default: str


Covers = Annotated[
    tuple[Literal["wrong numbers", "claims", "a caller", "omitted plays"], ...],
    Field(description="what may happen beside ordinary play, so that the law can speak of it; of the code or a game"),
]


class Game(_Strict):
    """A game played under a code: who may sit with whom."""

    says: str
    sides: Phrases = Field(
        min_length=1, description="arrangement phrases: 'partners opposite', 'one against three' ..."
    )
    declarer: Literal["A", "Y", "B", "Z", "V", "M", "H"] | None = Field(
        None, description="the seat whose player plays the cards of his partner, the dummy, too"
    )
    pack: Literal["whist", "skat", "nullo"] = Field("whist", description="the cards that it is played with")
    trumps: Literal["a suit or none", "a suit", "none"] = "a suit or none"
    covers: Covers = ()


TRUMPS = {"a suit or none": (0, 1), "a suit": (1,), "none": (0,)}
"""How many trump suits a game may have."""


class CodeHead(_Strict):
    """`code.yaml`: what the code is."""

    code: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    edition: str = ""
    seats: int = Field(4, ge=3, le=4)
    tricks: Literal["quitted by each", "gathered by one"] = Field(
        "quitted by each", description="whether each player turns and quits his own card, or one gathers them all"
    )
    covers: Covers = ()
    uses: Ids = ()
    games: dict[Name, Game] = {}
    readings: dict[Name, Reading] = {}


class Expectation(_Strict):
    """`expect.yaml`: the verdicts a code's keepers know of; anything unnamed is expected `proved`.

    Keyed by game, then by property, or `property/part` for the part of one right. A key `whist without context` adds
    what is expected of the game `whist` when that layer (or clause) is left out.
    """

    expect: dict[str, dict[str, str]] = {}


@dataclass(frozen=True)
class Sentence:
    """A numbered sentence of the law: what it says in our own words, its layer, and where it is written."""

    id: str
    says: str
    layer: Layer
    place: Place | None = None

    def holds(self, clause: Clause) -> bool:
        """Whether the clause is a piece of it: named so, or with its number and perhaps a letter for an id."""
        rest = clause.id.removeprefix(self.id)
        by_number = clause.id.startswith(self.id) and (rest == "" or (rest.isalpha() and rest.islower()))
        return clause.sentence == self.id or (not clause.sentence and by_number)


Address = str | tuple[str, str | None] | tuple[str, str | None, int | str | None]
"""What has a place: a clause, `game NAME` or `reading NAME`; a key of one; an item under a key."""


@dataclass(frozen=True)
class Code:
    """A code with all its clauses, its own and those it uses, and the place of each in its file."""

    head: CodeHead
    clauses: tuple[Clause, ...]
    places: Mapping[Address, Place] = field(default_factory=dict)
    sentences: Mapping[str, Sentence] = field(default_factory=dict)
    expect: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    folder: str = ""

    @property
    def id(self) -> str:
        """The code's id, such as `duplicate-whist`."""
        return self.head.code

    def table(self, game: str) -> Table:
        """The table at which a game is played under the code."""
        head, of = self.head, self.head.games[game]
        declarer = SEAT_NAMES[head.seats].index(of.declarer) if of.declarer else None
        return Table(
            head.seats,
            declarer,
            head.tricks == "gathered by one",
            of.pack,
            TRUMPS[of.trumps],
            frozenset((*head.covers, *of.covers)),
        )

    def where(self, owner: str, key: str | None = None, index: int | str | None = None) -> Place:
        """The place of what is written under a key; failing that, of its owner; failing that, the code's folder.

        Parameters:
            owner: a clause id, `game NAME` or `reading NAME`.
            key: as written (`lost to`) or as the field is called (`lost_to`); without it, the owner's own place.
            index: which item of a list, from 0, or which key of a mapping (the reading under `under`).
        """
        known = Clause.model_fields.get(key or "")
        key = known.alias if known and known.alias else key
        for address in ((owner, key, index), (owner, key), owner):
            if address in self.places:
                return self.places[address]
        return Place(self.folder)

    def clause(self, clause_id: str) -> Clause:
        """The clause of that id.

        Raises:
            KeyError: the code has no such clause.
        """
        return {c.id: c for c in self.clauses}[clause_id]

    def clauses_of(self, sentence: Sentence) -> list[Clause]:
        """The clauses that a sentence is made of."""
        return [clause for clause in self.clauses if sentence.holds(clause)]

    def of_kind(self, kind: Kind) -> list[Clause]:
        """The clauses of one kind, in the order of the files."""
        return [c for c in self.clauses if c.kind is kind]

    def terms_of(self, right: str) -> list[Clause]:
        """The right's own clause and all that settle its terms."""
        return [c for c in self.clauses if c.id == right or right in c.of or EVERY in c.of]

    def restrict(self, game: str, without_layers: Sequence[str] = (), without: Sequence[str] = ()) -> Code:
        """The code as it stands for one game, with some layers or clauses left out."""
        kept = [
            c
            for c in self.clauses
            if (not c.games or game in c.games) and c.layer not in without_layers and c.id not in without
        ]
        return replace(self, clauses=tuple(kept))


EVERY = "every penalty"
"""Written under `of`: all rights of the code."""

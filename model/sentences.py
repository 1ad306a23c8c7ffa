"""Acts in words: a small closed grammar that parses and prints back, `Y calls 9H from B under AW.VII.4.1`.

A form is a template; demands have a form for each demand phrase, so that a new phrase can be written in a case at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from tricklaw.model.acts import ADVERSARIES_SEE, PARTNER_SEES, ActKind, Do
from tricklaw.model.cards import SUIT_NAMES, Deck
from tricklaw.model.errors import CaseError, nearest
from tricklaw.model.phrases import PHRASES, Sort
from tricklaw.model.table import SEAT_NAMES


@dataclass(frozen=True)
class Form:
    """One way to write an act: a template, and what it means.

    Attributes:
        template: words with `{actor}`, `{seat}`, `{card}`, `{cards}`, `{suit}` in them.
        do: what is done.
        says: what that is.
        option: for a demand, the demand phrase.
        seen: for cards shown, who sees them.
    """

    template: str
    do: Do
    says: str
    option: str = ""
    seen: int = 0

    @property
    def example(self) -> str:
        """The form filled in."""
        return self.template.format(actor="A", seat="B", card="9H", cards="6C 7C", suit="hearts")

    @property
    def pattern(self) -> re.Pattern[str]:
        """A regular expression with the fields as groups, and `under` where a right may be named."""
        text = re.escape(self.template)
        for name, part in _FIELDS.items():
            text = text.replace(rf"\{{{name}\}}", f"(?P<{name}>{part})")
        tail = r"(?: under (?P<under>\S+))?" if self.about_right else ""
        return re.compile(text + tail + r"\Z")

    @property
    def about_right(self) -> bool:
        """Whether the act exacts or lets go a right, so that the right may be named."""
        return self.do in (Do.DEMAND, Do.WAIVE)


_FIELDS = {
    "actor": "[A-Z]",
    "seat": "[A-Z]",
    "card": r"[^ ,]+|[a-z]+ of [a-z]+",
    "cards": ".+?",
    "suit": "|".join(SUIT_NAMES),
}

_BOTH = PARTNER_SEES | ADVERSARIES_SEE
_PLAIN = (
    Form("{actor} leads {card}", Do.LEAD, "leads a card, in turn or not"),
    Form("{actor} plays {card}", Do.PLAY, "plays a card to the trick, in turn or not; of cards thrown, indicates it"),
    Form("{actor} lays down {card} as well", Do.AGAIN, "lays another card after the one he has led or played"),
    Form("{actor} throws {cards}", Do.THROW, "throws several cards together, and has yet to say which he plays"),
    Form("{actor} faces {card}", Do.FACE, "lays a card face up otherwise than in play"),
    Form("{actor} exposes {card}", Do.FACE, "the same"),
    Form("{actor} picks up {card}", Do.PICK_UP, "takes a card that lies face up before him back among the others"),
    Form("{actor} shows {cards} to everybody", Do.SHOW, "lets his partner and both adversaries see cards", seen=_BOTH),
    Form("{actor} shows {cards} to his partner", Do.SHOW, "lets his partner see cards in his hand", seen=PARTNER_SEES),
    Form("{actor} shows {cards} to his adversaries", Do.SHOW, "lets both adversaries see them", seen=ADVERSARIES_SEE),
    Form("{actor} names {card}", Do.NAME, "says that he holds a card"),
    Form("{actor} says the rest are his", Do.BOAST, "says that his side wins all that is left"),
    Form("{actor} draws attention", Do.ATTENTION, "remarks that the lead on the table was out of turn"),
    Form("{actor} takes the card back", Do.TAKE_BACK, "takes back his card of a trick not yet turned and quitted"),
    Form("{actor} takes his card back", Do.TAKE_BACK, "the same"),
    Form("{actor} quits", Do.QUIT, "turns and quits his card of the preceding trick"),
    Form("{actor} turns and quits", Do.QUIT, "the same"),
    Form(
        "{actor} points out the number of cards of {seat}",
        Do.FIND,
        "remarks that a player has a card too many or too few",
    ),
    Form("{actor} lays his hand open", Do.LAY_OPEN, "lays all his cards face up on the table"),
    Form("{actor} announces his success", Do.CLAIM, "says that he has won or, as an adversary, defeated the game"),
    Form("{actor} gives up", Do.GIVE_UP, "gives the game up as lost"),
    Form("{actor} omits to play", Do.OMIT, "lets the trick be complete without a card of his, the last to play"),
    Form(
        "{actor} adds {card} to the trick", Do.ADD, "adds the card that he omitted, nothing being led yet to the next"
    ),
    Form("{actor} waits", Do.WAIT, "lets a reasonable time pass; it is his turn"),
    Form("{actor} does not call from {seat}", Do.WAIVE, "lets a right go"),
    Form("{actor} does not call", Do.WAIVE, "the same, where one right only can be meant"),
    Form("{actor} waives the penalty against {seat}", Do.WAIVE, "the same, for any right"),
)

_SHORT = {
    "play that card": "{actor} calls {card} from {seat}",
    "lead that suit": "{actor} calls {suit} from {seat}",
    "play the highest of the suit led": "{actor} calls the highest from {seat}",
    "play the lowest of the suit led": "{actor} calls the lowest from {seat}",
}
_IRREGULAR = {
    "treat the card led as exposed": "{actor} claims the card led by {seat} as exposed",
    "claim a new deal": "{actor} claims a new deal from {seat}",
    "let the deal stand": "{actor} lets the deal stand for {seat}",
    "take the penalty for the revoke": "{actor} takes the penalty for the revoke from {seat}",
}


def _demand_forms(option: str) -> Iterator[Form]:
    """The ways to write a demand, the usual one first."""
    says = f"demands: {option}"
    if option in _IRREGULAR:
        yield Form(_IRREGULAR[option], Do.DEMAND, says, option)
        return
    if option in _SHORT:
        yield Form(_SHORT[option], Do.DEMAND, says, option)
    what = option.replace("that card", "{card}").replace("that suit", "{suit}")
    verb = "forbids" if what.startswith("do not ") else "requires"
    yield Form(f"{{actor}} {verb} {{seat}} to {what.removeprefix('do not ')}", Do.DEMAND, says, option)


@cache
def forms() -> tuple[Form, ...]:
    """All forms; those of one meaning stand together, the usual one first."""
    demands = [form for sort, text in PHRASES if sort is Sort.DEMAND for form in _demand_forms(text)]
    return (*_PLAIN, *sorted(demands, key=lambda form: "{card}" in form.template))


@cache
def _patterns() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    return tuple((form, form.pattern) for form in forms())


@dataclass(frozen=True)
class Sentence:
    """An act as written. Cards and suits are sets as integers; seats are names.

    Attributes:
        form: how it is written; two sentences that say the same are equal all the same.
        under: the right named; empty if none is.
        named: the names of the cards, in the order in which they are written.
    """

    form: Form = field(compare=False)
    do: Do
    actor: str
    seat: str = ""
    cards: int = 0
    suit: int = 0
    option: str = ""
    seen: int = 0
    under: str = ""
    named: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        names = " ".join(self.named)
        suit = SUIT_NAMES[self.suit.bit_length() - 1] if self.suit else ""
        text = self.form.template.format(actor=self.actor, seat=self.seat, card=names, cards=names, suit=suit)
        return f"{text} under {self.under}" if self.under else text


def parse_sentence(text: str, deck: Deck, seats: int = 4) -> Sentence:
    """The act that a sentence says.

    Raises:
        CaseError: no form fits, or what is in the place of a card or player is none.
    """
    plain = " ".join(text.split()).removesuffix(".")
    for form, pattern in _patterns():
        if match := pattern.match(plain):
            return _filled(form, match.groupdict(default=""), deck, seats)
    raise CaseError(f"{plain!r} says no act{_nearest_form(plain)}; `tricklaw rule --acts` lists all forms")


def _filled(form: Form, found: dict[str, str], deck: Deck, seats: int) -> Sentence:
    names = SEAT_NAMES[seats]
    for who in (found["actor"], found.get("seat", "")):
        if who and who not in names:
            raise CaseError(f"there is no player {who!r}; the players are {', '.join(names)}")
    cards = _indices(found.get("cards") or found.get("card") or "", deck)
    return Sentence(
        form, form.do, found["actor"], found.get("seat", ""), sum(1 << i for i in cards), parse_suit(found.get("suit")),
        form.option, form.seen, found.get("under", ""), tuple(deck.name(i) for i in cards),
    )  # fmt: skip


def _nearest_form(text: str) -> str:
    """The nearest forms, filled in with other players and cards."""
    words = [_PLACEHOLDERS.get(_sort_of(word), word) for word in text.split()]
    return nearest(" ".join(words), [form.example for form in forms()])


_PLACEHOLDERS = {"seat": "A", "card": "9H", "suit": "hearts"}


def _sort_of(word: str) -> str:
    if re.fullmatch(r"(10|[2-9TJQKA])[CDHS]", word):
        return "card"
    if word.lower() in SUIT_NAMES:
        return "suit"
    return "seat" if re.fullmatch(r"[A-Z]", word) else ""


# cards and suits ---------------------------------------------------------------------------------------------------

_CARD = re.compile(r"(?P<rank>[a-z]+) of (?P<suit>[a-z]+)|[^ ,]+", re.IGNORECASE)


def parse_cards(text: str, deck: Deck) -> int:
    """The set of the cards named, separated by spaces, commas or `and`: `9H TS`, `nine of hearts`.

    Raises:
        CaseError: a word is no card, or a card is there twice.
    """
    return sum(1 << i for i in _indices(text, deck))


def _indices(text: str, deck: Deck) -> list[int]:
    """The cards named, in their order."""
    found: list[int] = []
    for match in _CARD.finditer(text):
        if match[0] == "and":
            continue
        found.append(_index(match, deck))
        if found[-1] in found[:-1]:
            raise CaseError(f"the card {match[0]} is here twice; keep one")
    return found


def _index(match: re.Match[str], deck: Deck) -> int:
    if match["rank"]:
        names = [deck.long_name(i) for i in range(deck.size)]
        if match[0].lower() not in names:
            raise CaseError(f"{match[0]!r} is no card{nearest(match[0], names)}; write nine of hearts, or 9H")
        return names.index(match[0].lower())
    try:
        return deck.index(match[0])
    except ValueError as error:
        raise CaseError(str(error)) from None


def parse_suit(text: str | None) -> int:
    """The set of one suit, by its name in the plural; the empty set for nothing or `none`.

    Raises:
        CaseError: there is no such suit.
    """
    if not text or text == "none":
        return 0
    if text not in SUIT_NAMES:
        raise CaseError(f"{text!r} is no suit; write {', '.join(SUIT_NAMES)} or none")
    return 1 << SUIT_NAMES.index(text)


def parse_seats(text: str, seats: int = 4) -> list[str]:
    """The players named, separated by spaces or commas; `none` for nobody.

    Raises:
        CaseError: there is no such player.
    """
    names = SEAT_NAMES[seats]
    found = text.replace(",", " ").split()
    if found == ["none"]:
        return []
    for name in found:
        if name not in names:
            raise CaseError(f"there is no player {name!r}; the players are {', '.join(names)}")
    return found


def sentence_of(kind: ActKind, who: str, seat: str, cards: int, suit: int, seen: int, deck: Deck) -> Sentence:
    """The usual sentence for an act; a demand or waiver names its right."""
    form = next(f for f in forms() if f.do is kind.do and f.option == kind.option and f.seen in (0, seen))
    if kind.do is Do.WAIVE:
        form = next(f for f in forms() if f.do is Do.WAIVE and f.template.endswith("against {seat}"))
    used = [name for name in ("seat", "card", "cards", "suit") if f"{{{name}}}" in form.template]
    cards = cards if {"card", "cards"} & set(used) else 0
    named = tuple(deck.name(i) for i in range(deck.size) if cards >> i & 1)
    return Sentence(
        form, kind.do, who, seat if "seat" in used else "", cards,
        suit if "suit" in used else 0, kind.option, form.seen, kind.right, named,
    )  # fmt: skip


def act_in_words(kind: ActKind, act: Mapping[str, int], deck: Deck, names: Sequence[str]) -> str:
    """The usual sentence for an act given as values of its slots."""
    seat, who = act.get("act.seat", 0), names[act["act.actor"].bit_length() - 1]
    about = names[seat.bit_length() - 1] if seat else ""
    cards, suit, seen = (act.get(f"act.{name}", 0) for name in ("cards", "suit", "seen"))
    return str(sentence_of(kind, who, about, cards, suit, seen, deck))


def names_of(seats: Sequence[str]) -> str:
    """Players in a text: `A and B`, or nobody."""
    return " and ".join(seats) or "nobody"

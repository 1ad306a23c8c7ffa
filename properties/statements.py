"""A committee's own statements about a code, in the phrases of its law: `whenever ... then ...`, `never`, `can`.

A statement speaks of one player, "he": every player of `for` in turn. Over states, `whenever` some conditions hold, those
of `then` do. With `when` it speaks of acts: the events single out the player, `whenever` is before the act and `then` after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import z3
from pydantic import BaseModel, ConfigDict, Field

from tricklaw.model.acts import LAYING, Do
from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.law import Ids, Phrases
from tricklaw.model.pair import Pair
from tricklaw.model.phrases import PHRASES, Sort
from tricklaw.model.results import RESULTS
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.terms import (
    FALSE,
    TRUE,
    Bool,
    at_most_one,
    bit,
    both,
    either,
    exactly_one,
    implies,
    is_zero,
    join,
    less,
    meet,
    meets,
    negate,
    none,
    some,
    within,
)
from tricklaw.properties.base import Claim, Part, Property
from tricklaw.properties.progress import goes_on_by_hand, goes_on_somehow


class Statement(BaseModel):
    """A question as it is written."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    question: str = Field(min_length=1, description="its number or name, as Q01")
    asks: str = Field(min_length=3, description="the question in plain words")
    code: str = Field(description="the code, or CODE:GAME")
    beside: str = Field("", description="a second code, or CODE:GAME, played in step: `there: ...` is said of it")
    without: Ids = Field((), description="layers and clauses left out of the law")
    readings: dict[str, str] = Field({}, description="readings that are fixed")
    of: str | None = Field(None, alias="for", description="whom `he` means (a seats phrase); everybody unless given")
    when: Phrases = Field((), description="events: the statement is about acts; `he` is who is answerable")
    whenever: Phrases = Field((), description="conditions, all of which must hold")
    then: Phrases = Field((), description="what then holds, all of it")
    never: Phrases = Field((), description="conditions that never hold together")
    can: Phrases = Field((), description="conditions that can hold together")
    same_as: str = Field(
        "", alias="same as", description="a property, or PROPERTY/PART: the question is the same as that"
    )
    left_out: str = Field("", alias="left out", description="why it is not decided")
    note: str = ""

    @property
    def possible(self) -> bool:
        """Whether it asks if something can be."""
        return bool(self.can)


def to_property(statement: Statement) -> Property:
    """The property that decides a statement; where it asks whether something can be, that it never is."""
    formal = _formal(statement)
    return Property(statement.question, statement.asks, formal, "The answer is no.", partial(_parts, statement))


def _formal(s: Statement) -> str:
    words = [f"for {s.of}" if s.of else "", f"when {_all(s.when)}" if s.when else ""]
    words += [f"whenever {_all(s.whenever)}" if s.whenever else "", f"then {_all(s.then)}" if s.then else ""]
    words += [f"never {_all(s.never)}" if s.never else "", f"can it be that {_all(s.can)}" if s.can else ""]
    return ", ".join(word for word in words if word)


def _all(texts: Sequence[str]) -> str:
    return " and ".join(texts)


def _parts(s: Statement, system: System) -> Iterator[Part]:
    if s.when:
        yield Part("", act=lambda step: _of_act(s, system, step), watched=False)
        return
    cases = [_case(s, system, i) for i in range(system.seats)]
    premise = either(*(p for p, _ in cases)) if s.then else TRUE
    yield Part("", Claim(premise, both(*(implies(p, c) for p, c in cases))))


def _case(s: Statement, system: System, index: int) -> tuple[Bool, Bool]:
    """What must hold of the player at `index` for the statement to speak of him, and what it says then."""
    member = bit(system.read(Sort.SEATS, s.of, index), index) if s.of else TRUE
    before = both(member, *(says(system, text, index) for text in (*s.whenever, *s.never, *s.can)))
    return before, both(*(says(system, text, index) for text in s.then)) if s.then else FALSE


def _of_act(s: Statement, system: System, step: Step) -> Claim | None:
    who = system.view.everybody if ANYTHING in s.when else system.answerable(s.when, step.kind)
    if is_zero(who):
        return None
    now = [(system.view.state[name], term) for name, term in step.changes.items()]
    premises, claims = [], []
    for index in range(system.seats):
        member = bit(system.read(Sort.SEATS, s.of, index), index) if s.of else TRUE
        before = (_during(system, step, text, index) for text in (*s.whenever, *s.never, *s.can))
        premise = both(step.possible, bit(who, index), member, *before)
        then = [_after(system, step, text, index, now) for text in s.then]
        premises.append(premise)
        claims.append(implies(premise, both(*then) if s.then else FALSE))
    return Claim(either(*premises), both(*claims))


def _after(system: System, step: Step, text: str, index: int, now: list[tuple[z3.ExprRef, z3.ExprRef]]) -> Bool:
    """Whether something holds of an act: of itself, or of the state after it."""
    if (of_act := _says_of_act(system, step, text, index)) is not None:
        return of_act
    if text.startswith("before: "):
        return says(system, text.removeprefix("before: "), index)
    return z3.substitute(says(system, text, index), *now)


def _during(system: System, step: Step, text: str, index: int) -> Bool:
    """The same where the state before the act is meant."""
    of_act = _says_of_act(system, step, text, index)
    return of_act if of_act is not None else says(system, text, index)


def _says_of_act(system: System, step: Step, text: str, index: int) -> Bool | None:
    """Whether something holds of an act itself; nothing where the text speaks of a state."""
    if text.startswith("not: "):
        found = _says_of_act(system, step, text.removeprefix("not: "), index)
        return None if found is None else negate(found)
    for said in SAID_OF_ACTS:
        if match := said.pattern.fullmatch(text):
            return said.meaning(system, step, index, *match.groups())
    return None


# what can be said of a state -------------------------------------------------------------------------------------------


def says(system: System, text: str, index: int) -> Bool:
    """Whether a condition holds of the player at `index`.

    Raises:
        UnknownName: nothing of the kind can be said; the message names the nearest.
    """
    if text.startswith("not: "):
        return negate(says(system, text.removeprefix("not: "), index))
    if text.startswith("there: "):
        if not isinstance(system, Pair):
            raise UnknownName(f"{text!r} speaks of a second law; name it under `beside`")
        return says(system.there, text.removeprefix("there: "), index)
    if text.startswith("he is "):
        try:
            return bit(system.read(Sort.SEATS, text.removeprefix("he is "), index), index)
        except UnknownName:
            pass
    for said in SAID:
        if match := said.pattern.fullmatch(text):
            return said.meaning(system, index, *match.groups())
    try:
        found: Bool = system.read(Sort.CONDITION, text, index)
    except UnknownName:
        known = [*(said.text for said in (*SAID, *SAID_OF_ACTS)), *(t for sort, t in PHRASES if sort is Sort.CONDITION)]
        raise UnknownName(f"nothing can be said like {text!r}{nearest(text, known)}") from None
    return found


@dataclass(frozen=True)
class Said:
    """Something that only a statement says: about what the law allows in a state, or about an act."""

    text: str
    meaning: Callable[..., Bool]

    @property
    def pattern(self) -> re.Pattern[str]:
        """The text with its clauses and players as groups."""
        text = re.escape(self.text)
        return re.compile(text.replace(r"\{clause\}", r"(\S+)").replace(r"\{seats\}", "(.+)"))


def _lays(system: System, index: int) -> tuple[Bool, ...]:
    return tuple(some(system.lawful_cards(do, index)) for do in LAYING)


def _lawful(system: System, index: int) -> z3.BitVecRef:
    return join(*(system.lawful_cards(do, index) for do in LAYING))


def _enforcers(system: System, index: int, clause: str) -> z3.BitVecRef:
    law = system.there if isinstance(system, Pair) and clause not in system.rights else system
    state = law.right_state(law.rights[clause], index)
    return z3.If(state.open, state.enforcers, system.view.nobody)


def _called(system: System, index: int, clause: str) -> z3.BitVecRef:
    right, v = system.rights[clause], system.view
    values = [v[right.value(o)] for o in right.options if o.binds and o.param.value == "card"]
    return meet(join(*values), v.hands[index]) if values else v.deck.nothing


SAID = (
    Said("it is his turn", lambda s, i: bit(s.view.to_act, i)),
    Said("he holds a liable card", lambda s, i: meets(s.view.hands[i], s.view["liable"])),
    Said(
        "every card of his is liable",
        lambda s, i: both(some(s.view.hands[i]), within(s.view.hands[i], s.view["liable"])),
    ),
    Said("his liable cards lie face up", lambda s, i: within(meet(s.view.hands[i], s.view["liable"]), s.view["faced"])),
    Said("he holds several cards", lambda s, i: negate(at_most_one(s.view.hands[i]))),
    Said("nobody else holds a card", lambda s, i: within(s.view.with_cards, s.view.seat(i))),
    Said("he has erred", lambda s, i: bit(s.view["erred"], i)),
    Said("nobody has erred", lambda s, i: none(s.view["erred"])),
    Said("he may lawfully lead or play", lambda s, i: either(*_lays(s, i))),
    Said(
        "he may lawfully lead or play any card that is no renounce",
        lambda s, i: within(s.view.legal(s.view.seat(i)), _lawful(s, i)),
    ),
    Said("he may lawfully lead or play a liable card", lambda s, i: meets(_lawful(s, i), s.view["liable"])),
    Said(
        "he may lawfully lead or play another card than a liable one",
        lambda s, i: some(less(_lawful(s, i), s.view["liable"])),
    ),
    Said("he may lawfully take a card back", lambda s, i: s.lawful_plain(Do.TAKE_BACK, i)),
    Said("somebody may lawfully go on without a word", lambda s, i: goes_on_by_hand(s)),
    Said("somebody may lawfully go on or say something", lambda s, i: goes_on_somehow(s)),
    Said("nobody may exact {clause} from him", lambda s, i, c: none(_enforcers(s, i, c))),
    Said("one player alone may exact {clause} from him", lambda s, i, c: exactly_one(_enforcers(s, i, c))),
    Said("several players may exact {clause} from him", lambda s, i, c: negate(at_most_one(_enforcers(s, i, c)))),
    Said(
        "{clause} may be exacted from him by none but {seats}",
        lambda s, i, c, who: within(_enforcers(s, i, c), s.read(Sort.SEATS, who, i)),
    ),
    Said(
        "the same players may exact {clause} and {clause} from him",
        lambda s, i, one, other: _enforcers(s, i, one) == _enforcers(s, i, other),
    ),
    Said("two cards are called from him under {clause}", lambda s, i, c: negate(at_most_one(_called(s, i, c)))),
    Said("two suits are called under {clause}", lambda s, i, c: _two_suits(s, c)),
    Said("no adversary of his has spoken on {clause}", lambda s, i, c: none(s.view[s.rights[c].spoken(i)])),
    Said(
        "all his adversaries have played to the trick",
        lambda s, i: within(s.view.adversaries(s.view.seat(i)), s.view.played),
    ),
    Said("some result is fixed for him", lambda s, i: either(*(bit(s.result(name), i) for name in RESULTS))),
    Said(
        "{clause} is outstanding against his side",
        lambda s, i, c: meets(s.view[s.rights[c].pending], s.view.side(s.view.seat(i))),
    ),
    Said(
        "nobody may lawfully play",
        lambda s, i: negate(either(*(some(s.lawful_cards(Do.PLAY, j)) for j in range(s.seats)))),
    ),
    Said("a card of {seats} lies in the trick", lambda s, i, who: _has_played(s, s.read(Sort.SEATS, who, i))),
    Said(
        "{seats} may lawfully lead or play",
        lambda s, i, who: either(
            *(both(bit(s.read(Sort.SEATS, who, i), j), either(*_lays(s, j))) for j in range(s.seats))
        ),
    ),
    Said("he has played to the trick", lambda s, i: bit(s.view.played, i)),
    Said("all have played to the trick but him", lambda s, i: join(s.view.played, s.view.seat(i)) == s.view.everybody),
)
"""What a statement may say of a player, beside the conditions of law files."""

SAID_OF_ACTS = (
    Said("the act is lawful", lambda s, step, i: negate(step.unlawful)),
    Said("the act is unlawful", lambda s, step, i: step.unlawful),
    Said("{clause} is set off", lambda s, step, i, c: step.fired.get(c, FALSE)),
    Said("the act breaks {clause}", lambda s, step, i, c: step.broken.get(c, FALSE)),
    Said("the card is liable", lambda s, step, i: meets(s.act.cards, s.view["liable"])),
    Said("he acts", lambda s, step, i: bit(s.act.actor, i)),
    Said(
        "the act is done by one who may exact {clause} from him",
        lambda s, step, i, c: meets(s.act.actor, _enforcers(s, i, c)),
    ),
    Said(
        "{clause} is let go in words",
        lambda s, step, i, c: step.fired.get(c, FALSE) if _waives(step, c) else FALSE,
    ),
    Said(
        "he has none of the suit named",
        lambda s, step, i: both(some(s.act.suit), none(meet(s.view.hands[i], s.deck.cards_of(s.act.suit)))),
    ),
)
"""What it may say of an act."""

ANYTHING = "anything is done"
"""Written under `when`: the statement speaks of all acts, and of every player in turn, whoever acts."""


def _waives(step: Step, clause: str) -> bool:
    return step.kind.do is Do.WAIVE and step.kind.right == clause


def _has_played(system: System, who: z3.BitVecRef) -> Bool:
    return both(some(who), within(who, system.view.played))


def _two_suits(system: System, clause: str) -> Bool:
    right = system.rights[clause]
    values = [system.view[right.value(o)] for o in right.options if o.param.value == "suit"]
    return negate(at_most_one(join(*values))) if values else FALSE

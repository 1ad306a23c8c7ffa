"""Whether play can always go on."""

from __future__ import annotations

from collections.abc import Iterator

from tricklaw.model.acts import ActKind, Do
from tricklaw.model.law import Kind
from tricklaw.model.phrases import lookup
from tricklaw.model.phrases.check import ANY_OPEN
from tricklaw.model.phrases.registry import Sort
from tricklaw.model.results import ENDING
from tricklaw.model.rights import Right
from tricklaw.model.state import View
from tricklaw.model.system import System
from tricklaw.model.terms import Bool, both, either, less, meet, negate, none, some
from tricklaw.properties.base import Claim, Part, define


def _card_acts(system: System) -> list[Bool]:
    """For each kind of lawful act with cards: somebody can do it."""
    v, seats = system.view, range(system.seats)
    hidden = less(meet(v["liable"], v.held), v["faced"])
    return [
        *(some(system.lawful_cards(do, i)) for do in (Do.LEAD, Do.PLAY) for i in seats),
        *(system.lawful_plain(do, i) for do in (Do.TAKE_BACK, Do.QUIT) for i in seats),
        some(hidden),
        _time_helps(system),
    ]


def _time_helps(system: System) -> Bool:
    """A clause in force makes a difference if the player to act lets time pass."""
    step = system.step(ActKind(Do.WAIT))
    changed = either(*(negate(after == system.view[field]) for field, after in step.changes.items()))
    return both(some(system.view.to_act), changed)


def _going_on(system: System) -> Bool:
    """The hand is not over: somebody is to lead or play, or the last cards lie unquitted.

    A state in which the one to act has no card while others hold some, or lack of them leaves a trick incomplete, is not
    asked about: equal hands exclude it.
    """
    v = system.view
    ended = either(*(some(system.result(name)) for name in ENDING))
    return both(negate(ended), _cards_left(v))


def _cards_left(v: View) -> Bool:
    return either(some(v.to_act), both(v.empty_table, none(v.with_cards), negate(v.over)))


def _words(system: System) -> list[Bool]:
    """Words that change something: a penalty to exact or waive, a call to be disclaimed, a lead out of turn to be noticed."""
    v = system.view
    states = [system.right_state(r, i) for r in system.rights.values() for i in range(system.seats)]
    return [*(some(s.speakers) for s in states), both(v.false_lead, negate(v.noticed))]


def goes_on_by_hand(system: System) -> Bool:
    """The hand is over, or somebody may lawfully do something with cards."""
    return either(negate(_going_on(system)), *_card_acts(system))


def goes_on_somehow(system: System) -> Bool:
    """The same, or somebody may say something that makes a difference."""
    return either(goes_on_by_hand(system), *_words(system))


@define(
    "no-deadlock",
    says="As long as the hand is not over, somebody may lawfully do something that changes the situation.",
    formal="not over implies: a lawful lead, play, taking back, quitting or placing, or a penalty to exact or waive",
    failure="Play is stuck: nobody has a lawful act.",
)
def no_deadlock(system: System) -> Iterator[Part]:
    """One part."""
    yield Part("", Claim(_going_on(system), either(*_card_acts(system), *_words(system))))


def _awaited(system: System) -> list[Right]:
    """The rights on which it depends whether some duty binds."""
    found: set[str] = set()
    for clause in system.code.of_kind(Kind.DUTY):
        for text in (*clause.while_, *clause.unless):
            if text == ANY_OPEN:
                found |= {r.id for r in system.rights.values() if not r.standing}
            found |= set(lookup(Sort.CONDITION, text)[1])
    return [right for right in system.rights.values() if right.id in found and any(o.binds for o in right.options)]


@define(
    "no-hostage",
    says="As long as the hand is not over, play can go on without anybody having to say anything.",
    formal="not over implies: somebody has a lawful lead, play, taking back, quitting or placing; for a right R that some "
    "duty waits for: or else words about R are not the only ones waited for",
    failure="The player to act must wait for words that nobody is bound to say: silence stops the game for ever.",
)
def no_hostage(system: System) -> Iterator[Part]:
    """One part for all words, and one for each right that some duty waits for."""
    acts, going_on = either(*_card_acts(system)), _going_on(system)
    yield Part("", Claim(going_on, acts))
    unsaid = {
        right.id: either(*(some(system.right_state(right, i).speakers) for i in range(system.seats)))
        for right in _awaited(system)
    }
    for name, words in unsaid.items():
        others = [other for right, other in unsaid.items() if right != name]
        yield Part(system.rights[name].cited, Claim(going_on, either(acts, negate(words), *others)))

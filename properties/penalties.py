"""How penalties begin, go on and end."""

from __future__ import annotations

from collections.abc import Iterator

import z3

from tricklaw.model.acts import LAYING, Do, Param
from tricklaw.model.rights import Right
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.terms import Bits, both, either, gate, join, less, meet, negate, none, some, within
from tricklaw.properties.base import Claim, Part, define


def _called(system: System, right: Right) -> list[Bits]:
    return [system.view[right.value(o)] for o in right.options if o.binds and o.param is Param.CARD]


def _after(system: System, step: Step, field: str) -> Bits:
    return step.changes.get(field, system.view[field])


def _over_cards(system: System) -> list[Right]:
    """The rights that are about liable cards."""
    return [r for r in system.rights.values() if r.standing and any(o.param is Param.CARD for o in r.options)]


@define(
    "discharged-on-play",
    says="No penalty remains once the exposed card is played.",
    formal="every card liable to be called, or called, is in a hand, or lies led out of turn and may be taken back",
    failure="A penalty goes on for a card that is no longer there.",
)
def discharged_on_play(system: System) -> Iterator[Part]:
    """Part by right over liable cards; the premise is that a card is liable."""
    v = system.view
    claimed = gate(v.false_lead, v.card_led)
    for right in _over_cards(system):
        cards = join(v["liable"], *_called(system, right))
        yield Part(right.cited, Claim(some(v["liable"]), within(less(cards, claimed), v.held)))


@define(
    "call-repeatable",
    says="As long as a liable card is not played, it may be called again at each trick.",
    formal="when a trick is completed, each right over liable cards is neither used up nor shut for the next trick",
    failure="A penalty is spent though the card that it is about is still in hand.",
)
def call_repeatable(system: System) -> Iterator[Part]:
    """Part by right over liable cards; the premise is that a trick is completed while a card stays liable."""
    v = system.view

    def claim(right: Right, step: Step) -> Claim | None:
        if step.kind.do is not Do.PLAY:
            return None
        completes = both(some(_after(system, step, "prev")), negate(v["prev"] == _after(system, step, "prev")))
        done = both(completes, none(_after(system, step, "trick")), some(_after(system, step, "liable")))
        used = [none(_after(system, step, right.spent))]
        used += [none(_after(system, step, right.spoken(i))) for i in range(system.seats)]
        return Claim(both(step.possible, done), both(*used))

    for right in _over_cards(system):
        yield Part(right.cited, act=lambda step, right=right: claim(right, step))  # type: ignore[misc]


@define(
    "single-penalty",
    says="One offence never brings both a card to call and a suit to call.",
    formal="no act brings both a right to call a suit and a liable card; exacting one of an event's rights ends the rest",
    failure="A side is punished twice for one error.",
)
def single_penalty(system: System) -> Iterator[Part]:
    """Part by right to call a suit."""
    for right in system.rights.values():
        if not right.standing and any(o.param is Param.SUIT for o in right.options):
            yield Part(right.cited, act=lambda step, right=right: _single(system, right, step))  # type: ignore[misc]


def _single(system: System, right: Right, step: Step) -> Claim | None:
    v = system.view
    if step.kind.do is Do.DEMAND and step.kind.right == right.id:
        twins = [
            r
            for r in system.rights.values()
            if r.id != right.id and not r.standing and set(r.clause.arises) & set(right.clause.arises)
        ]
        if not twins:
            return None
        side = v.side(system.act.seat)
        gone = both(*(none(meet(_after(system, step, r.pending), side)) for r in twins))
        return Claim(both(step.possible, step.legit), gone)
    if right.pending not in step.changes:
        return None
    arises = some(less(step.changes[right.pending], v[right.pending]))
    if z3.is_false(z3.simplify(arises)):
        return None
    return Claim(both(step.possible, arises), within(_after(system, step, "liable"), v["liable"]))


@define(
    "every-penalty-ends",
    says="When the hand is over, no penalty can still be exacted and no demand is in force.",
    formal="when all cards are played and quitted: no right is open and no demand binds anybody",
    failure="A penalty has no end in the law: players can dispute it when the cards are gone.",
)
def every_penalty_ends(system: System) -> Iterator[Part]:
    """Part by right; the premise is that the hand is over."""
    v = system.view
    for right in system.rights.values():
        opened = [system.right_state(right, i).open for i in range(system.seats)]
        in_force = [some(v[right.value(o)]) for o in right.options if o.binds and o.param is not Param.CARD]
        yield Part(right.cited, Claim(v.over, negate(either(*opened, *in_force))))


@define(
    "no-dormant-penalty",
    says="When the hand is over, no penalty is left that never came to be decided.",
    formal="when all cards are played and quitted: the register of each right is empty",
    failure="The law does not say when the penalty lapses, if the occasion for it never comes.",
)
def no_dormant_penalty(system: System) -> Iterator[Part]:
    """Part by right that arises from an offence and binds cards; the premise is that the hand is over."""
    v = system.view
    for right in system.rights.values():
        if not right.standing and any(o.binds for o in right.options):
            yield Part(right.cited, Claim(v.over, none(v[right.pending])))


@define(
    "take-back-free",
    says="Taking back a card from a lead out of turn carries no penalty.",
    formal="a card taken back from a trick led out of turn is not liable, unless it was claimed as exposed there",
    failure="A player who was led into error by another's lead is punished for it.",
)
def take_back_free(system: System) -> Iterator[Part]:
    """One part; the premise is that such a card is taken back."""
    v = system.view

    def claim(step: Step) -> Claim | None:
        if step.kind.do is not Do.TAKE_BACK:
            return None
        card = meet(v.cards(system.act.actor), v["trick"])
        premise = both(step.possible, v.false_lead)
        return Claim(premise, within(meet(card, _after(system, step, "liable")), v["liable"]))

    yield Part("", act=claim)


@define(
    "liable-stays-liable",
    says="A liable card is freed by nothing but its being played.",
    formal="no act but leading, playing or adding it to a trick makes a liable card cease to be liable while it is held",
    failure="A player can rid himself of a penalty by another act than playing the card.",
)
def liable_stays_liable(system: System) -> Iterator[Part]:
    """One part; the premise is that a card ceases to be liable."""
    v = system.view

    def claim(step: Step) -> Claim | None:
        if "liable" not in step.changes:
            return None
        freed = less(meet(v["liable"], v.held), step.changes["liable"])
        laid = step.kind.do in (*LAYING, Do.ADD)
        left = less(freed, system.act.cards) if laid else freed
        return Claim(both(step.possible, some(meet(v["liable"], v.held))), none(left))

    yield Part("", act=claim)

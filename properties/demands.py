"""What may be demanded, and whether it can be obeyed."""

from __future__ import annotations

from collections.abc import Iterator

from tricklaw.model.acts import LAYING, Do, Param
from tricklaw.model.rights import Right
from tricklaw.model.system import Bound, System
from tricklaw.model.terms import FALSE, Bits, Bool, at_most_one, both, either, implies, meet, meets, negate, some
from tricklaw.properties.base import Claim, Part, define


def _his_turn(system: System, do: Do) -> Bool:
    """Somebody is to act, and his act is to lead (or to play)."""
    v = system.view
    return both(some(v.to_act), v.empty_table if do is Do.LEAD else negate(v.empty_table))


def _in_force(b: Bound) -> Bool:
    return both(b.binds, negate(b.excused))


def _bounds(system: System, do: Do) -> list[Bound]:
    """The demands for a card that bind whoever is to act; a demand to take a card back is obeyed by doing so."""
    return [b for b in system.bounds(system.view.to_act, do) if Do.TAKE_BACK not in b.option.acts]


def _binding(system: System) -> list[Right]:
    return [r for r in system.rights.values() if any(o.binds and Do.TAKE_BACK not in o.acts for o in r.options)]


@define(
    "no-clashing-demands",
    says="Two demands in force on the same player can always be obeyed together.",
    formal="whoever is to act: demands in force on him, each obeyable alone, have a common card in his hand",
    failure="A player is ordered to do two things of which he can do only one, and breaks the law whatever he does.",
)
def no_clashing_demands(system: System) -> Iterator[Part]:
    """Part by right; the premise is that a demand under it is in force on the player to act."""
    hand = system.view.hand(system.view.to_act)
    for right in _binding(system):
        premises, claims = [], []
        for do in LAYING:
            bounds = _bounds(system, do)
            for mine in (b for b in bounds if b.right is right):
                active = both(_his_turn(system, do), _in_force(mine))
                premises.append(active)
                claims.append(implies(active, both(_single(system, mine), *_agree(mine, bounds, hand))))
        yield Part(right.cited, Claim(either(*premises), both(*claims)))


def _single(system: System, b: Bound) -> Bool:
    """No two cards, or suits, are demanded under one right."""
    value = system.view[b.right.value(b.option)]
    if b.option.param is Param.CARD and b.option.wanted:
        return at_most_one(meet(value, system.view.legal(system.view.to_act)))
    return at_most_one(value) if b.option.param is Param.SUIT else negate(FALSE)


def _agree(mine: Bound, bounds: list[Bound], hand: Bits) -> Iterator[Bool]:
    for other in bounds:
        if other.option is mine.option and other.right is mine.right:
            continue
        both_obeyable = both(_in_force(other), meets(hand, mine.required), meets(hand, other.required))
        yield implies(both_obeyable, meets(meet(hand, mine.required), other.required))


@define(
    "obeyable-or-excused",
    says="Whoever is under a demand can obey it, or the law excuses him.",
    formal="whoever is to act under a demand of R, not excused: some card of his hand complies",
    failure="A player must do what he cannot do, and the law does not say that he is excused.",
)
def obeyable_or_excused(system: System) -> Iterator[Part]:
    """Part by right."""
    hand = system.view.hand(system.view.to_act)
    for right in _binding(system):
        cases = [
            (both(_his_turn(system, do), _in_force(b)), meets(hand, b.required))
            for do in LAYING
            for b in _bounds(system, do)
            if b.right is right
        ]
        yield Part(right.cited, Claim(either(*(p for p, _ in cases)), both(*(implies(p, c) for p, c in cases))))


@define(
    "no-forced-revoke",
    says="No demand orders a player to revoke.",
    formal="whoever is to play under a demand of R, not excused, and can follow suit: some complying card follows suit",
    failure="A player must break either the demand or the rule of following suit.",
)
def no_forced_revoke(system: System) -> Iterator[Part]:
    """Part by right."""
    v = system.view
    follows = meet(v.hand(v.to_act), v.suit_led)
    for right in _binding(system):
        cases = [
            (both(_his_turn(system, Do.PLAY), some(follows), _in_force(b)), meets(follows, b.required))
            for b in _bounds(system, Do.PLAY)
            if b.right is right
        ]
        premise = either(*(p for p, _ in cases))
        yield Part(right.cited, Claim(premise, both(*(implies(p, c) for p, c in cases))))

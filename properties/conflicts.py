"""Whether one clause permits or commands what another forbids, without either being ranked above the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import z3

from tricklaw.model.acts import LAYING, Do
from tricklaw.model.law import Clause, Kind, Layer
from tricklaw.model.phrases.acts import BY_THE_CARD
from tricklaw.model.system import System
from tricklaw.model.terms import Bool, both, either, is_zero, less, meets, negate, none, some
from tricklaw.properties.base import Claim, Part, define


@define(
    "no-conflict",
    says="What one clause permits or commands, no other forbids, unless the law says which of them prevails.",
    formal="for each permission and each duty or demand that it does not override: the player whose turn it is, if the "
    "permission applies to him, is forbidden no card that it permits; nor is anybody forbidden to take a card back; for each "
    "two duties, one to do something: the player whose turn it is can obey both if he can obey each",
    failure="A player who does what the law expressly allows, or commands, breaks the law.",
)
def no_conflict(system: System) -> Iterator[Part]:
    """Part by permission and the duty, or the right to demand, that may stand against it; the premise is that it applies."""
    for permission in system.code.of_kind(Kind.PERMISSION):
        cases: dict[str, list[tuple[Bool, Bool]]] = {}
        for index in range(system.seats):
            for name, premise, clash in _clashes(system, permission, index):
                cases.setdefault(name, []).append((premise, clash))
        for name, found in cases.items():
            yield _part(f"{permission.id} and {name}", found)
    yield from _of_duties(system)


def _part(name: str, found: list[tuple[Bool, Bool]]) -> Part:
    """The part of two clauses, from the premise and the clash for each player."""
    return Part(name, Claim(either(*(premise for premise, _ in found)), negate(either(*(clash for _, clash in found)))))


def _of_duties(system: System) -> Iterator[Part]:
    """Part by what must be done and what must not: the player whose turn it is cannot obey both, and could obey each."""
    duties = {clause.id: clause for clause in system.code.of_kind(Kind.DUTY)}
    cases: dict[str, list[tuple[Bool, Bool]]] = {}
    for index in range(system.seats):
        v = system.view
        hand, his_turn = v.hands[index], meets(v.seat(index), v.to_act)
        for do in LAYING:
            laid = {name: cards for name, cards in system.laying_forbidden(do, v.seat(index)).items() if name in duties}
            table = v.empty_table if do is Do.LEAD else negate(v.empty_table)
            for one, other in combinations(laid, 2):
                if _opposed(duties[one], duties[other]):
                    bound = both(his_turn, table, meets(hand, laid[one]), meets(hand, laid[other]))
                    each = both(*(some(less(hand, laid[name])) for name in (one, other)))
                    clash = both(bound, each, none(less(less(hand, laid[one]), laid[other])))
                    cases.setdefault(f"{one} and {other}", []).append((bound, clash))
    for name, found in cases.items():
        yield _part(name, found)


def _opposed(one: Clause, other: Clause) -> bool:
    """Whether one of them says which card must be led or played, and the law ranks neither above the other.

    What must be done before a card is led or played, as facing one, can be done, and is no hindrance then.
    """
    ranked = one.id in other.overrides or other.id in one.overrides
    musts = {duty.must for duty in (one, other) if duty.must}
    by_card = bool(musts) and musts <= set(BY_THE_CARD)
    return by_card and not ranked and {one.layer, other.layer} != {Layer.PLAY}


def _clashes(system: System, permission: Clause, index: int) -> Iterator[tuple[str, Bool, Bool]]:
    """For each duty or demand that forbids the player something now: that the permission applies to him, and a clash."""
    v = system.view
    his_turn = meets(v.seat(index), v.to_act)
    for do in LAYING:
        allowed = system.permitted(permission, do, index)
        if is_zero(allowed):
            continue
        premise = both(his_turn, some(allowed))
        for name, cards in system.laying_forbidden(do, v.seat(index)).items():
            if _concerned(system, permission, name):
                yield name.removeprefix("comply "), premise, both(premise, meets(allowed, cards))
    back = system.permitted_plain(permission, Do.TAKE_BACK, index)
    for duty in system.code.of_kind(Kind.DUTY):
        if _concerned(system, permission, duty.id):
            clash = both(back, system.forbidden_plain(duty, Do.TAKE_BACK, index))
            if not z3.is_false(clash):
                yield duty.id, back, clash


def _concerned(system: System, permission: Clause, name: str) -> bool:
    """Whether the law speaks of both, and ranks neither above the other; the regular course of play is below all law."""
    if name.startswith("comply "):
        return name.removeprefix("comply ") not in permission.overrides
    duty = system.code.clause(name)
    ranked = duty.id in permission.overrides or permission.id in duty.overrides
    return duty.layer is not Layer.PLAY and not ranked

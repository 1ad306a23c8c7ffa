"""Whether one clause permits what another forbids, without either being ranked above the other."""

from __future__ import annotations

from collections.abc import Iterator

import z3

from tricklaw.model.acts import LAYING, Do
from tricklaw.model.law import Clause, Kind, Layer
from tricklaw.model.system import System
from tricklaw.model.terms import Bool, both, either, is_zero, meets, negate, some
from tricklaw.properties.base import Claim, Part, define


@define(
    "no-conflict",
    says="What one clause permits, no other forbids, unless the law says which of them prevails.",
    formal="for each permission and each duty or demand that it does not override: the player whose turn it is, if the "
    "permission applies to him, is forbidden no card that it permits; nor is anybody forbidden to take a card back",
    failure="A player who does what the law expressly allows breaks the law.",
)
def no_conflict(system: System) -> Iterator[Part]:
    """Part by permission and the duty, or the right to demand, that may stand against it; the premise is that it applies."""
    for permission in system.code.of_kind(Kind.PERMISSION):
        cases: dict[str, list[tuple[Bool, Bool]]] = {}
        for index in range(system.seats):
            for name, premise, clash in _clashes(system, permission, index):
                cases.setdefault(name, []).append((premise, clash))
        for name, found in cases.items():
            premise = either(*(p for p, _ in found))
            yield Part(f"{permission.id} and {name}", Claim(premise, negate(either(*(clash for _, clash in found)))))


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

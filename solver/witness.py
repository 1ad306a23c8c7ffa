"""A play as a witness: what it was, act by act, on the full pack, in names instead of bits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import z3

from tricklaw.model.acts import ActKind
from tricklaw.model.cards import SUIT_NAMES
from tricklaw.model.deals import marks_in_words
from tricklaw.model.law import Kind
from tricklaw.model.results import result_of
from tricklaw.model.sentences import act_in_words
from tricklaw.model.system import System
from tricklaw.model.terms import evaluate
from tricklaw.solver.compiled import rigid_values
from tricklaw.solver.plays import Play
from tricklaw.solver.verdicts import Witness, WitnessAct

WATCHERS = ("", "partner", "both adversaries", "everybody")
"""Who sees a card that is shown, by the value of the act's field."""


@dataclass(frozen=True)
class Shown:
    """A witness, the clauses that its acts broke or set off, and the situation in which it ends."""

    witness: Witness
    clauses: tuple[str, ...]
    ends: str


def witness(system: System, play: Play, completed: bool, holds_under: int, of_readings: int) -> Shown:
    """The play as a witness, evaluated once more term by term with Z3 on the full pack.

    Raises:
        AssertionError: Z3 finds an act impossible that the compiled model made: the two must never differ.
    """
    names, deck = system.view.names, system.deck
    clauses, final = _evaluate(system, play)
    found = Witness(
        deal={n: tuple(deck.names(h)) for n, h in zip(names, play.hands, strict=True)},
        leader=names[play.leader],
        sides=tuple(tuple(n for i, n in enumerate(names) if g >> i & 1) for g in play.groups),
        trumps=SUIT_NAMES[play.trumps.bit_length() - 1] if play.trumps else "none",
        readings=dict(play.readings),
        acts=tuple(_act(system, kind, act) for kind, act in play.acts),
        completed=completed,
        replayed=True,
        holds_under=holds_under,
        of_readings=of_readings,
        marks=marks_in_words(play.marks, deck, names),
    )
    return Shown(found, clauses, final)


def _act(system: System, kind: ActKind, act: Mapping[str, int]) -> WitnessAct:
    names, deck = system.view.names, system.deck
    seat, suit = act.get("act.seat", 0), act.get("act.suit", 0)
    return WitnessAct(
        act=kind.name,
        actor=names[act["act.actor"].bit_length() - 1],
        cards=tuple(deck.names(act.get("act.cards", 0))),
        suit=SUIT_NAMES[suit.bit_length() - 1] if suit else "",
        seat=names[seat.bit_length() - 1] if seat else "",
        seen=WATCHERS[act.get("act.seen", 0)],
        text=act_in_words(kind, act, deck, names),
    )


def _evaluate(system: System, play: Play) -> tuple[tuple[str, ...], str]:
    """The clauses that the acts broke or set off, and what can be exacted at the end, by Z3's own evaluation."""
    rigid = rigid_values(system, play.groups, play.trumps, dict(play.readings))
    state = {s.name: 0 for s in system.slots} | system.dealt(play.hands, play.leader, play.marks)
    clauses: list[str] = []
    for kind, act in play.acts:
        step = system.step(kind)
        clauses_of = [*step.broken, *step.fired]
        terms = [step.possible, *step.broken.values(), *step.fired.values(), *step.changes.values()]
        possible, *values = evaluate(terms, _pairs(system, state, rigid, act))
        assert possible, f"{kind.name} is not possible"
        clauses += [name.removeprefix("comply ") for name, holds in zip(clauses_of, values, strict=False) if holds]
        state |= dict(zip(step.changes, values[len(clauses_of) :], strict=True))
    return tuple(dict.fromkeys(clauses)), _situation(system, _pairs(system, state, rigid, {}))


Pairs = list[tuple[z3.ExprRef, z3.ExprRef]]


def _pairs(system: System, state: Mapping[str, int], rigid: Mapping[str, int], act: Mapping[str, int]) -> Pairs:
    found: Pairs = []
    for slots, values in ((system.slots, state), (system.rigid_slots, rigid), (system.act_slots, act)):
        found += [(s.term(), z3.BitVecVal(values.get(s.name, 0), s.width)) for s in slots]
    return found


def _situation(system: System, pairs: Pairs) -> str:
    names, parts = system.view.names, []
    against = [(right, i) for right in system.rights.values() for i in range(system.seats)]
    states = [system.right_state(right, i) for right, i in against]
    opened = evaluate([s.open for s in states], pairs)
    enforcers = evaluate([s.enforcers for s in states], pairs)
    for (right, i), is_open, who in zip(against, opened, enforcers, strict=True):
        if is_open:
            seats = [n for k, n in enumerate(names) if who >> k & 1]
            parts.append(f"{right.cited} against {names[i]} by {' and '.join(seats) or 'nobody'}")
    fixing = system.code.of_kind(Kind.RESULT)
    for clause, who in zip(fixing, evaluate([system.view[result_of(c.id)] for c in fixing], pairs), strict=True):
        seats = [n for k, n in enumerate(names) if who >> k & 1]
        parts += [f"{clause.result} for {' and '.join(seats)} by {clause.id}"] if seats else []
    return "it ends with " + ("; ".join(parts) if parts else "no penalty to exact")

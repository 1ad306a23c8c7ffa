"""Candidates for invariants: what the model itself suggests, and templates over the rights register.

Nothing here knows a law: the templates range over whatever fields the system has. What is false is sieved out later.
"""

from __future__ import annotations

from collections.abc import Iterator

from tricklaw.model.acts import Param
from tricklaw.model.law import Kind
from tricklaw.model.pair import Pair
from tricklaw.model.results import result_of
from tricklaw.model.rights import Option, Right
from tricklaw.model.state import CALLED_BY
from tricklaw.model.system import System
from tricklaw.model.table import CALLER, OMISSIONS, WRONG_NUMBERS
from tricklaw.model.terms import (
    Bits,
    Bool,
    at_most_one,
    bit,
    collect,
    either,
    exactly_one,
    gate,
    implies,
    join,
    less,
    meet,
    meets,
    negate,
    none,
    some,
    union,
    within,
)


def candidates(system: System) -> dict[str, Bool]:
    """Candidate invariants by name, as terms over the system's state."""
    found = dict(_table(system))
    for right in system.rights.values():
        found |= dict(_of_right(system, right))
    found |= dict(_between_rights(system))
    for clause in system.code.of_kind(Kind.RESULT):
        found |= dict(_of_result(system, clause.id, system.view[result_of(clause.id)]))
    if isinstance(system, Pair):
        found |= {f"there: {name}": term for name, term in candidates(system.there).items()}
        found |= {f"the same {name} here and there": term for name, term in system.alike.items()}
    return found


def _table(system: System) -> Iterator[tuple[str, Bool]]:
    v, n = system.view, system.seats
    for i in range(n):
        for j in range(i):
            yield f"hands {j} and {i} are disjoint", none(meet(v.own[i], v.own[j]))
        yield f"at most one card of {i} in the trick", at_most_one(meet(v.own[i], v["trick"]))
        yield f"at most one card of {i} in the preceding trick", at_most_one(meet(v.own[i], v["prev"]))
        there = either(meets(v.own[i], v["prev"]), bit(v.left_out, i))
        yield f"{i} has a card in the preceding trick, or omitted it", implies(some(v["prev"]), there)
    owned = union(v.own, system.deck.size)
    yield "the trick is owned", within(v["trick"], owned)
    yield "the preceding trick is owned", within(v["prev"], owned)
    yield "the tricks are disjoint", none(meet(v["trick"], v["prev"]))
    yield "one has the right to lead", exactly_one(v["turn"])
    if CALLED_BY in v.state:
        yield "at most one caller", at_most_one(v[CALLED_BY])
    yield "at most one leader", at_most_one(v["leader"])
    yield "a leader where cards lie", v.empty_table == none(v["leader"])
    yield "at most one earlier leader", at_most_one(v["prevleader"])
    yield "an earlier leader where earlier cards lie", none(v["prev"]) == none(v["prevleader"])
    yield "quitted only where a trick is", implies(none(v["prev"]), none(v["quitted"]))
    yield "the side that won has not quitted", none(meet(v["quitted"], v.side(v["turn"])))
    yield "not all have quitted", negate(v["quitted"] == v.everybody)
    yield "not all have played", negate(v.played == v.everybody)
    yield "who has played has quitted", implies(some(v["prev"]), within(v.played, v["quitted"]))
    yield "faced cards are held", within(v["faced"], v.held)
    yield "thrown cards are faced", within(v["thrown"], v["faced"])
    if OMISSIONS in system.table.covers:
        yield from _omitted(system)
    yield "liable cards are held", within(v["liable"], v.held)
    claimed = gate(v.false_lead, v.card_led)
    yield "liable cards are held, or led out of turn", within(less(v["liable"], claimed), v.held)
    yield "noticed is a false lead", implies(v.noticed, v.false_lead)
    yield "who amends has no card in the trick", none(meet(v["amending"], v.played))
    yield "amending only where cards lie", implies(v.empty_table, none(v["amending"]))
    yield "begun where an earlier trick is", implies(some(v["prev"]), bit(v["begun"], 0))
    yield "who amends has erred", within(v["amending"], v["erred"])
    yield "who renounces has erred", within(v["renounced"], v["erred"])
    yield "who has renounced before has erred", within(v["prevrenounced"], v["erred"])
    yield "who has renounced has played", within(v["renounced"], v.played)
    yield "who has renounced holds a card", within(v["renounced"], v.with_cards)
    others = collect([some(less(own, v["prev"])) for own in v.own])
    yield "who has renounced before has a card elsewhere", within(v["prevrenounced"], others)
    yield "who has renounced before has a card there", implies(none(v["prev"]), none(v["prevrenounced"]))
    yield "a false leader has erred", implies(v.false_lead, within(v["leader"], v["erred"]))
    yield "holders of liable cards have erred or a partner", _holders_erred(system)
    owners = collect([meets(own, v["liable"]) for own in v.own])
    yield "owners of liable cards have erred", within(owners, v["erred"])
    yield "owners of liable cards have partners", none(meet(owners, v.alone))
    yield "owners of liable cards play alone", within(owners, v.alone)
    if system.table.declarer is not None:
        yield "owners of liable cards are against the declarer", within(owners, v.adversaries(v.declarer))
        yield "the dummy has thrown nothing", none(meet(v.holders(v["thrown"]), v.dummy))
    yield "whoever has thrown has erred", within(v.holders(v["thrown"]), v["erred"])


def _omitted(system: System) -> Iterator[tuple[str, Bool]]:
    v = system.view
    omitted, there = v["omitted"], collect([meets(own, v["prev"]) for own in v.own])
    yield "at most one has omitted to play", at_most_one(omitted)
    yield "who led has a card there", within(v["prevleader"], there)
    yield "an omitted play is corrected or missed", none(meet(omitted, v["missed"]))
    yield "who has omitted to play has erred", within(v.left_out, v["erred"])
    yield "who has omitted to play has no card there", none(meet(omitted, there))
    yield "who has omitted to play has not played since", none(meet(omitted, v.played))
    yield "who has omitted to play has not the lead", none(meet(omitted, v["turn"]))
    yield "who has omitted to play did not lead", none(meet(omitted, v["prevleader"]))
    yield "who has omitted to play holds a card", within(omitted, v.with_cards)
    yield "who has omitted to play has not quitted", none(meet(omitted, v["quitted"]))


def _holders_erred(system: System) -> Bool:
    v = system.view
    return within(v.holders(v["liable"]), v.side(v["erred"]))


def _of_right(system: System, right: Right) -> Iterator[tuple[str, Bool]]:
    v, name = system.view, right.id
    if right.standing:
        yield f"{name}: nothing is used up", none(v[right.spent])
        for i in range(system.seats):
            spoken = v[right.spoken(i)]
            yield f"{name}: only adversaries have spoken about {i}", within(spoken, v.adversaries(v.seat(i)))
    else:
        yield from _pending(system, right)
    for option in right.options:
        if option.binds:
            yield from _demanded(system, right, option, v[right.value(option)])


def _pending(system: System, right: Right) -> Iterator[tuple[str, Bool]]:
    v, name, pending = system.view, right.id, system.view[right.pending]
    yield f"{name}: at most one offender", at_most_one(pending)
    yield f"{name}: offenders have erred", within(pending, v["erred"])
    yield f"{name}: offenders or partners have erred", within(pending, v.side(v["erred"]))
    yield f"{name}: spoken only where pending", implies(none(pending), none(v[right.spoken(0)]))
    yield f"{name}: nobody has spoken", none(v[right.spoken(0)])
    unanimous = (within(v.adversaries(v.seat(i)), v[right.spoken(0)]) for i in range(system.seats))
    yield f"{name}: never have all adversaries of a player spoken", negate(either(*unanimous))
    yield f"{name}: offenders have partners", none(meet(pending, v.alone))
    yield f"{name}: offenders play alone", within(pending, v.alone)
    yield f"{name}: offenders play alone where anybody does", implies(some(v.alone), within(pending, v.alone))
    yield from _sided(system, f"{name}: offenders", pending)
    if CALLER in system.table.covers:
        ours = within(pending, v.side(v.caller))
        yield f"{name}: offenders are of the caller's side, if one has called", implies(some(v.caller), ours)
    if OMISSIONS in system.table.covers:
        yield f"{name}: offenders have missed a trick", within(pending, v["missed"])
    for text, holds in _situations(system, pending):
        yield f"{name}: pending only {text}", implies(some(pending), holds)
    yield f"{name}: never pending", none(pending)


def _sided(system: System, text: str, who: Bits) -> Iterator[tuple[str, Bool]]:
    """On which side of a declarer, or of him who has called the game, players are, if there is one."""
    v, table = system.view, system.table
    if table.declarer is not None:
        yield f"{text} are against the declarer", within(who, v.adversaries(v.declarer))
        yield f"{text} are of the declarer's side", within(who, v.side(v.declarer))
    if CALLER in table.covers:
        yield f"{text} are against the caller", within(who, v.adversaries(v.caller))
        yield f"{text} are of the caller's side", within(who, v.side(v.caller))


def _situations(system: System, who: Bits) -> Iterator[tuple[str, Bool]]:
    v = system.view
    second, third, fourth = v.left_of(v["leader"]), v.opposite(v["leader"]), v.right_of(v["leader"])
    yield "while cards lie", negate(v.empty_table)
    yield "while the hand goes on", either(some(v.with_cards), negate(v.empty_table))
    yield "against such as hold a card, or have one in the trick", within(who, join(v.with_cards, v.played))
    if OMISSIONS in system.table.covers:
        adding = meet(who, v["omitted"])
        yield "against such as can add no last card", either(none(adding), negate(at_most_one(v.hand(adding))))
    yield "while a false lead lies", v.false_lead
    yield "against the leader", who == v["leader"]
    yield "against the fourth hand", who == fourth
    yield "while a partner has the right to lead", within(v["turn"], v.partners(who))
    yield "while a partner has the right to lead or cards lie", either(within(v["turn"], v.partners(who)), v.false_lead)
    yield "while an adversary has the right to lead", within(v["turn"], v.adversaries(who))
    for label, seat in (("second", second), ("third", third), ("fourth", fourth)):
        yield f"before the {label} hand plays", negate(meets(seat, v.played))
        yield f"after the {label} hand has played", within(seat, v.played)


def _demanded(system: System, right: Right, option: Option, value: Bits) -> Iterator[tuple[str, Bool]]:
    v, name, param = system.view, f"{right.id} {option.text}", option.param
    erring = v.side(v["erred"])
    if param is Param.CARD:
        yield f"{name}: the cards are held", within(value, v.held)
        yield f"{name}: the cards are liable", within(value, v["liable"])
        yield f"{name}: the cards are trumps", within(value, v.trumps)
        yield f"{name}: of players who have not played", none(meet(v.holders(value), v.played))
        yield f"{name}: of players with partners", none(meet(v.holders(value), v.alone))
        yield f"{name}: while cards lie", implies(v.empty_table, none(value))
        yield f"{name}: never", none(value)
        for i, hand in enumerate(v.hands):
            yield f"{name}: at most one of {i}", at_most_one(meet(value, hand))
            if right.standing:
                called, spoken = meets(value, hand), v[right.spoken(i)]
                yield f"{name}: only where spoken of {i}", implies(called, some(spoken))
                yield (
                    f"{name}: owners spoke of {i}",
                    implies(called, within(system.right_state(right, i).owners, spoken)),
                )
    elif param is Param.SUIT:
        target = v[right.target]
        yield f"{name}: at most one suit", at_most_one(value)
        yield f"{name}: never", none(value)
        yield f"{name}: at most one player", at_most_one(target)
        yield f"{name}: a suit where a player", some(value) == some(target)
        yield f"{name}: of the erring side", within(target, erring)
        yield f"{name}: not pending and demanded", either(none(target), none(v[right.pending]))
        yield f"{name}: he holds cards", within(target, v.with_cards)
        yield f"{name}: he plays alone", within(target, v.alone)
        yield from _sided(system, f"{name}: those bound", target)
        yield f"{name}: he has not played", none(meet(target, v.played))
        yield f"{name}: while cards lie", implies(v.empty_table, none(target))
        yield f"{name}: he has partners", none(meet(target, v.alone))
        yield f"{name}: while he has the right to lead", within(target, v["turn"])
        yield (
            f"{name}: while the hand goes on",
            implies(some(target), either(some(v.with_cards), negate(v.empty_table))),
        )
        yield (
            f"{name}: while he has the right to lead or cards lie",
            either(within(target, v["turn"]), negate(v.empty_table)),
        )
    else:
        yield f"{name}: at most one player", at_most_one(value)
        yield f"{name}: of the erring side", within(value, erring)
        yield from _sided(system, f"{name}: those bound", value)
        if option.of_trick:
            yield f"{name}: his lead out of turn lies on the table", within(value, v.lead_to_take_back)
        yield f"{name}: he has not played", none(meet(value, v.played))
        yield f"{name}: he holds cards", within(value, v.with_cards)
        yield f"{name}: he plays alone", within(value, v.alone)
        yield f"{name}: he has partners", none(meet(value, v.alone))
        yield f"{name}: while cards lie", implies(v.empty_table, none(value))
        yield f"{name}: never", none(value)


def _of_result(system: System, name: str, slot: Bits) -> Iterator[tuple[str, Bool]]:
    v = system.view
    yield f"{name}: never", none(slot)
    yield f"{name}: of players who play alone", within(slot, v.alone)
    yield f"{name}: of players with partners", none(meet(slot, v.alone))
    yield from _sided(system, f"{name}: players", slot)
    if WRONG_NUMBERS in system.table.covers:
        yield f"{name}: of players with a wrong number", within(slot, v.wrong)
        yield f"{name}: where one has a wrong number", implies(some(slot), at_most_one(v.wrong))
        yield f"{name}: where who plays alone has a wrong number", implies(some(slot), within(v.wrong, v.alone))
        yield f"{name}: where a partner has a wrong number", implies(some(slot), none(meet(v.wrong, v.alone)))


def _between_rights(system: System) -> Iterator[tuple[str, Bool]]:
    v = system.view
    events = [r for r in system.rights.values() if not r.standing]
    for i, one in enumerate(events):
        for other in events[:i]:
            yield (
                f"{other.id} and {one.id}: not pending together",
                either(none(v[one.pending]), none(v[other.pending])),
            )
        values = [v[one.value(o)] for o in one.options if o.binds]
        for k, value in enumerate(values):
            yield f"{one.id}: not pending with demand {k}", either(none(v[one.pending]), none(value))
            for m in range(k):
                yield f"{one.id}: one demand of {m} and {k}", either(none(value), none(values[m]))

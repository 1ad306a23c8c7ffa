"""Whether the law has an answer to everything that a player may do wrong.

An infraction is answered if it sets off a clause, if the law says that nothing follows from it, or if afterwards some
clause applies, or would be set off by attention being drawn, a card taken back, a trick quitted or the offender's next
card, that did not and would not before. Only first infractions are looked at: nobody has done anything wrong before or,
where the duty is one that comes of another's fault, the offender himself has not; so a penalty that lies already does not
hide that the law says nothing of the act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import z3

from tricklaw.model.acts import ADVERSARIES_SEE, LAYING, PARTNER_SEES, ActKind, Do
from tricklaw.model.law import Clause, Kind, Layer
from tricklaw.model.mechanics import BY_HAND
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.terms import TRUE, Bits, Bool, both, either, less, meet, meets, negate, none, some, within
from tricklaw.properties.base import Claim, Part, define

LATER = (Do.ATTENTION, Do.TAKE_BACK, Do.QUIT, *LAYING)
"""The acts by which the law may still take hold of an infraction: anybody's, but only the offender's own next card."""

_SPEAKING = (Kind.RIGHT, Kind.LIABILITY, Kind.CONSEQUENCE, Kind.RESULT, Kind.TERMS)


@dataclass(frozen=True)
class Situation:
    """A way to go wrong: the duty broken, in words what is done, by which kind of act, and in which circumstances."""

    duty: str
    says: str
    do: Do
    when: Bool = TRUE


@define(
    "no-gap",
    says="Whatever a player does wrong, some clause answers it.",
    formal="for each duty and each way to break it, nobody having erred before: a clause is set off by the act, or comes to "
    "apply, or will be set off by a later act: attention drawn, a card taken back, a trick quitted, his next card",
    failure="The law is silent: the players have broken a rule, and nothing follows.",
)
def no_gap(system: System) -> Iterator[Part]:
    """Part by way to go wrong; the premise is that it is done, for the first time."""
    law = [c for c in system.code.clauses if c.layer is not Layer.PLAY]
    said, known = _said(system, law), dict[ActKind, Bool]()

    def answered(step: Step) -> Bool:
        """Whether the law answers an act, the same for every way to go wrong by it."""
        if step.kind not in known:
            known[step.kind] = _answered(system, law, said, step)
        return known[step.kind]

    for situation in _situations(system):
        yield Part(f"{situation.duty}, {situation.says}", act=_claim(system, law, situation, answered), watched=False)


def _claim(
    system: System, law: list[Clause], s: Situation, answered: Callable[[Step], Bool]
) -> Callable[[Step], Claim | None]:
    erred = system.view["erred"]
    first = none(meet(erred, system.act.actor) if s.duty in {c.id for c in law} else erred)

    def claim(step: Step) -> Claim | None:
        if step.kind.do is not s.do or s.duty not in step.broken:
            return None
        return Claim(both(step.possible, step.broken[s.duty], first, s.when), answered(step))

    return claim


def _answered(system: System, law: list[Clause], said: list[Bool], step: Step) -> Bool:
    """That a clause is set off by the act or comes to apply, or that the law says that nothing follows."""
    speaking = {c.id for c in law if c.kind in _SPEAKING}
    now = [(system.view.state[name], term) for name, term in step.changes.items()]
    after = [z3.substitute(term, *now) for term in said]
    new = [both(later, negate(before)) for before, later in zip(said, after, strict=True)]
    fired = (holds for name, holds in step.fired.items() if name in speaking)
    return either(*fired, *new, *_excluded(system, law, step.kind))


def _excluded(system: System, law: list[Clause], kind: ActKind) -> Iterator[Bool]:
    """That the law says of such an act that nothing follows: in so many words, or by an immunity of the offender."""
    clauses = {c.id: c for c in law}
    for clause in law:
        if clause.kind is Kind.EMBODIED and clause.when:
            yield system.speaks_of(clause, kind)
        for other in (clauses[name] for name in clause.from_ if name in clauses):
            if other.arises or other.when:
                yield both(system.shields(clause, system.act.actor), system.speaks_of(other, kind))


# what the law says ---------------------------------------------------------------------------------------------------


def _said(system: System, law: list[Clause]) -> list[Bool]:
    """For each clause, that it applies to somebody; for each later act, that it would set a clause off."""
    found = [holds for clause in law if (holds := system.applies(clause)) is not None]
    shielded = {name for c in law for name in c.from_}
    found += [some(system.lies_against(c)) for c in law if c.id in shielded and c.kind is Kind.RIGHT and not c.arises]
    speaking = {c.id for c in law if c.kind in _SPEAKING}
    for do in LATER:
        step = system.step(ActKind(do))
        for name, holds in step.fired.items():
            if name in speaking:
                found.append(_at_last(system, do, both(step.possible, holds)))
    return found


def _at_last(system: System, do: Do, term: Bool) -> Bool:
    """Whether the term would come true if the act were done: by somebody, or by the offender with his lowest card."""
    act, v = system.act, system.view
    if do in LAYING:
        hand = v.hand(act.actor)
        return z3.substitute(term, (act.cards, hand & -hand))
    return either(*(z3.substitute(term, (act.actor, v.seat(i))) for i in range(system.seats)))


# ways to go wrong ----------------------------------------------------------------------------------------------------


def _situations(system: System) -> Iterator[Situation]:
    """The ways to break each duty; those of regular play told apart by who does it."""
    regular = {c.id for c in system.code.clauses if c.layer is Layer.PLAY}
    for s in _ways(system):
        if s.duty not in regular:
            yield s
            continue
        for who, condition in _roles(system, s):
            says = f"{s.says}, by {who}" if who else s.says
            yield Situation(s.duty, says, s.do, both(s.when, condition))


def _roles(system: System, s: Situation) -> Iterator[tuple[str, Bool]]:
    """Who the offender may be, as far as the law of a game tells players apart."""
    v, actor = system.view, system.act.actor
    if system.table.declarer is not None:
        yield "the declarer", meets(actor, v.declarer)
        if s.do in BY_HAND:
            yield "the declarer from the dummy", meets(actor, v.dummy)
        yield "an adversary", meets(actor, v.adversaries(v.declarer))
    elif any(1 << i in groups for groups in system.arrangements for i in range(system.seats)):
        yield "a lone player", meets(actor, v.alone)
        if any(len(groups) < system.seats for groups in system.arrangements):
            yield "a player with a partner", negate(meets(actor, v.alone))
    else:
        yield "", TRUE


def _ways(system: System) -> Iterator[Situation]:
    v, act = system.view, system.act
    for clause in system.code.of_kind(Kind.DUTY):
        match clause.id:
            case "PLAY.lead":
                yield Situation(
                    clause.id, "when it is an adversary's lead", Do.LEAD, meets(v["turn"], v.adversaries(act.actor))
                )
                yield Situation(
                    clause.id, "when it is his partner's lead", Do.LEAD, meets(v["turn"], v.partners(act.actor))
                )
            case "PLAY.turn":
                yield from _out_of_turn(system, clause.id)
            case "PLAY.hidden":
                yield Situation(clause.id, "a card is faced", Do.FACE)
                yield Situation(clause.id, "a card is shown to his partner", Do.SHOW, _only(act.seen, PARTNER_SEES))
                yield Situation(
                    clause.id, "a card is shown to both adversaries", Do.SHOW, _only(act.seen, ADVERSARIES_SEE)
                )
                holds = within(act.cards, v.hand(act.actor))
                yield Situation(clause.id, "he names a card that he holds", Do.NAME, holds)
                yield Situation(clause.id, "he names a card that he does not hold", Do.NAME, negate(holds))
            case "PLAY.one":
                yield Situation(clause.id, "cards are thrown together", Do.THROW)
                yield Situation(clause.id, "a further card is laid down", Do.AGAIN)
            case _:
                yield from (Situation(clause.id, _DONE[do], do) for do in _DONE if system.may_break(clause, do))


_DONE = {
    Do.LEAD: "by a lead",
    Do.PLAY: "by a card played",
    Do.PICK_UP: "by taking up a card",
    Do.TAKE_BACK: "by taking a card back",
    Do.OMIT: "by an omitted play",
    Do.BOAST: "by saying that the rest are his",
}
"""How a duty may be broken otherwise; a demand without a right, which binds nobody, is not among them."""


def _only(seen: Bits, by: int) -> Bool:
    return both(some(seen & by), none(less(seen, z3.BitVecVal(by, seen.size()))))


def _out_of_turn(system: System, duty: str) -> Iterator[Situation]:
    """The hand that plays, and those before it in rotation that have not."""
    v, actor = system.view, system.act.actor
    places, seat = [v["leader"]], v["leader"]
    for _ in range(system.seats - 1):
        seat = v.left_of(seat)
        places.append(seat)
    for at in range(2, system.seats):
        for waiting in range(1, 1 << (at - 1)):
            missing = [places[i + 1] for i in range(at - 1) if waiting >> i & 1]
            there = [places[i + 1] for i in range(at - 1) if not waiting >> i & 1]
            named = " and ".join(f"the {_HANDS[i + 1]}" for i in range(at - 1) if waiting >> i & 1)
            when = both(
                meets(actor, places[at]),
                *(none(meet(seat, v.played)) for seat in missing),
                *(meets(seat, v.played) for seat in there),
                *(none(meet(seat, v.played)) for seat in places[at + 1 :]),
            )
            yield Situation(duty, f"the {_HANDS[at]} hand before {named}", Do.PLAY, when)


_HANDS = ("first", "second", "third", "fourth")

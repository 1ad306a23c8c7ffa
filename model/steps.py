"""What one kind of act is and does under a law: when it can be done, what it breaks and sets off, and what it changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import z3

from tricklaw.model import mechanics
from tricklaw.model.acts import LAYING, ActKind, Do, Param
from tricklaw.model.law import Clause, Kind
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.reading import all_of, any_of, meaning
from tricklaw.model.phrases.registry import Sort, lookup
from tricklaw.model.results import result_of
from tricklaw.model.rights import Option, Right, RightState
from tricklaw.model.terms import (
    FALSE,
    TRUE,
    Bits,
    Bool,
    bit,
    both,
    either,
    gate,
    is_zero,
    join,
    less,
    meet,
    meets,
    negate,
    none,
    some,
    union,
    when,
    within,
)

if TYPE_CHECKING:
    from tricklaw.model.system import System


@dataclass
class Step:
    """What one kind of act is and does, as terms over a state and the act's parameters."""

    kind: ActKind
    possible: Bool
    broken: dict[str, Bool]
    """Duties that the act breaks, by clause id (`comply ID`: a demand under that right is disobeyed)."""
    fired: dict[str, Bool]
    """Clauses that the act sets off: liabilities, rights that arise, are exacted or lost, consequences."""
    changes: dict[str, Bits]
    """Next values of the fields that change."""
    legit: Bool = FALSE
    """For a demand: the actor is entitled to it."""

    @property
    def unlawful(self) -> Bool:
        """Some duty is broken."""
        return either(*self.broken.values())


class StepBuilder:
    """Builds one step, in the order in which an act takes effect: duties, withdrawal, mechanics, rights, cards."""

    def __init__(self, system: System, kind: ActKind) -> None:
        self.system, self.kind, self.view = system, kind, system.view
        act = system.act
        if kind.do is Do.TAKE_BACK:
            act = replace(act, cards=mechanics.taken_back(system.view, act.actor))
        if kind.do is Do.OMIT:
            act = replace(act, cards=system.deck.nothing)
        self.act = act
        self.fired: dict[str, Bool] = {}
        self.legit = self._legit()
        self.context = system.context(kind=kind, act=act, he=act.actor, legit=self.legit)

    def build(self) -> Step:
        """The step, once."""
        broken = self._broken()
        withdrawn = self._withdrawn(broken)
        facts = mechanics.foresee(self.kind, self.view, self.act, withdrawn)
        facts.broken = broken
        self.next = dict(self.view.state) | mechanics.perform(self.kind, self.view, self.act, facts)
        self.context = replace(self.context, facts=facts, next=self.next)
        self._obey(facts.withdrawn)
        if self.kind.do is Do.DEMAND:
            self._exact()
        if self.kind.do is Do.WAIVE:
            self._waive()
        self._consequences()
        self._results()
        self._lose()
        self._arise()
        self._discharge()
        self._new_trick()
        erred = gate(either(*broken.values()), self.act.actor)
        self.next["erred"] = join(self.view["erred"], erred)
        changes = {k: t for k, t in self.next.items() if not t.eq(self.view.state[k])}
        possible = mechanics.possible(self.kind, self.view, self.act)
        return Step(self.kind, possible, broken, self.fired, changes, self.legit)

    def _fire(self, clause_id: str, holds: Bool) -> None:
        if not z3.is_false(holds):
            self.fired[clause_id] = either(self.fired.get(clause_id, FALSE), holds)

    def _broken(self) -> dict[str, Bool]:
        found: dict[str, Bool] = {}
        if self.kind.do in LAYING:
            laid = self.system.laying_forbidden(self.kind.do, self.act.actor)
            found = {k: meets(self.act.cards, cards) for k, cards in laid.items()}
        else:
            for clause in self.system.code.of_kind(Kind.DUTY):
                holds = self.system.forbidden(clause, self.context)
                if not z3.is_false(holds):
                    found[clause.id] = holds
        if self.kind.do is Do.OMIT:
            found |= self.system.disregarded(self.act.actor)
        return {k: f for k, f in found.items() if not z3.is_false(f)}

    def _withdrawn(self, broken: dict[str, Bool]) -> Bool:
        self.context.facts.broken = broken
        for clause in self.system.code.of_kind(Kind.CONSEQUENCE):
            if "that card goes back" in clause.consequence and self.kind.do in LAYING:
                holds = some(self._reached(clause))
                self._fire(clause.id, holds)
                self.context.facts.withdrawn = either(self.context.facts.withdrawn, holds)
        return self.context.facts.withdrawn

    def event(self, texts: Iterable[str], c: Context) -> Bits:
        """The players answerable for any of the events."""
        return union((meaning(Sort.EVENT, t, c) for t in texts), self.system.seats)

    def _reached(self, clause: Clause, c: Context | None = None) -> Bits:
        """The players answerable under the clause for this act: none where it does not apply."""
        c = c or self.context
        who = self.event(clause.arises or clause.when, c)
        if is_zero(who):
            return who
        about = replace(c, he=who, offenders=who)
        who = self.system.touched(clause, who, about)
        conditions = clause.while_ if clause.kind is not Kind.RIGHT else ()
        holds = both(self.system.in_force(clause), all_of(conditions, about), negate(self._unless(clause, about)))
        kinds = (Kind.RIGHT, Kind.LIABILITY, Kind.CONSEQUENCE, Kind.RESULT)
        for other, prevails in self.system.overriders(clause, *kinds):
            holds = both(holds, negate(both(prevails, some(self._reached(other, c)))))
        return gate(holds, who)

    def _unless(self, clause: Clause, c: Context) -> Bool:
        return any_of(clause.unless, c) if clause.kind is not Kind.RIGHT else FALSE

    def _legit(self) -> Bool:
        if self.kind.do is not Do.DEMAND:
            return FALSE
        system, act = self.system, self.act
        right = system.rights[self.kind.right]
        cases = []
        for i in range(system.seats):
            s = system.right_state(right, i)
            about = within(act.cards, system.nameable(right)) if self.kind.param is Param.CARD else TRUE
            cases.append(both(bit(act.seat, i), s.open, meets(act.actor, s.enforcers), about))
        return either(*cases)

    def _exact(self) -> None:
        right = self.system.rights[self.kind.right]
        option = next(o for o in right.options if o.text == self.kind.option)
        act, legit, n = self.act, self.legit, self.next
        self._fire(right.id, legit)
        if option.binds:
            said = {Param.CARD: act.cards, Param.SUIT: act.suit, Param.NOTHING: act.seat}[option.param]
            n[right.value(option)] = join(self.view[right.value(option)], gate(legit, said))
        if option.param is Param.SUIT:
            n[right.target] = join(self.view[right.target], gate(legit, act.seat))
        if option.effect:
            option.effect(self.context)
        if right.standing:
            for i in range(self.system.seats):
                speaks = gate(both(legit, bit(act.seat, i)), act.actor)
                n[right.spoken(i)] = join(self.view[right.spoken(i)], speaks)
            once = both(legit, negate(self.system.repeats(right)))
            n[right.spent] = join(self.view[right.spent], gate(once, act.seat))
        else:
            self._settle(right, legit)

    def _settle(self, right: Right, holds: Bool) -> None:
        """One offence of the side addressed is settled."""
        pending = self.view[right.pending]
        mine = meet(pending, self.view.side(self.act.seat))
        one = mine & -mine
        self.next[right.pending] = less(pending, gate(holds, one))
        self.next[right.spoken(0)] = gate(negate(holds), self.next[right.spoken(0)])

    def _waive(self) -> None:
        right, act = self.system.rights[self.kind.right], self.act
        for i in range(self.system.seats):
            s = self.system.right_state(right, i)
            holds = both(bit(act.seat, i), s.open, meets(act.actor, s.enforcers))
            self._fire(right.id, holds)
            if right.standing:
                field_ = right.spoken(i)
                foe = meets(act.actor, self.view.adversaries(self.view.seat(i)))
                states = both(bit(act.seat, i), s.lies, foe)
                self.next[field_] = join(self.view[field_], gate(states, act.actor))
            else:
                self._let_go(right, s, holds)

    def _let_go(self, right: Right, s: RightState, holds: Bool) -> None:
        last = none(less(s.enforcers, self.act.actor))
        spoken = right.spoken(0)
        self.next[spoken] = when(both(holds, negate(last)), join(self.view[spoken], self.act.actor), self.next[spoken])
        before = self.next[right.pending]
        mine = meet(self.view[right.pending], self.view.side(self.act.seat))
        gone = both(holds, last)
        self.next[right.pending] = less(before, gate(gone, mine & -mine))
        self.next[spoken] = gate(negate(gone), self.next[spoken])

    def _obey(self, withdrawn: Bool) -> None:
        """A demand has had its day once the player concerned has led, played or omitted to, or its trick is gone."""
        for right in self.system.rights.values():
            for option in right.options:
                if self.kind.do is Do.ADD and option.param is Param.CARD:
                    self.next[right.value(option)] = less(self.view[right.value(option)], self.act.cards)
                elif self.kind.do in option.acts or (self.kind.do is Do.OMIT and option.to_be_played):
                    self._clear(right, option, negate(withdrawn), self.act.actor)
                elif self.kind.do is Do.TAKE_BACK and option.binds and Do.LEAD not in option.acts:
                    for field_ in (right.value(option), *([right.target] if option.param is Param.SUIT else [])):
                        self.next[field_] = gate(negate(self.context.facts.vanishes), self.view[field_])

    def _clear(self, right: Right, option: Option, holds: Bool, who: Bits) -> None:
        value = right.value(option)
        if option.param is Param.CARD:
            self.next[value] = less(self.view[value], gate(holds, self.view.hand(who)))
        elif option.param is Param.NOTHING:
            self.next[value] = less(self.view[value], gate(holds, who))
        else:
            target = less(self.view[right.target], gate(holds, who))
            self.next[right.target] = target
            self.next[value] = gate(some(target), self.view[value])

    def _consequences(self) -> None:
        code, c = self.system.code, self.context
        for clause in code.of_kind(Kind.LIABILITY):
            assert clause.liable is not None
            who = self._reached(clause)
            if is_zero(who):
                continue
            holds = some(who)
            self._fire(clause.id, holds)
            cards = meaning(Sort.CARDS, clause.liable, c)
            self.next["liable"] = join(self.next["liable"], gate(holds, cards))
        for clause in code.of_kind(Kind.CONSEQUENCE):
            for text in clause.consequence:
                if text == "that card goes back":
                    continue
                holds = some(self._reached(clause))
                if z3.is_false(holds):
                    continue
                self._fire(clause.id, holds)
                found, arguments = lookup(Sort.EFFECT, text)
                found.function(c, holds, *arguments)

    def _results(self) -> None:
        for clause in self.system.code.of_kind(Kind.RESULT):
            who = self._reached(clause)
            if is_zero(who):
                continue
            self._fire(clause.id, some(who))
            about = replace(self.context, he=who, offenders=who)
            seats = gate(some(who), meaning(Sort.SEATS, clause.for_ or "", about))
            self.next[result_of(clause.id)] = join(self.next[result_of(clause.id)], seats)
        self._yield_results()

    def _yield_results(self) -> None:
        """A result that another clause overrides is not fixed for those who have that other one."""
        for clause in self.system.code.of_kind(Kind.RESULT):
            for other, prevails in self.system.overriders(clause, Kind.RESULT):
                mine, its = result_of(clause.id), result_of(other.id)
                if not (self.next[mine].eq(self.view[mine]) and self.next[its].eq(self.view[its])):
                    self.next[mine] = less(self.next[mine], gate(prevails, self.next[its]))

    def _lose(self) -> None:
        for right in self.system.rights.values():
            for t in right.terms:
                if not t.lost:
                    continue
                c = self.context.of(right)
                lost = gate(self.system.in_force(t), self.event(t.lost, c))
                if is_zero(lost):
                    continue
                self._shut(right, lost, t)

    def _shut(self, right: Right, lost: Bits, clause: Clause) -> None:
        v, n = self.view, self.next
        if right.standing:
            for i in range(self.system.seats):
                shut = bit(lost, i)
                self._fire(clause.id, both(shut, self.system.right_state(right, i).open))
                n[right.spoken(i)] = when(shut, v.everybody, n[right.spoken(i)])
        else:
            self._fire(clause.id, meets(lost, v[right.pending]))
            n[right.pending] = less(n[right.pending], lost)
            n[right.spoken(0)] = gate(some(n[right.pending]), n[right.spoken(0)])

    def _arise(self) -> None:
        for right in self.system.rights.values():
            if right.standing:
                continue
            for clause in (t for t in right.terms if t.arises):
                who = self._reached(clause)
                if clause is not right.clause:
                    who = self.system.touched(right.clause, who, replace(self.context, he=who, offenders=who))
                if is_zero(who):
                    continue
                self._fire(clause.id, some(who))
                self.next[right.pending] = join(self.next[right.pending], who)

    def _discharge(self) -> None:
        """A card is got rid of when it is led or played; one claimed on the table, when the trick is completed there."""
        seen: set[str] = set()
        played = join(self.act.cards, gate(self.context.facts.completes, self.view["trick"]))
        for right in self.system.rights.values():
            for t in right.terms:
                if not t.discharged or t.id in seen:
                    continue
                seen.add(t.id)
                who = self.event(t.discharged, self.context.of(right))
                if self.kind.do is Do.OMIT:  # no card is played, but those on the table are as the trick is complete
                    who = self.context.actor_if(self.context.facts.completes)
                if is_zero(who):
                    continue
                holds = both(self.system.in_force(t), some(who))
                self._fire(t.id, both(holds, meets(played, self.view["liable"])))
                self.next["liable"] = less(self.next["liable"], gate(holds, played))

    def _new_trick(self) -> None:
        """What was said about a trick is over when all have played to it; about the next one, when this is reopened."""
        if self.kind.do not in (Do.PLAY, Do.OMIT, Do.TAKE_BACK):
            return
        reopened = self.kind.do is Do.TAKE_BACK
        over = self.view.empty_table if reopened else self.context.facts.completes
        for right in self.system.rights.values():
            for option in (o for o in right.options if o.of_trick and not reopened):
                self.next[right.value(option)] = gate(negate(over), self.next[right.value(option)])
        for right in (r for r in self.system.rights.values() if r.standing):
            values = [right.value(o) for o in right.options if o.binds] if reopened else []
            for name in [*values, *(right.spoken(i) for i in range(self.system.seats))]:
                self.next[name] = gate(negate(over), self.next[name])

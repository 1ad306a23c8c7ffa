"""One transition system out of a code's law files and the mechanics of trick play: the only statement of the law.

`System(code, game)` holds the state fields, the rigid constants, the kinds of act, and for each kind a `Step`: when it is
possible, which clauses it breaks, which clauses it sets off, and the next value of every field that it changes.
Everything else in tricklaw reads these terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import z3

from tricklaw.model import mechanics
from tricklaw.model.acts import LAYING, ONLY_WITH, Act, ActKind, Do, Param, act_slots
from tricklaw.model.cards import FULL, PACKS, Deck
from tricklaw.model.deals import Marks
from tricklaw.model.law import Clause, Code, Kind
from tricklaw.model.names import variables
from tricklaw.model.phrases import lookup
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.reading import all_of, any_of, meaning
from tricklaw.model.phrases.registry import Sort
from tricklaw.model.results import result_of
from tricklaw.model.rights import Option, Right, RightState
from tricklaw.model.state import OMITTED, Slot, View, arrangement, rigid_slots, table_slots
from tricklaw.model.steps import Step, StepBuilder
from tricklaw.model.table import Groups, arrangements
from tricklaw.model.terms import (
    FALSE,
    TRUE,
    Bits,
    Bool,
    bit,
    bits,
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
)

READING = "reading/"
"""How the names of the constants that stand for readings begin."""

REMOVED = "without/"
"""The same of the constants that strike out clauses and precedences."""


def precedence(over: Clause, under: Clause) -> str:
    """What is called that one clause overrides the other."""
    return f"{over.id} over {under.id}"


@dataclass(frozen=True)
class Bound:
    """A demand in force, read in a state for one player."""

    right: Right
    option: Option
    binds: Bool
    required: Bits
    excused: Bool


@dataclass
class System:
    """The transition system of a code (already restricted to a game and its layers) over a deck."""

    code: Code
    game: str
    deck: Deck = FULL
    """The whole pack of the game unless another is given."""
    suffix: str = ""
    """How the names of the constants end that stand for the fields of the state."""
    removable: bool = False
    """Whether each clause and each precedence can be struck out: a constant, `removed`, says that it is."""
    rights: dict[str, Right] = field(init=False)

    def __post_init__(self) -> None:
        self.seats = self.code.head.seats
        self.table = self.code.table(self.game)
        self.pack = PACKS[self.table.pack]
        self.deck = self.pack if self.deck is FULL else self.deck
        self.rights = {c.id: self._right(c) for c in self.code.of_kind(Kind.RIGHT)}
        self._states: dict[tuple[str, int], RightState] = {}
        self._steps: dict[ActKind, Step] = {}
        self._builders: dict[ActKind, StepBuilder] = {}
        # Z3 gives the number of a term that is gone to another one: each entry keeps its term alive.
        self._after: dict[tuple[ActKind, int], tuple[Bool, Bool]] = {}
        self._bounds: dict[tuple[int, Do], tuple[Bits, list[Bound]]] = {}
        self._laying: dict[tuple[int, Do], tuple[Bits, dict[str, Bits]]] = {}

    def _right(self, clause: Clause) -> Right:
        options = tuple(lookup(Sort.DEMAND, d)[0].function() for d in clause.demands)
        return Right(clause, tuple(self.code.terms_of(clause.id)), options, self.deck, self.seats)

    # fields --------------------------------------------------------------------------------------------------------

    @cached_property
    def slots(self) -> list[Slot]:
        """The fields of the state."""
        found = table_slots(self.deck, self.table) + [s for r in self.rights.values() for s in r.slots()]
        return found + [Slot(result_of(c.id), self.seats, c.says) for c in self.code.of_kind(Kind.RESULT)]

    @cached_property
    def readings(self) -> dict[str, list[str]]:
        """The readings that some clause in force depends on, with their choices; the default first."""
        used = {key for c in self.code.clauses for key in c.under}
        return {
            key: sorted(r.choices, key=lambda x, d=r.default: (x != d, list(r.choices).index(x)))  # type: ignore[misc]
            for key, r in self.code.head.readings.items()
            if key in used
        }

    @cached_property
    def rigid_slots(self) -> list[Slot]:
        """The rigid constants: partners, trumps, readings."""
        found = [Slot(READING + key, 2, self.code.head.readings[key].asks) for key in self.readings]
        return rigid_slots(self.deck, self.seats) + found

    @cached_property
    def act_slots(self) -> list[Slot]:
        """The parameters of an act."""
        return act_slots(self.deck, self.seats)

    @cached_property
    def view(self) -> View:
        """The current state, as terms."""
        state = {s.name: s.term(self.suffix) for s in self.slots}
        return View(self.deck, self.table, state, {s.name: s.term() for s in self.rigid_slots})

    @cached_property
    def act(self) -> Act:
        """The act, as terms."""
        actor, cards, suit, seat, seen = (s.term() for s in self.act_slots)
        return Act(actor, cards, suit, seat, seen)

    @cached_property
    def kinds(self) -> list[ActKind]:
        """All kinds of act."""
        absent = {do for do, what in ONLY_WITH.items() if what not in self.table.covers}
        plain = [ActKind(do) for do in Do if do not in (Do.DEMAND, Do.WAIVE, *absent)]
        demands = [ActKind(Do.DEMAND, r.id, o.text, o.param) for r in self.rights.values() for o in r.options]
        return plain + demands + [ActKind(Do.WAIVE, r.id) for r in self.rights.values()]

    def kind(self, name: str) -> ActKind:
        """The kind of that name."""
        return next(k for k in self.kinds if k.name == name)

    # where it starts -----------------------------------------------------------------------------------------------

    @cached_property
    def arrangements(self) -> list[Groups]:
        """The partitions of the seats into sides that the game allows."""
        return arrangements(self.code.head.games[self.game].sides, self.seats)

    @cached_property
    def trump_suits(self) -> list[int]:
        """What may be trumps, as sets of suits: none, one of them."""
        suits = [1 << i for i in range(self.deck.suits)]
        return [*([0] if 0 in self.table.trumps else []), *(suits if 1 in self.table.trumps else [])]

    @property
    def leaders(self) -> range:
        """The seats of which one leads first, where deals that differ by turning the table are taken for one.

        The arrangements of every game are closed under turning it; only a declarer has a fixed seat.
        """
        return range(self.seats if self.table.declarer is not None else 1)

    @cached_property
    def rigid_condition(self) -> Bool:
        """What the rigid constants satisfy: an arrangement of the game, a trump suit or none, a choice a reading."""
        v = self.view
        sides = either(*(arrangement(v.rigid, g, self.seats) for g in self.arrangements))
        chosen = [z3.ULT(v.rigid[READING + k], len(c)) if len(c) < 4 else TRUE for k, c in self.readings.items()]
        return both(sides, mechanics.standing(v), *chosen)

    @cached_property
    def initial(self) -> Bool:
        """The initial states: any deal, any leader."""
        return mechanics.dealt(self.view)

    def dealt(self, hands: Sequence[int], leader: int, marks: Marks) -> dict[str, int]:
        """The fields that a deal fills: the hands, the seat that leads, and what else the deal says."""
        own = {f"own.{name}": hand for name, hand in zip(self.view.names, hands, strict=True)}
        return own | {"turn": 1 << leader} | dict(marks)

    # clauses -------------------------------------------------------------------------------------------------------

    @cached_property
    def twin(self) -> System:
        """The same system, of which clauses and precedences are removable."""
        return System(self.code, self.game, self.deck, self.suffix, removable=True)

    def removed(self, what: str) -> Bool:
        """The constant that says that a clause (`ID`) or a precedence (`ID over ID`) is struck out; false if none can be."""
        return z3.Bool(REMOVED + what) if self.removable else FALSE

    def in_force(self, clause: Clause) -> Bool:
        """Whether the readings chosen put the clause in force, and it is not struck out."""
        terms = [negate(self.removed(clause.id))]
        for key, choice in clause.under.items():
            index = self.readings[key].index(choice)
            terms.append(self.view.rigid[READING + key] == bits(index, 2))
        return both(*terms)

    def context(self, **changes: Any) -> Context:
        """The state as phrases are read against it; with what else they may speak of."""
        return Context(self.view, self.rights, lookup=self.right_state, struck=self.removed, **changes)

    def overriders(self, clause: Clause, *kinds: Kind) -> list[tuple[Clause, Bool]]:
        """The clauses of these kinds that prevail over the clause, each with whether that is not struck out."""
        found = [c for c in self.code.clauses if clause.id in c.overrides and c.kind in kinds]
        return [(c, negate(self.removed(precedence(c, clause)))) for c in found]

    def touched(self, clause: Clause, who: Bits, c: Context) -> Bits:
        """The players of `who` that no immunity takes out of the clause's reach."""
        for shield in self.code.of_kind(Kind.IMMUNITY):
            if clause.id in shield.from_ and shield.immunity:
                holds = both(self.in_force(shield), all_of(shield.while_, c), negate(any_of(shield.unless, c)))
                who = less(who, gate(holds, meaning(Sort.SEATS, shield.immunity, c)))
        return who

    def result(self, name: str) -> Bits:
        """The players for whom some clause has fixed that result."""
        slots = (self.view[result_of(c.id)] for c in self.code.of_kind(Kind.RESULT) if c.result == name)
        return union(slots, self.seats)

    # rights --------------------------------------------------------------------------------------------------------

    def right_state(self, right: Right, index: int) -> RightState:
        """What a right comes to against the player at `index`."""
        key = (right.id, index)
        if key not in self._states:
            self._states[key] = self._right_state(right, index)
        return self._states[key]

    def _right_state(self, right: Right, index: int) -> RightState:
        v, clause = self.view, right.clause
        he = v.seat(index)
        offenders = None if right.standing else v[right.pending]
        c = replace(self.context(he=he, right=right), offenders=offenders)
        assert clause.against is not None
        against = meaning(Sort.SEATS, clause.against, replace(c, he=None) if right.standing else c)
        if right.standing:
            against = self.touched(clause, against, c)
        owners = self._owners(right, c)
        spoken = v[right.spoken(index)]
        enforcers = less(less(owners, spoken), self._lost_to(right, c))
        closed = either(*(both(self.in_force(t), any_of(t.closed, c)) for t in right.terms if t.closed))
        usable = either(none(owners), some(enforcers))
        spent = both(bit(v[right.spent], index), negate(self.repeats(right))) if right.standing else FALSE
        outstanding = TRUE if right.standing else some(v[right.pending])
        arisen = both(self.in_force(clause), outstanding, bit(against, index), all_of(clause.while_, c))
        opened = both(arisen, negate(any_of(clause.unless, c)), negate(closed), negate(spent), usable)
        unheard = gate(arisen, less(v.adversaries(he), spoken)) if right.standing else v.nobody
        return RightState(opened, owners, enforcers, arisen, join(gate(opened, enforcers), unheard))

    @property
    def exactable(self) -> dict[tuple[str, int], Bits]:
        """For each right and the index of each player the players who may exact it from him now."""
        states = {(id_, i): self.right_state(right, i) for id_, right in self.rights.items() for i in range(self.seats)}
        return {key: gate(state.open, state.enforcers) for key, state in states.items()}

    def situation(self, index: int) -> list[Bool]:
        """What can be said of the player at `index`: rights that have arisen against him, or are open; demands that bind."""
        he, rights = self.view.seat(index), self.rights.values()
        arisen = [bit(self.view[right.pending], index) for right in rights if not right.standing]
        demands = [self.bound(r, o, he).binds for r in rights for o in r.options if o.binds]
        owing = [bit(self.view[field], index) for field in OMITTED if field in self.view.state]
        return [*owing, *arisen, *(self.right_state(right, index).open for right in rights), *demands]

    def repeats(self, right: Right) -> Bool:
        """Whether the right may be exacted anew at each trick."""
        return either(*(self.in_force(t) for t in right.terms if t.repeats))

    def _owners(self, right: Right, c: Context) -> Bits:
        owners: Bits = meaning(Sort.SEATS, right.clause.by or "either adversary", c)
        for t in right.terms:
            if t.by and t.id != right.id:
                owners = when(self.in_force(t), meaning(Sort.SEATS, t.by, c), owners)
        return owners

    def _lost_to(self, right: Right, c: Context) -> Bits:
        lost = [gate(self.in_force(t), meaning(Sort.SEATS, p, c)) for t in right.terms for p in t.lost_to]
        return union(lost, self.seats)

    def bound(self, right: Right, option: Option, he: Bits) -> Bound:
        """The demand of that kind which binds a player, if any."""
        v = self.view
        c = self.context(he=he, right=right)
        value, binds = v[right.value(option)], FALSE
        if option.param is Param.CARD:
            value = meet(value, v.hand(he))
            binds = some(value)
        elif option.param is Param.SUIT:
            binds = meets(v[right.target], he)
        else:
            binds = meets(value, he)
        excuses = [t for t in right.terms if t.excused]
        reach = value
        if option.wanted:
            in_reach = either(*(self.in_force(t) for t in excuses if any("without revoking" in e for e in t.excused)))
            reach = when(in_reach, meet(value, v.legal(he)), value)
        required = option.required(c, reach)
        looked_at = replace(c, required=option.wanted(c, value) if option.wanted else required)
        excused = either(*(both(self.in_force(t), any_of(t.excused, looked_at)) for t in excuses))
        return Bound(right, option, binds, required, excused)

    def bounds(self, he: Bits, do: Do) -> list[Bound]:
        """All demands that could bind that player in an act of that kind."""
        key = (he.get_id(), do)
        if key not in self._bounds:
            found = [self.bound(r, o, he) for r in self.rights.values() for o in r.options if do in o.acts]
            self._bounds[key] = he, found
        return self._bounds[key][1]

    def nameable(self, right: Right) -> Bits:
        """The cards that may be named in a demand under the right."""
        cards: Bits = meaning(Sort.CARDS, right.clause.cards or "liable cards", self.context())
        return cards

    @property
    def nameable_at_all(self) -> Bits:
        """The cards that may be named in a demand under some right."""
        about_cards = [r for r in self.rights.values() if any(o.param is Param.CARD for o in r.options)]
        return meet(union((self.nameable(r) for r in about_cards), self.deck.size), self.view.held)

    def disregarded(self, he: Bits) -> dict[str, Bool]:
        """Whether the player disobeys a demand, by right, if he does not play to the trick at all."""
        found: dict[str, Bool] = {}
        for b in self.bounds(he, Do.PLAY):
            if b.option.to_be_played and not b.option.forbids:
                name = f"comply {b.right.id}"
                found[name] = either(found.get(name, FALSE), both(b.binds, negate(b.excused)))
        return found

    # duties --------------------------------------------------------------------------------------------------------

    def forbidden(self, clause: Clause, c: Context) -> Bits | Bool:
        """What a duty forbids the player spoken of: cards to lead or play, or the act as such."""
        assert clause.duty is not None
        text, sort = (clause.must, Sort.MUST) if clause.must else (clause.must_not, Sort.ACTS)
        assert text is not None
        covered = meaning(sort, text, c)
        if is_zero(covered) or z3.is_false(covered):
            return covered
        yields = (both(prevails, self._binds(other, c)) for other, prevails in self.overriders(clause, Kind.DUTY))
        holds = both(self._binds(clause, c), *map(negate, yields))
        for free, prevails in self.overriders(clause, Kind.PERMISSION):
            assert free.permission is not None
            assert free.may is not None
            allowed = both(prevails, self._applies(free, c), meets(c.him, meaning(Sort.SEATS, free.permission, c)))
            what = meaning(Sort.ACTS, free.may, c)
            covered = (
                less(covered, gate(allowed, what)) if c.doing(*LAYING) else both(covered, negate(both(allowed, what)))
            )
        return gate(holds, covered) if c.doing(*LAYING) else both(holds, covered)

    def _applies(self, clause: Clause, c: Context) -> Bool:
        return both(self.in_force(clause), all_of(clause.while_, c), negate(any_of(clause.unless, c)))

    def read(self, sort: Sort, text: str, index: int) -> Any:
        """What a phrase means of the player at `index`.

        Raises:
            UnknownName: no phrase of that sort reads so.
        """
        return meaning(sort, text, self.context(he=self.view.seat(index)))

    def answerable(self, events: Iterable[str], kind: ActKind) -> Bits:
        """The players answerable for some event by an act of that kind."""
        self.step(kind)
        builder = self._builders[kind]
        return builder.event(events, builder.context)

    def speaks_of(self, clause: Clause, kind: ActKind) -> Bool:
        """Whether an act of that kind is an event that the clause speaks of, whoever is immune from it."""
        self.step(kind)
        builder = self._builders[kind]
        occurs = some(builder.event(clause.arises or clause.when, builder.context))
        return both(self.in_force(clause), occurs)

    def lies_against(self, right: Clause) -> Bits:
        """The players against whom a right that lies by the state alone would lie if nobody were immune."""
        found: Bits = meaning(Sort.SEATS, right.against or "", self.context())
        return gate(self.in_force(right), found)

    def shields(self, clause: Clause, who: Bits) -> Bool:
        """Whether an immunity takes the player out of the reach of the clauses that it names."""
        c = self.context(he=who, offenders=who)
        return both(self._applies(clause, c), meets(who, meaning(Sort.SEATS, clause.immunity or "", c)))

    def may_break(self, clause: Clause, do: Do) -> bool:
        """Whether the duty can be broken by an act of that kind at all."""
        return ActKind(do) in self.kinds and clause.id in self.step(ActKind(do)).broken

    def applies(self, clause: Clause) -> Bool | None:
        """Whether a duty, a permission or a right applies to somebody now; nothing for clauses of other kinds."""
        if clause.kind is Kind.RIGHT:
            return either(*(self.right_state(self.rights[clause.id], i).open for i in range(self.seats)))
        phrase = clause.duty or clause.permission
        if phrase is None:
            return None
        found = []
        for index in range(self.seats):
            c = self.context(he=self.view.seat(index))
            found.append(
                both(self._applies(clause, c), meets(c.him, self.touched(clause, meaning(Sort.SEATS, phrase, c), c)))
            )
        return either(*found)

    def _binds(self, clause: Clause, c: Context) -> Bool:
        assert clause.duty is not None
        who = self.touched(clause, meaning(Sort.SEATS, clause.duty, c), c)
        return both(self._applies(clause, c), meets(c.him, who))

    def laying_forbidden(self, do: Do, he: Bits) -> dict[str, Bits]:
        """For leading or playing: the cards that each duty, and each demand in force, forbids the player."""
        key = (he.get_id(), do)
        if key not in self._laying:
            self._laying[key] = he, self._laying_forbidden(do, he)
        return self._laying[key][1]

    def _laying_forbidden(self, do: Do, he: Bits) -> dict[str, Bits]:
        c = self.context(he=he, kind=ActKind(do))
        found: dict[str, Bits] = {}
        for clause in self.code.of_kind(Kind.DUTY):
            found[clause.id] = self.forbidden(clause, c)
        for b in self.bounds(he, do):
            name = f"comply {b.right.id}"
            cards = gate(both(b.binds, negate(b.excused)), less(self.deck.everything, b.required))
            found[name] = join(found.get(name, self.deck.nothing), cards)
        return {k: f for k, f in found.items() if not (z3.is_bv_value(f) and f.as_long() == 0)}

    def lawful_cards(self, do: Do, index: int) -> Bits:
        """The cards that the player at `index` may lawfully lead or play now."""
        v = self.view
        he = v.seat(index)
        table = v.empty_table if do is Do.LEAD else both(negate(v.empty_table), negate(bit(v.played, index)))
        cards = v.hands[index]
        for f in self.laying_forbidden(do, he).values():
            cards = less(cards, f)
        return gate(table, cards)

    def lawful_plain(self, do: Do, index: int) -> Bool:
        """Whether an act without parameters is possible and lawful for the player at `index`."""
        c = self._plain(do, index)
        assert c.act is not None
        broken = either(*(self.forbidden(clause, c) for clause in self.code.of_kind(Kind.DUTY)))
        return both(mechanics.possible(ActKind(do), self.view, c.act), negate(broken))

    def forbidden_plain(self, clause: Clause, do: Do, index: int) -> Bool:
        """Whether a duty forbids the player at `index` an act without parameters."""
        found = self.forbidden(clause, self._plain(do, index))
        assert z3.is_bool(found)
        return found

    def permitted(self, clause: Clause, do: Do, index: int) -> Bits:
        """The cards of his hand that a permission allows the player at `index` to lead, or to play."""
        v = self.view
        c = self.context(he=v.seat(index), kind=ActKind(do))
        table = v.empty_table if do is Do.LEAD else both(negate(v.empty_table), negate(bit(v.played, index)))
        return gate(
            both(table, self._permits(clause, c)), meet(v.hands[index], meaning(Sort.ACTS, clause.may or "", c))
        )

    def permitted_plain(self, clause: Clause, do: Do, index: int) -> Bool:
        """Whether a permission allows the player at `index` an act without parameters that he can do now."""
        c = self._plain(do, index)
        assert c.act is not None
        possible = mechanics.possible(ActKind(do), self.view, c.act)
        return both(possible, self._permits(clause, c), meaning(Sort.ACTS, clause.may or "", c))

    def _permits(self, clause: Clause, c: Context) -> Bool:
        return both(self._applies(clause, c), meets(c.him, meaning(Sort.SEATS, clause.permission or "", c)))

    def _plain(self, do: Do, index: int) -> Context:
        """The context of an act without parameters by the player at `index`."""
        v = self.view
        act = Act(v.seat(index), self.deck.nothing, bits(0, self.deck.suits), v.nobody, bits(0, 2))
        if do is Do.TAKE_BACK:
            act = replace(act, cards=mechanics.taken_back(v, act.actor))
        return self.context(he=act.actor, kind=ActKind(do), act=act)

    # steps ---------------------------------------------------------------------------------------------------------

    def step(self, kind: ActKind) -> Step:
        """What that kind of act is and does."""
        if kind not in self._steps:
            builder = self._builders[kind] = StepBuilder(self, kind)
            self._steps[kind] = builder.build()
        return self._steps[kind]

    def after(self, kind: ActKind, formula: Bool) -> Bool:
        """A formula over the state as it is after an act of that kind."""
        key = (kind, formula.get_id())
        if key not in self._after:
            said, changes = variables(formula), self.step(kind).changes.items()
            values = [(self.view.state[f], term) for f, term in changes if f in said]
            self._after[key] = formula, z3.substitute(formula, *values) if values else formula
        return self._after[key][1]

    @property
    def steps(self) -> list[Step]:
        """All kinds of act."""
        return [self.step(k) for k in self.kinds]

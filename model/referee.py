"""The referee: plays a case on the machine and tells, act by act, what the law says.

Nothing is decided here. An act is lawful, a right open, a card playable because the machine says so; the referee turns
its answers into the words of the law file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tricklaw.model.acting import meaning, why_not
from tricklaw.model.acts import ActKind, Param
from tricklaw.model.cards import SUIT_NAMES
from tricklaw.model.cases import Case, CaseAct
from tricklaw.model.errors import CaseError
from tricklaw.model.expectations import differences, differences_of_act
from tricklaw.model.judgement import DemandNow, Judgement, RightNow
from tricklaw.model.law import Clause, Code, Kind
from tricklaw.model.machine import Machine, Outcome, Rigid, State
from tricklaw.model.results import result_of
from tricklaw.model.sentences import Sentence
from tricklaw.model.system import System

_COMPLY = "comply "


@dataclass(frozen=True)
class Citation:
    """A clause that the ruling rests on.

    Attributes:
        id: its id; for a demand, that of the right.
        says: what it says, in the law file's words.
        ids: the ids it may be cited by: for a demand also the clauses that settle when it must be obeyed.
        demand: what is meant is a demand in force under that right.
        cards: for a bar, the cards that it forbids.
    """

    id: str
    says: str
    ids: tuple[str, ...]
    demand: bool = False
    cards: tuple[str, ...] = ()


@dataclass(frozen=True)
class OpenRight:
    """A right that may be exacted now: what, against whom, by whom, and the clauses that settle its terms."""

    id: str
    name: str
    against: str
    by: tuple[str, ...]
    owners: tuple[str, ...]
    demands: tuple[str, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True)
class InForce:
    """A demand in force: under which right, against whom, the cards that comply, and whether he is excused."""

    right: str
    against: str
    demand: str
    complies: tuple[str, ...]
    excused: bool


@dataclass(frozen=True)
class Fixed:
    """A result that the law has fixed: for whom, which (a key of `results.RESULTS`), by which clause."""

    player: str
    result: str
    clause: str


@dataclass(frozen=True)
class Standing:
    """What the law says of a state, in words. Mappings hold only players of whom there is something to say.

    Attributes:
        turn: whose turn it is to lead or play.
        trick: the cards of the trick, by player.
        liable: the cards liable to be called.
        rights: the rights open.
        demands: the demands in force.
        bars: what keeps the player to act from some of his cards.
        may: the cards that a player may lawfully lead or play now.
        takes_back: those who may lawfully take a card back.
        quits: those who may lawfully turn and quit.
        over: the hand is over.
        results: the results that the law has fixed.
    """

    turn: tuple[str, ...]
    trick: Mapping[str, tuple[str, ...]]
    liable: Mapping[str, tuple[str, ...]]
    rights: tuple[OpenRight, ...]
    demands: tuple[InForce, ...]
    bars: tuple[Citation, ...]
    may: Mapping[str, tuple[str, ...]]
    takes_back: tuple[str, ...]
    quits: tuple[str, ...]
    over: bool
    results: tuple[Fixed, ...] = ()


@dataclass(frozen=True)
class Ruling:
    """What the law says of one act.

    Attributes:
        number: the act's, from 1.
        text: the act.
        kind: the name of its kind; of a demand or waiver it tells the right.
        broken: the duties it breaks.
        fired: the clauses it sets off.
        after: the state after it.
        differences: where the ruling is not what the case expects.
    """

    number: int
    text: str
    kind: str
    broken: tuple[Citation, ...]
    fired: tuple[Citation, ...]
    after: Standing
    differences: tuple[str, ...] = ()

    @property
    def lawful(self) -> bool:
        """The act breaks no duty."""
        return not self.broken


@dataclass(frozen=True)
class Hearing:
    """A case with all its rulings."""

    case: Case
    before: Standing
    rulings: tuple[Ruling, ...]
    differences: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """All is as the case expects."""
        return not self.differences and not any(ruling.differences for ruling in self.rulings)


def hear(case: Case) -> Hearing:
    """Rule on a case.

    Raises:
        CaseError: an act cannot physically be done, or it is not clear which right is meant.
    """
    try:
        referee = Referee(machine_of(case.code, case.game))
    except CaseError as error:
        raise CaseError(error.message, case.place) from None
    rigid = referee.machine.rigid(case.groups, case.trumps, case.readings)
    state = referee.machine.initial(case.deal, case.leader, case.marks)
    before = referee.standing(state, rigid)
    rulings = []
    for number, act in enumerate(case.acts, 1):
        ruling, state = referee.rule_expected(number, act, state, rigid)
        rulings.append(ruling)
    return Hearing(case, before, tuple(rulings), tuple(differences(case.expect, before)))


_MACHINES: list[tuple[tuple[Clause, ...], str, Machine]] = []


def machine_of(code: Code, game: str) -> Machine:
    """The machine of a code that is restricted to a game; the same machine for the same clauses.

    Raises:
        CaseError: a clause speaks of one that has been left out.
    """
    for clauses, name, machine in _MACHINES:
        if (clauses, name) == (code.clauses, game):
            return machine
    try:
        machine = Machine(System(code, game))
    except KeyError as error:
        what = f"another clause speaks of {error.args[0]!r}, which is left out; leave that clause out too"
        raise CaseError(what) from None
    _MACHINES.append((code.clauses, game, machine))
    return machine


class Referee:
    """Tells a machine's answers in the words of its code."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._clauses = {clause.id: clause for clause in machine.system.code.clauses}
        self._fixing = machine.system.code.of_kind(Kind.RESULT)
        self._citations: dict[str, Citation] = {}
        self._names: dict[int, tuple[str, ...]] = {}
        self._open: dict[RightNow, OpenRight] = {}
        self._players = [tuple(machine.seats(seats)) for seats in range(1 << len(machine.names))]

    # acts ----------------------------------------------------------------------------------------------------------

    def rule_expected(self, number: int, act: CaseAct, state: State, rigid: Rigid) -> tuple[Ruling, State]:
        """The ruling of an act of a case, with where it differs from what is expected, and the next state.

        Raises:
            CaseError: the act cannot be done, or its right is not clear; with its place.
        """
        try:
            ruling, state = self.rule(number, act.sentence, state, rigid)
        except CaseError as error:
            raise CaseError(error.message, act.place) from None
        found = tuple(differences_of_act(act.expect, ruling))
        return replace(ruling, differences=found), state

    def rule(self, number: int, sentence: Sentence, state: State, rigid: Rigid) -> tuple[Ruling, State]:
        """The ruling of an act, and the next state.

        Raises:
            CaseError: the act cannot be done, or its right is not clear.
        """
        kind, deed = meaning(sentence, self.machine, self.machine.judge(state, rigid))
        outcome = self.machine.step(state, rigid, kind, deed)
        if not outcome.possible:
            raise CaseError(f"{sentence}: {why_not(kind, deed, self.machine, state, rigid)}")
        return self.ruling(number, str(sentence), kind, outcome, rigid), outcome.state

    def ruling(self, number: int, text: str, kind: ActKind, outcome: Outcome, rigid: Rigid) -> Ruling:
        """The ruling of an act that the machine has played."""
        after = self.standing(outcome.state, rigid)
        return Ruling(number, text, kind.name, self._cited(outcome.broken), self._cited(outcome.fired), after)

    def _cited(self, names: Iterable[str]) -> tuple[Citation, ...]:
        return tuple(self.citation(name) for name in names)

    def citation(self, name: str) -> Citation:
        """The clause of that id, or, for `comply ID`, the demand under that right."""
        if name not in self._citations:
            self._citations[name] = self._citation(name)
        return self._citations[name]

    def _citation(self, name: str) -> Citation:
        if not name.startswith(_COMPLY):
            return Citation(name, self._clauses[name].says, (name,))
        right = self.machine.system.rights[name.removeprefix(_COMPLY)]
        terms = tuple(t.id for t in right.terms if t.excused and t.id != right.id)
        says = f"A lawful demand binds the player called on (the right to {right.name})."
        return Citation(right.id, says, (right.id, *terms), True)

    # states --------------------------------------------------------------------------------------------------------

    def standing(self, state: State, rigid: Rigid) -> Standing:
        """What the law says of a state."""
        judged, read = self.machine.judge(state, rigid), self.machine.read
        return Standing(
            self._players[judged.to_act],
            self._held(state, read(state, "trick")),
            self._held(state, read(state, "liable")),
            tuple(self._right(now) for now in judged.open_rights()),
            tuple(self._in_force(now, state) for now in judged.demands()),
            tuple(self._bar(name, cards) for name, cards in judged.bars().items()),
            self._may(judged),
            self._players[judged.takes_back],
            self._players[judged.quits],
            judged.over,
            tuple(self._results(state)),
        )

    def _results(self, state: State) -> Iterator[Fixed]:
        """What the law has fixed as the result, clause by clause."""
        for clause in self._fixing:
            for player in self._players[self.machine.read(state, result_of(clause.id))]:
                yield Fixed(player, clause.result or "", clause.id)

    def _held(self, state: State, cards: int) -> dict[str, tuple[str, ...]]:
        """Whose the cards are."""
        if not cards:
            return {}
        owned = {name: cards & self.machine.read(state, f"own.{name}") for name in self.machine.names}
        return {name: self.names(mine) for name, mine in owned.items() if mine}

    def names(self, cards: int) -> tuple[str, ...]:
        """The names of cards."""
        if cards not in self._names:
            self._names[cards] = tuple(self.machine.deck.names(cards))
        return self._names[cards]

    def _may(self, judged: Judgement) -> dict[str, tuple[str, ...]]:
        lays = {name: judged.lays(i) for i, name in enumerate(self.machine.names)}
        return {name: self.names(cards) for name, cards in lays.items() if cards}

    def _right(self, now: RightNow) -> OpenRight:
        if now not in self._open:
            right, seats = self.machine.system.rights[now.right], self._players
            terms = tuple(t.id for t in right.terms if t.id != right.id)
            options = tuple(option.text for option in right.options)
            against = self.machine.names[now.seat]
            self._open[now] = OpenRight(
                right.id, right.name, against, seats[now.enforcers], seats[now.owners], options, terms
            )
        return self._open[now]

    def _in_force(self, now: DemandNow, state: State) -> InForce:
        right = self.machine.system.rights[now.right]
        option = next(o for o in right.options if o.text == now.option)
        value, he = self.machine.read(state, right.value(option)), self.machine.names[now.seat]
        hand = self.machine.hand(state, now.seat)
        text = now.option
        if option.param is Param.CARD:
            text = text.replace("that card", " and ".join(self.names(value & hand)))
        elif option.param is Param.SUIT:
            text = text.replace("that suit", " and ".join(n for i, n in enumerate(SUIT_NAMES) if value >> i & 1))
        return InForce(right.id, he, text, self.names(now.required & hand), now.excused)

    def _bar(self, name: str, cards: int) -> Citation:
        cited = self.citation(name)
        return Citation(cited.id, cited.says, cited.ids, cited.demand, self.names(cards))

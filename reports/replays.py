"""A witness played again by the referee, with a picture of the table after each act as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tricklaw.model.acting import why_not
from tricklaw.model.acts import ActKind, Do, Param
from tricklaw.model.deals import parse_marks
from tricklaw.model.errors import CaseError, nearest
from tricklaw.model.law import Code
from tricklaw.model.machine import Deed, Machine, Rigid, State
from tricklaw.model.referee import OpenRight, Referee, Ruling, Standing, machine_of
from tricklaw.model.rights import Right
from tricklaw.model.sentences import parse_suit
from tricklaw.solver.verdicts import Witness, WitnessAct
from tricklaw.solver.witness import WATCHERS

T = TypeVar("T")

SEEN = {who: value for value, who in enumerate(WATCHERS)}
"""Who sees cards that are shown, as a witness writes it."""


@dataclass(frozen=True)
class Position:
    """The cards on the table and in the hands. Cards by player are in the order of their coming there.

    Attributes:
        hands: the cards held.
        trick: the cards of the trick.
        turning: the cards of the preceding trick that are not yet turned and quitted.
        liable: the cards liable to be called.
        faced: the cards that lie face up before their holder.
        thrown: the cards thrown together, of which none is yet indicated.
        order: all cards of the trick, in the order of play.
        turn: who is to lead or play.
    """

    hands: Mapping[str, tuple[str, ...]]
    trick: Mapping[str, tuple[str, ...]]
    turning: Mapping[str, tuple[str, ...]]
    liable: frozenset[str]
    faced: frozenset[str]
    thrown: frozenset[str]
    order: tuple[str, ...]
    turn: tuple[str, ...]

    @cached_property
    def where(self) -> dict[str, tuple[str, ...]]:
        """For each card in play: the place, the player, and what marks it."""
        marks = {"liable": self.liable, "face up": self.faced, "thrown": self.thrown}
        places = (("hand", self.hands), ("table", self.trick), ("table", self.turning))
        return {
            name: (place, player, *(mark for mark, marked in marks.items() if name in marked))
            for place, held in places
            for player, names in held.items()
            for name in names
        }

    def changed_from(self, before: Position) -> frozenset[str]:
        """The cards that lie elsewhere than before, or otherwise."""
        return frozenset(name for name, where in self.where.items() if before.where.get(name) != where)

    def marks(self, name: str) -> tuple[str, ...]:
        """What marks a card: `liable`, `face up`, `thrown`."""
        return self.where.get(name, ("", ""))[2:]


@dataclass(frozen=True)
class Moment:
    """The table before the first act, or after one."""

    state: State
    standing: Standing
    position: Position


@dataclass(frozen=True)
class Move:
    """An act of the play, its kind, what the referee rules on it, and the table before and after."""

    number: int
    act: WitnessAct
    kind: ActKind
    ruling: Ruling
    before: Moment
    after: Moment


class Play:
    """A witness with every moment of it.

    Attributes:
        witness: what is played.
        code: the code, restricted to the game.
        machine: what plays it.
        referee: who rules on it.
        first: the table before the first act.
        moves: the acts.
    """

    def __init__(self, witness: Witness, code: Code, game: str) -> None:
        """Play it.

        Parameters:
            witness: what to play.
            code: the code, restricted to the game.
            game: the game.

        Raises:
            TricklawError: an act cannot be done, or the witness does not fit the code.
        """
        self.witness, self.code = witness, code
        self.machine: Machine = machine_of(code, game)
        self.referee = Referee(self.machine)
        self.rigid = self._rigid()
        self.first = self._first()
        self.moves: list[Move] = []
        for act in witness.acts:
            self.add(act)

    # the table -----------------------------------------------------------------------------------------------------

    def _rigid(self) -> Rigid:
        w = self.witness
        groups = _checked(lambda: self.machine.groups(w.sides))
        return self.machine.rigid(groups, parse_suit(w.trumps), w.readings)

    def _first(self) -> Moment:
        w = self.witness
        deal = {name: self._set(w.deal.get(name, ())) for name in self.players}
        marks = _checked(lambda: parse_marks(w.marks, self.machine.deck, self.players))
        return self._moment(_checked(lambda: self.machine.initial(deal, w.leader, marks)), ())

    def add(self, act: WitnessAct) -> None:
        """Play one more act.

        Raises:
            CaseError: it cannot be done; nothing has changed then.
        """
        before, number = self.last, len(self.moves) + 1
        if act.act not in self.machine.kinds:
            raise CaseError(f"act {number}: no kind of act is called {act.act!r}{nearest(act.act, self.machine.kinds)}")
        kind, deed = self.machine.kinds[act.act], self._deed(act)
        outcome = self.machine.step(before.state, self.rigid, kind, deed)
        if not outcome.possible:
            raise CaseError(f"act {number}: {why_not(kind, deed, self.machine, before.state, self.rigid)}")
        ruling = self.referee.ruling(number, act.text, kind, outcome, self.rigid)
        after = self._moment(outcome.state, before.position.order)
        self.moves.append(Move(number, act, kind, ruling, before, after))

    def _deed(self, act: WitnessAct) -> Deed:
        if act.seen not in SEEN:
            raise CaseError(f"{act.seen!r} does not say who sees a card; write {', '.join(filter(None, SEEN))}")
        actor, seat = self._seat(act.actor), self._seat(act.seat) if act.seat else 0
        return Deed(actor, self._set(act.cards), parse_suit(act.suit), seat, SEEN[act.seen])

    def _set(self, names: Iterable[str]) -> int:
        return _checked(lambda: self.machine.deck.parse(" ".join(names)))

    def _seat(self, name: str) -> int:
        return _checked(lambda: self.machine.seat(name))

    def _moment(self, state: State, order: tuple[str, ...]) -> Moment:
        standing = self.referee.standing(state, self.rigid)
        return Moment(state, standing, self._position(state, standing, order))

    def _position(self, state: State, standing: Standing, order: tuple[str, ...]) -> Position:
        read, names = self.machine.read, self.referee.names
        trick, prev = read(state, "trick"), read(state, "prev")
        owned = {name: read(state, f"own.{name}") for name in self.players}
        lying = names(trick)
        return Position(
            hands={name: names(own & ~(trick | prev)) for name, own in owned.items()},
            trick={name: names(own & trick) for name, own in owned.items() if own & trick},
            turning={name: names(own & prev) for name, own in owned.items() if own & prev},
            liable=frozenset(names(read(state, "liable"))),
            faced=frozenset(names(read(state, "faced"))),
            thrown=frozenset(names(read(state, "thrown"))),
            order=tuple(c for c in order if c in lying) + tuple(c for c in lying if c not in order),
            turn=standing.turn,
        )

    # what is asked of it -------------------------------------------------------------------------------------------

    @property
    def players(self) -> tuple[str, ...]:
        """The players in the order of play."""
        return self.machine.names

    @property
    def last(self) -> Moment:
        """The table after the last act."""
        return self.moves[-1].after if self.moves else self.first

    def partners(self, player: str) -> tuple[str, ...]:
        """The partners of a player."""
        return tuple(p for side in self.witness.sides if player in side for p in side if p != player)

    @property
    def erred(self) -> tuple[str, ...]:
        """Those who have broken a duty in the play."""
        guilty = {move.act.actor for move in self.moves if not move.ruling.lawful}
        return tuple(p for p in self.players if p in guilty)

    def right(self, clause_id: str) -> Right:
        """The right of that id."""
        return self.machine.system.rights[clause_id]

    def rights_cited(self, cited: str) -> list[Right]:
        """The rights that a part of a property is about, by the law it is cited by; all for the whole."""
        return [r for r in self.machine.system.rights.values() if cited in ("", r.id, r.cited)]

    def givers(self, right: Right) -> list[str]:
        """The clauses in force that give a right, and say whose it is."""
        defaults = {key: choices[0] for key, choices in self.machine.system.readings.items()}
        chosen = defaults | dict(self.witness.readings)
        by = [t.id for t in right.terms if t.by and t.id != right.id and t.under.items() <= chosen.items()]
        return [right.id, *by]

    def nameable(self, moment: Moment, open_right: OpenRight) -> tuple[str, ...]:
        """The cards that may be named in a demand under an open right, as the machine allows them."""
        right, he = self.right(open_right.id), self.machine.seat(open_right.against)
        held = self.machine.hand(moment.state, self.players.index(open_right.against))
        found = 0
        for option in (o for o in right.options if o.param is Param.CARD):
            kind = ActKind(Do.DEMAND, right.id, option.text, option.param)
            for actor in map(self.machine.seat, open_right.by):
                for one in (1 << i for i in range(self.machine.deck.size) if held >> i & 1):
                    if self.machine.step(moment.state, self.rigid, kind, Deed(actor, one, 0, he)).legit:
                        found |= one
        return self.referee.names(found)


def _checked(read: Callable[[], T]) -> T:
    """What is read; what does not fit is told as an error of the witness."""
    try:
        return read()
    except ValueError as error:
        raise CaseError(f"the play does not fit the table: {error}") from None

"""The rights register: one place for each right of a code, and what a right comes to in a given state.

A *standing* right (one without `arises`) lies as long as its `against` phrase names somebody: such is the right to
call a liable card. Any other right takes a place in the register when its event occurs: the offenders stand in `pending` until
the right is exacted or lost. What has been demanded, and of whom, is kept until the player concerned has led or played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tricklaw.model.acts import Do, Param
from tricklaw.model.cards import Deck
from tricklaw.model.law import Clause
from tricklaw.model.state import Slot
from tricklaw.model.table import SEAT_NAMES
from tricklaw.model.terms import Bits, Bool

if TYPE_CHECKING:
    from tricklaw.model.phrases.context import Context


@dataclass(frozen=True)
class Option:
    """One thing that a right allows to demand."""

    text: str
    param: Param
    required: Callable[[Context, Bits], Bits]
    """(context of the player bound, value demanded) -> the set of cards that comply."""
    acts: tuple[Do, ...] = (Do.LEAD, Do.PLAY)
    """The acts that the demand binds; none where it takes effect at once."""
    wanted: Callable[[Context, Bits], Bits] | None = None
    """The cards that an excuse looks at, where they are not those that comply."""
    effect: Callable[[Context], None] | None = None
    """What the demand brings about at once."""
    of_trick: bool = False
    """It is about the trick on the table, and over with it."""

    @property
    def to_be_played(self) -> bool:
        """Whether it is about the card that the player plays, and over if he omits to play."""
        return Do.PLAY in self.acts and Do.TAKE_BACK not in self.acts

    @property
    def forbids(self) -> bool:
        """Whether it is obeyed by doing nothing."""
        return self.text.startswith("do not ")

    @property
    def binds(self) -> bool:
        """Whether the demand binds the player's next card; else it takes effect at once."""
        return bool(self.acts)


@dataclass(frozen=True)
class RightState:
    """What a right comes to against one player in one state."""

    open: Bool
    """It may be exacted from him now (by whom is another question)."""
    owners: Bits
    """Those whom the law gives it to."""
    enforcers: Bits
    """The owners who have not let it go."""
    lies: Bool
    """It lies against him, whether or not it is closed or let go: an adversary may state that he does not exact it."""
    speakers: Bits
    """Those whose word would make a difference: who may exact it or let it go or, where it lies, state that he does not."""


@dataclass(frozen=True)
class Right:
    """A right of a code with every clause that settles its terms."""

    clause: Clause
    terms: tuple[Clause, ...]
    options: tuple[Option, ...]
    deck: Deck = field(repr=False)
    seats: int = 4

    @property
    def id(self) -> str:
        """The id of the clause that gives it."""
        return self.clause.id

    @property
    def cited(self) -> str:
        """The law by which the right is cited: the sentence that says who may exact it."""
        by = [t.id for t in self.terms if t.by and t.id != self.id]
        sentences = {i.rstrip("abcdef") for i in by} if len(by) > 1 else set(by)
        return sentences.pop() if len(sentences) == 1 else self.id

    @property
    def name(self) -> str:
        """What it is a right to."""
        return self.clause.right or self.id

    @property
    def standing(self) -> bool:
        """Whether it lies by the state alone, without an event."""
        return not self.clause.arises

    @property
    def pending(self) -> str:
        """The field of the offenders whose penalty is outstanding."""
        return f"{self.id}/pending"

    def spoken(self, index: int) -> str:
        """The field of those who have exacted or let go, against the player at `index` (standing) or at all."""
        return f"{self.id}/spoken.{SEAT_NAMES[self.seats][index]}" if self.standing else f"{self.id}/spoken"

    @property
    def spent(self) -> str:
        """The field of the players against whom a standing right that does not repeat has been used up."""
        return f"{self.id}/spent"

    @property
    def target(self) -> str:
        """The field of the players bound by a demand for a suit."""
        return f"{self.id}/target"

    def value(self, option: Option) -> str:
        """The field of what has been demanded: cards, suits, or the players bound."""
        return f"{self.id}/{option.text}"

    def slots(self) -> list[Slot]:
        """The fields that the right adds to the state."""
        names = SEAT_NAMES[self.seats]
        slots = []
        if self.standing:
            slots += [Slot(self.spoken(i), self.seats, f"who has spoken about {n}") for i, n in enumerate(names)]
            slots.append(Slot(self.spent, self.seats, "against whom it is used up"))
        else:
            slots.append(Slot(self.pending, self.seats, "offenders whose penalty is outstanding"))
            slots.append(Slot(self.spoken(0), self.seats, "who has let it go"))
        if any(o.param is Param.SUIT for o in self.options):
            slots.append(Slot(self.target, self.seats, "who must lead the suit called"))
        widths = {Param.CARD: self.deck.size, Param.SUIT: self.deck.suits, Param.NOTHING: self.seats}
        slots += [Slot(self.value(o), widths[o.param], f"demanded: {o.text}") for o in self.options if o.binds]
        return slots

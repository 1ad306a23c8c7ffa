"""The acts that a player can physically do, as kinds with parameters.

Every act has an actor; the other parameters are sets of cards, a suit, the player addressed, and who sees a card shown.
Demands and waivers are of as many kinds as the code has rights and things to demand.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tricklaw.model.cards import Deck
from tricklaw.model.state import Slot
from tricklaw.model.table import CLAIMS, OMISSIONS, WRONG_NUMBERS
from tricklaw.model.terms import Bits


class Do(StrEnum):
    """What is done."""

    LEAD = "lead"
    PLAY = "play"
    AGAIN = "lay another card"
    THROW = "throw cards together"
    FACE = "face a card"
    PICK_UP = "pick up a faced card"
    SHOW = "show cards"
    NAME = "name a card"
    BOAST = "say that the rest are ours"
    ATTENTION = "draw attention"
    TAKE_BACK = "take a card back"
    QUIT = "turn and quit"
    WAIT = "let time pass"
    DEMAND = "demand"
    WAIVE = "waive"
    FIND = "point out a wrong number of cards"
    LAY_OPEN = "lay the hand open"
    CLAIM = "claim the game"
    GIVE_UP = "give up"
    OMIT = "omit to play"
    ADD = "add the card omitted"


class Param(StrEnum):
    """What a demand is about, besides its being made."""

    NOTHING = "nothing"
    CARD = "card"
    SUIT = "suit"


ONLY_WITH = {
    Do.FIND: WRONG_NUMBERS,
    Do.LAY_OPEN: CLAIMS,
    Do.CLAIM: CLAIMS,
    Do.GIVE_UP: CLAIMS,
    Do.OMIT: OMISSIONS,
    Do.ADD: OMISSIONS,
}
"""The acts that there are only where the law speaks of such things."""

LAYING = (Do.LEAD, Do.PLAY)
"""The acts that bring a card into a trick."""

WORDS = (Do.DEMAND, Do.WAIVE, Do.ATTENTION, Do.BOAST, Do.NAME, Do.WAIT, Do.FIND, Do.CLAIM, Do.GIVE_UP)
"""The acts that move no card."""


@dataclass(frozen=True)
class ActKind:
    """A kind of act; demands and waivers name their right, demands also what is demanded."""

    do: Do
    right: str = ""
    option: str = ""
    param: Param = Param.NOTHING

    @property
    def name(self) -> str:
        """A stable name: `lead`, `demand AW.VII.4.1: play that card`."""
        if self.do is Do.DEMAND:
            return f"demand {self.right}: {self.option}"
        if self.do is Do.WAIVE:
            return f"waive {self.right}"
        return self.do.value


@dataclass(frozen=True)
class Act:
    """The parameters of an act as terms (or the names of its fields)."""

    actor: Bits
    cards: Bits
    suit: Bits
    seat: Bits
    seen: Bits


def act_slots(deck: Deck, seats: int) -> list[Slot]:
    """The fields of an act."""
    return [
        Slot("act.actor", seats, "who acts"),
        Slot("act.cards", deck.size, "the cards concerned"),
        Slot("act.suit", deck.suits, "the suit demanded"),
        Slot("act.seat", seats, "the player addressed"),
        Slot("act.seen", 2, "who sees: 1 a partner, 2 both adversaries at once"),
    ]


PARTNER_SEES, ADVERSARIES_SEE = 1, 2
"""The bits of `act.seen`."""

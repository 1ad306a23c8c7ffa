"""Phrases for acts that a clause forbids or permits (`must not`, `may`) or requires (`must`).

For leading and playing they return the set of cards concerned (all cards: the act as such); for any other act, a
Boolean. A `must` phrase returns what it rules out.
"""

from __future__ import annotations

from tricklaw.model.acts import LAYING, Do
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.table import CLAIMS, OMISSIONS
from tricklaw.model.terms import FALSE, TRUE, Bits, Bool, gate, less, meet, meets, negate, none, some

Covered = Bits | Bool
"""A set of cards for leading and playing, a Boolean for any other act."""


def _cards(c: Context, covered: Bits, *do: Do) -> Covered:
    if c.doing(*do):
        return covered
    return c.deck.nothing if c.doing(*LAYING) else FALSE


def _flag(c: Context, condition: Bool, *do: Do) -> Covered:
    if c.doing(*LAYING):
        return c.deck.nothing
    return condition if c.doing(*do) else FALSE


@phrase(Sort.ACTS, "lead")
def lead(c: Context) -> Covered:
    """Leading any card."""
    return _cards(c, c.deck.everything, Do.LEAD)


@phrase(Sort.ACTS, "play")
def play(c: Context) -> Covered:
    """Playing any card to a trick already led to."""
    return _cards(c, c.deck.everything, Do.PLAY)


@phrase(Sort.ACTS, "lead or play")
def lay(c: Context) -> Covered:
    """Leading or playing any card."""
    return _cards(c, c.deck.everything, *LAYING)


@phrase(Sort.ACTS, "lead out of turn")
def lead_out_of_turn(c: Context) -> Covered:
    """Leading when another has the right to."""
    return _cards(c, gate(negate(c.him == c.view["turn"]), c.deck.everything), Do.LEAD)


@phrase(Sort.ACTS, "play out of turn")
def play_out_of_turn(c: Context) -> Covered:
    """Playing to a trick when another is next in rotation."""
    return _cards(c, gate(negate(c.him == c.view.next_to_play), c.deck.everything), Do.PLAY)


@phrase(Sort.ACTS, "lead before the preceding trick is turned and quitted")
def lead_early(c: Context) -> Covered:
    """Leading while cards of the preceding trick are still face up."""
    return _cards(c, gate(negate(c.view.turned), c.deck.everything), Do.LEAD)


@phrase(Sort.ACTS, "lead or play a liable card")
def lay_liable(c: Context) -> Covered:
    """Leading or playing a card liable to be called."""
    return _cards(c, c.view["liable"], *LAYING)


@phrase(Sort.ACTS, "lead or play another card than a liable one")
def lay_other(c: Context) -> Covered:
    """Leading or playing a card that is not liable to be called."""
    return _cards(c, less(c.deck.everything, c.view["liable"]), *LAYING)


@phrase(Sort.ACTS, "expose a card")
def expose(c: Context) -> Covered:
    """Facing a card that is not liable, letting others see cards, naming a card."""
    condition = negate(meets(c.cards, c.view["liable"])) if c.doing(Do.FACE) else TRUE
    return _flag(c, condition, Do.FACE, Do.SHOW, Do.NAME)


@phrase(Sort.ACTS, "say that the rest are his")
def boast(c: Context) -> Covered:
    """Saying that one's side wins all that is left."""
    return _flag(c, TRUE, Do.BOAST)


@phrase(Sort.ACTS, "lay down several cards")
def lay_several(c: Context) -> Covered:
    """Throwing cards together, or laying another after the one led or played."""
    return _flag(c, TRUE, Do.THROW, Do.AGAIN)


@phrase(Sort.ACTS, "take a card back")
def take_back(c: Context) -> Covered:
    """Taking back a card from a trick that is not turned and quitted."""
    return _flag(c, TRUE, Do.TAKE_BACK)


@phrase(Sort.ACTS, "give up", CLAIMS)
def give_up(c: Context) -> Covered:
    """Giving the game up as lost."""
    return _flag(c, TRUE, Do.GIVE_UP)


@phrase(Sort.ACTS, "omit to play", OMISSIONS)
def omit(c: Context) -> Covered:
    """Letting the trick be complete without a card of one's own."""
    return _flag(c, TRUE, Do.OMIT)


@phrase(Sort.ACTS, "take up a liable card")
def take_up_liable(c: Context) -> Covered:
    """Putting a faced card that is liable back among the others in hand."""
    return _flag(c, meets(c.cards, c.view["liable"]), Do.PICK_UP)


@phrase(Sort.ACTS, "demand what he has no right to")
def demand_wrongly(c: Context) -> Covered:
    """Demanding a penalty that one is not entitled to exact now."""
    return _flag(c, negate(c.legit), Do.DEMAND)


@phrase(Sort.MUST, "follow suit if he can")
def follow_suit(c: Context) -> Covered:
    """Rules out cards of another suit while he holds one of the suit led; so for a card added to the preceding trick."""
    if c.doing(Do.ADD):
        return none(meet(c.cards, c.view.follow_before(c.him)))
    return _cards(c, less(c.deck.everything, c.view.follow(c.him)), Do.PLAY)


@phrase(Sort.MUST, "place his liable cards face up")
def place_faced(c: Context) -> Covered:
    """Rules out leading or playing another card while a liable one of his is not face up on the table."""
    hidden = less(meet(c.view.hand(c.him), c.view["liable"]), c.view["faced"])
    return _cards(c, gate(some(hidden), less(c.deck.everything, c.view["liable"])), *LAYING)


@phrase(Sort.MUST, "indicate which card he leads or plays")
def indicate(c: Context) -> Covered:
    """Rules out leading or playing a card that is not among those he threw together."""
    mine = meet(c.view.hand(c.him), c.view["thrown"])
    return _cards(c, gate(some(mine), less(c.deck.everything, mine)), *LAYING)


@phrase(Sort.MUST, "take his card back")
def take_it_back(c: Context) -> Covered:
    """Rules out leading or playing until he has taken his card back."""
    return _cards(c, c.deck.everything, *LAYING)


BY_THE_CARD = ("follow suit if he can", "indicate which card he leads or plays")
"""What is done by the card led or played itself; the other duties to do something are obeyed by an act before it."""

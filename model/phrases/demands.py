"""Phrases for what a right allows to demand: always a set of cards for the next card of the player concerned."""

from __future__ import annotations

from collections.abc import Callable

from tricklaw.model.acts import Do, Param
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.rights import Option
from tricklaw.model.terms import Bits, at_most_one, gate, join, less, meet, meets, none, when


def _demand(text: str, param: Param, *acts: Do) -> Callable[[Callable[..., Bits]], Callable[..., Bits]]:
    def register(function: Callable[..., Bits]) -> Callable[..., Bits]:
        def option() -> Option:
            wanted = _called if text == "play that card" else None
            return Option(text, param, function, acts, wanted, of_trick=text == "take back the card led")

        option.__doc__ = function.__doc__
        phrase(Sort.DEMAND, text)(option)
        return function

    return register


def _called(c: Context, called: Bits) -> Bits:
    return meet(called, c.view.hand(c.him))


@_demand("play that card", Param.CARD, Do.LEAD, Do.PLAY)
def play_card(c: Context, called: Bits) -> Bits:
    """The liable card named; where two are called, no card complies with both."""
    mine = meet(called, c.view.hand(c.him))
    return when(none(mine), c.deck.everything, gate(at_most_one(mine), mine))


@_demand("do not play that card", Param.CARD, Do.PLAY)
def not_that_card(c: Context, called: Bits) -> Bits:
    """Any card but the liable one named."""
    return less(c.deck.everything, called)


@_demand("do not ruff with that card", Param.CARD, Do.PLAY)
def not_ruff(c: Context, called: Bits) -> Bits:
    """Any card but the liable trump named, when a plain suit is led."""
    ruffs = when(meets(c.view.suit_led, c.view.trumps), c.deck.nothing, called)
    return less(c.deck.everything, ruffs)


@_demand("lead that suit", Param.SUIT, Do.LEAD)
def lead_suit(c: Context, suits: Bits) -> Bits:
    """The cards of the suit named; where two suits are called, no card complies with both."""
    return gate(at_most_one(suits), c.deck.cards_of(suits))


def _of_suit_led(c: Context) -> Bits:
    return meet(c.view.hand(c.him), c.view.suit_led)


@_demand("play the highest of the suit led", Param.NOTHING, Do.PLAY)
def highest(c: Context, _: Bits) -> Bits:
    """His highest card of the suit led; anything if he has none of it."""
    suit = _of_suit_led(c)
    return when(none(suit), c.deck.everything, c.deck.highest(suit))


@_demand("play the lowest of the suit led", Param.NOTHING, Do.PLAY)
def lowest(c: Context, _: Bits) -> Bits:
    """His lowest card of the suit led; anything if he has none of it."""
    suit = _of_suit_led(c)
    return when(none(suit), c.deck.everything, c.deck.lowest(suit))


@_demand("trump the trick", Param.NOTHING, Do.PLAY)
def trump(c: Context, _: Bits) -> Bits:
    """A trump, if he has none of the suit led; anything if he can follow."""
    return when(none(_of_suit_led(c)), c.view.trumps, c.deck.everything)


@_demand("do not trump the trick", Param.NOTHING, Do.PLAY)
def not_trump(c: Context, _: Bits) -> Bits:
    """A plain card, if he has none of the suit led; anything if he can follow."""
    return when(none(_of_suit_led(c)), less(c.deck.everything, c.view.trumps), c.deck.everything)


def _winning(c: Context) -> Bits:
    v = c.view
    return c.deck.winners(v.hand(c.him), v["trick"], v.suit_led, v.trumps)


@_demand("win the trick", Param.NOTHING, Do.PLAY)
def win(c: Context, _: Bits) -> Bits:
    """A card that beats all that lie in the trick."""
    return _winning(c)


@_demand("do not win the trick", Param.NOTHING, Do.PLAY)
def lose(c: Context, _: Bits) -> Bits:
    """A card that does not beat all that lie in the trick."""
    return less(c.deck.everything, _winning(c))


@_demand("correct the renounce", Param.NOTHING, Do.LEAD, Do.PLAY, Do.TAKE_BACK)
def correct(c: Context, _: Bits) -> Bits:
    """Nothing else until the card that did not follow suit has been taken back."""
    return gate(none(meet(c.him, c.view.renounced)), c.deck.everything)


@_demand("take back the card led", Param.NOTHING, Do.LEAD, Do.PLAY, Do.TAKE_BACK)
def take_lead_back(c: Context, _: Bits) -> Bits:
    """Nothing else until the card that he led out of turn has been taken back."""
    return gate(none(meet(c.him, c.view.lead_to_take_back)), c.deck.everything)


@_demand("play the highest of that suit", Param.SUIT, Do.PLAY)
def highest_of_suit(c: Context, suits: Bits) -> Bits:
    """His highest card of the suit named."""
    return gate(at_most_one(suits), c.deck.highest(meet(c.view.hand(c.him), c.deck.cards_of(suits))))


def _anything(c: Context, _: Bits) -> Bits:
    return c.deck.everything


def _expose_lead(c: Context) -> None:
    assert c.next is not None
    c.next["liable"] = join(c.next["liable"], gate(c.legit, c.view.card_led))


@phrase(Sort.DEMAND, "treat the card led as exposed")
def expose_lead() -> Option:
    """The card led out of turn becomes liable to be called."""
    return Option("treat the card led as exposed", Param.NOTHING, _anything, (), None, _expose_lead)


@phrase(Sort.DEMAND, "take back the card led, as an exposed card")
def take_exposed_lead_back() -> Option:
    """The card led out of turn becomes liable to be called, and must be taken back before anything else is done."""
    acts = (Do.LEAD, Do.PLAY, Do.TAKE_BACK)
    text = "take back the card led, as an exposed card"
    return Option(text, Param.NOTHING, take_lead_back, acts, None, _expose_lead, of_trick=True)


AT_ONCE = {
    "take the penalty for the revoke": "The tricks or counters that the code transfers for a revoke; settled in the score, it "
    "binds no card.",
    "abandon the hand": "The hand is not played on; nothing is demanded of anybody's cards.",
    "play the hand out": "The hand is played to its end; nothing is demanded of single cards.",
    "claim a new deal": "The cards are dealt anew; nothing is demanded of anybody's cards.",
    "let the deal stand": "Play goes on, and a card left over at the end counts for nothing.",
    "claim the game as won": "The game counts as won; nothing is demanded of anybody's cards.",
}
"""The demands that take effect as they are made, and ask nothing of any card, with what they mean."""


def _at_once(text: str, says: str) -> None:
    def option() -> Option:
        return Option(text, Param.NOTHING, _anything, ())

    option.__doc__ = says
    phrase(Sort.DEMAND, text)(option)


for _text, _says in AT_ONCE.items():
    _at_once(_text, _says)

"""Phrases for cards: each returns a set of cards."""

from __future__ import annotations

from tricklaw.model.acts import Do
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.terms import Bits, less, meet


@phrase(Sort.CARDS, "that card")
def that_card(c: Context) -> Bits:
    """The card that the act concerns: faced, named, led, played, taken back."""
    return c.cards


@phrase(Sort.CARDS, "the cards seen")
def cards_seen(c: Context) -> Bits:
    """The cards that were shown."""
    return c.cards


@phrase(Sort.CARDS, "all cards in his hand")
def whole_hand(c: Context) -> Bits:
    """Every card that the actor holds, seen or not."""
    return c.view.hand(c.actor)


@phrase(Sort.CARDS, "all cards in the partner's hand")
def partner_hand(c: Context) -> Bits:
    """Every card that a partner of the actor holds."""
    return c.view.hand(c.view.partners(c.actor))


@phrase(Sort.CARDS, "the cards thrown with it")
def thrown_with(c: Context) -> Bits:
    """All cards thrown together but the one indicated; a further card laid after the one played."""
    if c.doing(Do.AGAIN):
        return c.cards
    return less(meet(c.view.hand(c.actor), c.view["thrown"]), c.cards)


@phrase(Sort.CARDS, "the cards thrown together")
def thrown(c: Context) -> Bits:
    """The cards thrown together of which none is yet indicated as the one played."""
    return c.view["thrown"]


@phrase(Sort.CARDS, "liable cards")
def liable_cards(c: Context) -> Bits:
    """All cards liable to be called."""
    return c.view["liable"]


@phrase(Sort.CARDS, "liable trumps")
def liable_trumps(c: Context) -> Bits:
    """The trumps liable to be called."""
    return meet(c.view["liable"], c.view.trumps)


@phrase(Sort.CARDS, "liable cards of the suit led")
def liable_of_suit(c: Context) -> Bits:
    """The liable cards of the suit led to the trick."""
    return meet(c.view["liable"], c.view.suit_led)

"""Phrases about wrong numbers of cards: from the deal, or because a player has omitted to play to a trick."""

from __future__ import annotations

from tricklaw.model.acts import LAYING, Do
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.events import called
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.table import CALLER, OMISSIONS, WRONG_NUMBERS
from tricklaw.model.terms import Bits, Bool, at_most_one, bits, both, exactly_one, gate, meet, meets, negate


@phrase(Sort.SEATS, "a player with a wrong number of cards", WRONG_NUMBERS)
def wrong_numbers(c: Context) -> Bits:
    """Whoever holds a card too many or too few."""
    return c.view.wrong


@phrase(Sort.EVENT, "the wrong number of one player alone is pointed out", WRONG_NUMBERS)
def one_found(c: Context) -> Bits:
    """A player is found to hold a card too many or too few, all others holding their right number."""
    return gate(at_most_one(c.view.wrong), found_wrong(c))


@phrase(Sort.EVENT, "a wrong number of cards is pointed out", WRONG_NUMBERS)
def found_wrong(c: Context) -> Bits:
    """A player is found to hold a card too many or too few; he is meant."""
    return c.act.seat if c.act is not None and c.doing(Do.FIND) else c.view.nobody


@phrase(Sort.EVENT, "a card too few is pointed out", WRONG_NUMBERS)
def found_short(c: Context) -> Bits:
    """A player is found to hold a card less than is proper; he is meant."""
    return meet(found_wrong(c), c.view.short)


@phrase(Sort.EVENT, "a card too few of the bidder is pointed out", WRONG_NUMBERS)
def bidder_short(c: Context) -> Bits:
    """He who has bid is found to hold a card less than is proper."""
    return meet(found_short(c), c.view.caller)


@phrase(Sort.EVENT, "a card too many is pointed out", WRONG_NUMBERS)
def found_long(c: Context) -> Bits:
    """A player is found to hold a card more than is proper; he is meant."""
    return meet(found_wrong(c), c.view.long)


@phrase(Sort.EVENT, "a wrong number of an adversary of the caller is pointed out", CALLER)
def foe_of_caller_wrong(c: Context) -> Bits:
    """A player against him who has called is found to hold a card too many or too few."""
    return meet(found_wrong(c), c.view.adversaries(c.view.caller))


@phrase(Sort.CONDITION, "two players have a wrong number, the caller one of them", CALLER)
def two_wrong(c: Context) -> Bool:
    """Exactly two hold a card too many or too few, and one of the two has called the game."""
    wrong = c.view.wrong
    others = wrong & (wrong - bits(1, wrong.size()))
    return both(exactly_one(others), meets(wrong, c.view.caller))


# omitted plays -----------------------------------------------------------------------------------------------------


@phrase(Sort.EVENT, "a player plays to the next trick after one that he omitted to play to", OMISSIONS)
def misses(c: Context) -> Bits:
    """A player whose card a trick lacks leads or plays to the next one, and his card stays: it is too late to add it."""
    return gate(negate(c.facts.withdrawn), meet(c.actor, c.view["omitted"])) if c.doing(*LAYING) else c.view.nobody


@phrase(Sort.CONDITION, "he has omitted to play to the preceding trick", OMISSIONS)
def omitted(c: Context) -> Bool:
    """A trick lacks his card, and he has neither added one since nor played to the next."""
    return meets(c.him, c.view["omitted"])


@phrase(Sort.CONDITION, "an adversary of his has omitted to play to a trick", OMISSIONS)
def foe_missed(c: Context) -> Bool:
    """One of the other side has played to the next trick after one that he omitted to play to."""
    return meets(c.view.adversaries(c.him), c.view["missed"])


@phrase(Sort.EVENT, "a new deal is chosen under {clause}", OMISSIONS)
def new_deal_chosen(c: Context, clause: str) -> Bits:
    """The owner of that right chooses a new deal; the player addressed is meant."""
    return _chosen(c, clause, "claim a new deal")


@phrase(Sort.EVENT, "playing on is chosen under {clause}", OMISSIONS)
def play_chosen(c: Context, clause: str) -> Bits:
    """The owner of that right lets the deal stand; the player addressed is meant."""
    return _chosen(c, clause, "let the deal stand")


def _chosen(c: Context, clause: str, option: str) -> Bits:
    return called(c, clause) if c.kind is not None and c.kind.option == option else c.view.nobody

"""Phrases for players: each returns a set of seats."""

from __future__ import annotations

from tricklaw.model.phrases.conditions import called_on, lead_refused, lead_taken_back
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.terms import Bits, both, collect, either, gate, join, less, meet, meets, negate, some


@phrase(Sort.SEATS, "everybody")
def everybody(c: Context) -> Bits:
    """All players."""
    return c.view.everybody


@phrase(Sort.SEATS, "a holder of a liable card")
def holders(c: Context) -> Bits:
    """Whoever has a card liable to be called."""
    v = c.view
    return collect([meets(own, v["liable"]) for own in v.own])


@phrase(Sort.SEATS, "a holder of a liable trump")
def trump_holders(c: Context) -> Bits:
    """Whoever has a trump liable to be called."""
    return c.view.holders(meet(c.view["liable"], c.view.trumps))


@phrase(Sort.SEATS, "a holder of a liable card of the suit led")
def suit_holders(c: Context) -> Bits:
    """Whoever has a liable card of the suit led to the trick."""
    return c.view.holders(meet(c.view["liable"], c.view.suit_led))


@phrase(Sort.SEATS, "the proper leader")
def proper_leader(c: Context) -> Bits:
    """The player who has the right to lead to the trick."""
    return c.view["turn"]


@phrase(Sort.SEATS, "the proper leader, if a partner of the offender")
def proper_leader_partner(c: Context) -> Bits:
    """The player who has the right to lead, where he is a partner of the offender."""
    return meet(c.view["turn"], c.view.partners(_offenders(c)))


@phrase(Sort.SEATS, "the offender")
def offender(c: Context) -> Bits:
    """Whoever committed the offence from which the right arose."""
    return _offenders(c)


@phrase(Sort.SEATS, "the offender or his partner")
def offender_side(c: Context) -> Bits:
    """The offender and all his partners."""
    return c.view.side(_offenders(c))


@phrase(Sort.SEATS, "the partner of the offender")
def offender_partner(c: Context) -> Bits:
    """Every partner of the offender."""
    return c.view.partners(_offenders(c))


@phrase(Sort.SEATS, "the second hand, if a partner of the offender")
def second_partner(c: Context) -> Bits:
    """The player on the leader's left, where he is a partner of the offender."""
    return meet(c.view.left_of(c.view["leader"]), c.view.partners(_offenders(c)))


@phrase(Sort.SEATS, "the adversary of the single player who has not played")
def unplayed_adversary(c: Context) -> Bits:
    """The adversaries of a lone player that have not played to the trick, other than the offender."""
    v = c.view
    return less(less(v.adversaries(v.alone), v.played), _offenders(c))


def _offenders(c: Context) -> Bits:
    return c.offenders if c.offenders is not None else c.him


@phrase(Sort.SEATS, "he")
def himself(c: Context) -> Bits:
    """The player spoken of."""
    return c.him


@phrase(Sort.SEATS, "he and his partners")
def his_side(c: Context) -> Bits:
    """The player spoken of and every partner of his."""
    return c.view.side(c.him)


@phrase(Sort.SEATS, "an adversary who has not played to the trick")
def unplayed_foes(c: Context) -> Bits:
    """The adversaries of the player spoken of that have no card in the trick on the table."""
    return less(c.view.adversaries(c.him), c.view.played)


@phrase(Sort.SEATS, "his partner")
def partner(c: Context) -> Bits:
    """Every partner of the player spoken of."""
    return c.view.partners(c.him)


@phrase(Sort.SEATS, "either adversary")
def either_adversary(c: Context) -> Bits:
    """Every adversary of the player spoken of, each for himself; a dummy takes no part."""
    return less(c.view.adversaries(c.him), c.view.dummy)


@phrase(Sort.SEATS, "the adversary on his right")
def adversary_on_right(c: Context) -> Bits:
    """The player on his right, if he is an adversary; nobody if he is a partner."""
    return meet(c.view.right_of(c.him), c.view.adversaries(c.him))


@phrase(Sort.SEATS, "the adversary on his left")
def adversary_on_left(c: Context) -> Bits:
    """The player on his left, if he is an adversary; nobody if he is a partner."""
    return meet(c.view.left_of(c.him), c.view.adversaries(c.him))


@phrase(Sort.SEATS, "the nearest adversary on his right")
def nearest_adversary(c: Context) -> Bits:
    """The first adversary met going round from him to the right."""
    return c.view.nearest_adversary(c.him)


@phrase(Sort.SEATS, "the single player")
def single_player(c: Context) -> Bits:
    """Whoever has no partner."""
    return c.view.alone


@phrase(Sort.SEATS, "an adversary of the single player")
def single_player_foes(c: Context) -> Bits:
    """The adversaries of a lone player, who are not alone themselves."""
    return less(c.view.adversaries(c.view.alone), c.view.alone)


@phrase(Sort.SEATS, "the bidder")
def bidder(c: Context) -> Bits:
    """Who has bid: whoever has no partner, else the one of whom the deal tells it."""
    return c.view.caller


@phrase(Sort.SEATS, "the declarer")
def declarer(c: Context) -> Bits:
    """The player who plays his own cards and the dummy's."""
    return c.view.declarer


@phrase(Sort.SEATS, "the dummy")
def dummy(c: Context) -> Bits:
    """The hand that lies open and is played by the declarer."""
    return c.view.dummy


@phrase(Sort.SEATS, "the declarer or the dummy")
def declaring_side(c: Context) -> Bits:
    """The two hands that the declarer plays."""
    return join(c.view.declarer, c.view.dummy)


@phrase(Sort.SEATS, "an adversary of the declarer")
def declarer_foes(c: Context) -> Bits:
    """The two players against the declarer."""
    return c.view.adversaries(c.view.declarer)


@phrase(Sort.SEATS, "the second hand")
def second_hand(c: Context) -> Bits:
    """The player on the left of the leader of the trick."""
    return c.view.left_of(c.view["leader"])


@phrase(Sort.SEATS, "the third hand")
def third_hand(c: Context) -> Bits:
    """The player two places on from the leader of the trick."""
    return c.view.opposite(c.view["leader"])


@phrase(Sort.SEATS, "the fourth hand")
def fourth_hand(c: Context) -> Bits:
    """The player on the right of the leader of the trick."""
    return c.view.right_of(c.view["leader"])


@phrase(Sort.SEATS, "the leader")
def leader(c: Context) -> Bits:
    """Whoever led to the trick on the table, rightly or not."""
    return c.view["leader"]


@phrase(Sort.SEATS, "whoever has played to the trick")
def has_played(c: Context) -> Bits:
    """The players whose card lies in the current trick."""
    return c.view.played


@phrase(Sort.SEATS, "his adversaries, once one of them is bound by a decision")
def decided(c: Context) -> Bits:
    """All his adversaries when one of them has exacted or let go the penalty; nobody before."""
    assert c.right is not None
    spoken = c.view[c.right.spoken(_index(c))] if c.right.standing else c.view[c.right.spoken(0)]
    return gate(some(spoken), c.view.adversaries(c.him))


@phrase(Sort.SEATS, "his adversaries, once one of them has demanded it")
def demanded(c: Context) -> Bits:
    """All his adversaries while a demand under the right binds him; nobody else."""
    assert c.right is not None
    return gate(called_on(c, c.right.id), c.view.adversaries(c.him))


@phrase(Sort.SEATS, "an adversary who plays after another that has not yet spoken")
def out_of_order(c: Context) -> Bits:
    """Of his adversaries, those who must wait, as long as one who plays before him has neither spoken nor played."""
    assert c.right is not None
    v = c.view
    spoken = v[c.right.spoken(_index(c))] if c.right.standing else v[c.right.spoken(0)]
    right = meet(v.right_of(c.him), v.adversaries(c.him))
    waiting = both(some(less(less(right, spoken), v.played)), negate(v.empty_table))
    return gate(waiting, less(v.adversaries(c.him), right))


def _index(c: Context) -> int:
    return int(c.him.as_long()).bit_length() - 1


@phrase(Sort.SEATS, "a player who has thrown cards together")
def throwers(c: Context) -> Bits:
    """Whoever has laid several cards at once and has not yet indicated the one played."""
    return c.view.holders(c.view["thrown"])


@phrase(Sort.SEATS, "whoever has played to the lead out of turn")
def false_trick(c: Context) -> Bits:
    """All who have a card in a trick led out of turn, the leader included."""
    return gate(c.view.false_lead, c.view.played)


@phrase(Sort.SEATS, "whoever has played to the lead out of turn, once it is noticed")
def noticed_trick(c: Context) -> Bits:
    """The same, once attention has been drawn to the lead."""
    return gate(both(c.view.false_lead, c.view.noticed), c.view.played)


@phrase(Sort.SEATS, "whoever has played to a lead that must be, or has been, taken back")
def refused_trick(c: Context) -> Bits:
    """All who have a card in a trick of which the card led must be taken back, or is already."""
    return gate(either(lead_refused(c), lead_taken_back(c)), c.view.played)


@phrase(Sort.SEATS, "a player who has renounced in error")
def renouncers(c: Context) -> Bits:
    """Whoever has failed to follow suit, being able to, in the trick on the table, or else in the unquitted one before it."""
    return c.view.renounced


@phrase(Sort.SEATS, "a player who has played after a renounce that is being corrected")
def after_renounce(c: Context) -> Bits:
    """Those who have played to the trick after one who has since taken back a card that did not follow suit."""
    v = c.view
    return join(*(gate(meets(v.seat(i), v["amending"]), v.played_after(v.seat(i))) for i in range(v.seats)))

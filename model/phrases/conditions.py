"""Phrases for conditions: each returns whether it holds in the state, for the player spoken of."""

from __future__ import annotations

from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.results import result_of
from tricklaw.model.table import CALLER
from tricklaw.model.terms import (
    FALSE,
    TRUE,
    Bits,
    Bool,
    bit,
    both,
    either,
    less,
    meet,
    meets,
    negate,
    none,
    select,
    some,
    when,
    within,
)


@phrase(Sort.CONDITION, "he has not yet led or played to the trick")
def not_yet_played(c: Context) -> Bool:
    """He holds cards and none of his lies in the current trick."""
    return both(meets(c.him, c.view.with_cards), none(meet(c.him, c.view.played)))


@phrase(Sort.CONDITION, "he has the right to lead")
def may_lead(c: Context) -> Bool:
    """It is his lead, and nothing, or only a lead out of turn, lies on the table."""
    v = c.view
    return both(meets(c.him, meet(v["turn"], v.with_cards)), either(v.empty_table, v.false_lead))


@phrase(Sort.CONDITION, "he is to lead")
def is_to_lead(c: Context) -> Bool:
    """It is his lead and nothing lies on the table."""
    return both(c.view.empty_table, meets(c.him, c.view.to_act))


@phrase(Sort.CONDITION, "he is to play")
def is_to_play(c: Context) -> Bool:
    """A trick has been led to and he is the next in turn."""
    return both(negate(c.view.empty_table), meets(c.him, c.view.to_act))


@phrase(Sort.CONDITION, "the preceding trick is turned and quitted")
def previous_quitted(c: Context) -> Bool:
    """A trick has been played, and all have turned and quitted their cards of it."""
    return both(bit(c.view["begun"], 0), c.view.turned)


@phrase(Sort.CONDITION, "he is to lead and the preceding trick is turned and quitted")
def leads_after_quitting(c: Context) -> Bool:
    """It is his lead, and all have turned and quitted their cards of the preceding trick."""
    return both(is_to_lead(c), previous_quitted(c))


@phrase(Sort.CONDITION, "a lead out of turn lies on the table and has been noticed")
def noticed(c: Context) -> Bool:
    """The trick was led by one who had not the right to, and attention has been drawn to it."""
    return both(c.view.false_lead, c.view.noticed)


@phrase(Sort.CONDITION, "his lead out of turn lies on the table")
def false_lead(c: Context) -> Bool:
    """The trick was led by him, who had not the right to, and his card is there."""
    return meets(c.him, c.view.lead_to_take_back)


@phrase(Sort.CONDITION, "the right {clause} is open")
def right_open(c: Context, clause: str) -> Bool:
    """The right may be exacted from somebody now."""
    assert c.lookup is not None
    if clause not in c.rights:  # left out of the law for a trial
        return FALSE
    return either(*(c.lookup(c.rights[clause], i).open for i in range(c.view.seats)))


@phrase(Sort.CONDITION, "the right {clause} is open against him")
def right_open_against(c: Context, clause: str) -> Bool:
    """The right may be exacted from him now."""
    assert c.lookup is not None
    if clause not in c.rights:
        return FALSE
    return either(*(both(bit(c.him, i), c.lookup(c.rights[clause], i).open) for i in range(c.view.seats)))


def _spoken(c: Context, clause: str) -> Bits:
    if clause not in c.rights:  # there is nothing to wait for
        return c.view.everybody
    right = c.rights[clause]
    spoken = select(c.him, [c.view[right.spoken(i)] for i in range(c.view.seats)])
    return when(c.struck(clause), c.view.everybody, spoken)


@phrase(Sort.CONDITION, "every adversary of his has spoken on {clause}")
def all_spoken(c: Context, clause: str) -> Bool:
    """Each of his adversaries has exacted the right, or stated that he does not."""
    return within(c.view.adversaries(c.him), _spoken(c, clause))


@phrase(Sort.CONDITION, "an adversary of his has spoken on {clause}")
def one_spoken(c: Context, clause: str) -> Bool:
    """One of his adversaries has exacted the right, or stated that he does not."""
    return meets(c.view.adversaries(c.him), _spoken(c, clause))


@phrase(Sort.CONDITION, "every adversary of his has spoken on {clause} or played")
def all_spoken_or_played(c: Context, clause: str) -> Bool:
    """Each of his adversaries has spoken on the right, or has played to the trick in silence."""
    return within(less(c.view.adversaries(c.him), c.view.played), _spoken(c, clause))


@phrase(Sort.CONDITION, "he is called on under {clause}")
def called_on(c: Context, clause: str) -> Bool:
    """A demand under that right binds him now."""
    if clause not in c.rights:
        return FALSE
    right, v = c.rights[clause], c.view
    held = v.hand(c.him)
    parts = [
        meets(v[right.value(o)], held) if o.param.value == "card" else meets(v[right.value(o)], c.him)
        for o in right.options
        if o.binds and o.param.value != "suit"
    ]
    if any(o.param.value == "suit" for o in right.options):
        parts.append(meets(v[right.target], c.him))
    return either(*parts)


@phrase(Sort.CONDITION, "a plain suit is led of which he has none")
def void_of_plain(c: Context) -> Bool:
    """The suit led is not trumps and he cannot follow it."""
    v = c.view
    plain = both(some(v.suit_led), none(meet(v.suit_led, v.trumps)))
    return both(plain, none(meet(v.hand(c.him), v.suit_led)))


@phrase(Sort.CONDITION, "he has no other card of the suit led than liable ones")
def only_liable(c: Context) -> Bool:
    """All that he holds of the suit led is liable to be called."""
    return none(less(meet(c.view.hand(c.him), c.view.suit_led), c.view["liable"]))


@phrase(Sort.CONDITION, "he cannot comply without revoking")
def would_revoke(c: Context) -> Bool:
    """None of the cards demanded could be led or played by him without renouncing in error."""
    assert c.required is not None
    return none(meet(c.required, c.view.legal(c.him)))


@phrase(Sort.CONDITION, "he has no card that complies")
def cannot_comply(c: Context) -> Bool:
    """None of the cards demanded is in his hand: he has none of the suit called, or cannot do what is asked."""
    assert c.required is not None
    return none(meet(c.required, c.view.hand(c.him)))


@phrase(Sort.CONDITION, "he has no partner")
def plays_alone(c: Context) -> Bool:
    """He plays alone against all others."""
    return meets(c.him, c.view.alone)


@phrase(Sort.CONDITION, "the third hand has played and the second has not")
def third_before_second(c: Context) -> Bool:
    """The leader's second neighbour has played to the trick, his first has not."""
    v = c.view
    third, second = v.opposite(v["leader"]), v.left_of(v["leader"])
    return both(meets(third, v.played), negate(meets(second, v.played)))


@phrase(Sort.CONDITION, "the single player has played to the trick")
def single_has_played(c: Context) -> Bool:
    """A lone player's card lies in the trick."""
    return meets(c.view.alone, c.view.played)


@phrase(Sort.CONDITION, "it is the bidder's lead")
def bidder_leads(c: Context) -> Bool:
    """The right to lead to the trick belongs to him who has bid."""
    return meets(c.view["turn"], c.view.caller)


@phrase(Sort.CONDITION, "the bidder led out of turn and the player on his left has followed")
def bidder_followed(c: Context) -> Bool:
    """A lead out of turn by him who has bid has been followed by his left-hand neighbour."""
    v = c.view
    bidder = meet(v["leader"], v.caller)
    return both(v.false_lead, some(bidder), meets(v.left_of(v["leader"]), v.played))


@phrase(Sort.CONDITION, "an adversary of the bidder led out of turn and he has played")
def foe_followed(c: Context) -> Bool:
    """A lead out of turn by an adversary of him who has bid has been followed by him."""
    v = c.view
    foe = less(meet(v["leader"], v.adversaries(v.caller)), v.caller)
    return both(v.false_lead, some(foe), meets(v.caller, v.played))


@phrase(Sort.CONDITION, "always")
def always(c: Context) -> Bool:
    """In every state."""
    return TRUE


@phrase(Sort.CONDITION, "he led a card that has been claimed as exposed")
def claimed_lead(c: Context) -> Bool:
    """The card led by him lies in the trick and is liable to be called: it has been claimed since."""
    return both(c.him == c.view["leader"], meets(c.view.card_led, c.view["liable"]))


@phrase(Sort.CONDITION, "an adversary has played after him")
def followed_by_foe(c: Context) -> Bool:
    """An adversary has played to the trick on the table after him."""
    return meets(c.view.adversaries(c.him), c.view.played_after(c.him))


@phrase(Sort.CONDITION, "a penalty for an offence is open against him")
def penalty_open(c: Context) -> Bool:
    """Some right that arose from an offence, and that binds his cards, may be exacted from him now."""
    assert c.lookup is not None
    rights = [r for r in c.rights.values() if not r.standing and any(o.binds for o in r.options)]
    return either(*(both(bit(c.him, i), c.lookup(r, i).open) for r in rights for i in range(c.view.seats)))


@phrase(Sort.CONDITION, "he has no card of the suit led")
def void_of_led(c: Context) -> Bool:
    """A card has been led and he cannot follow its suit."""
    return both(some(c.view.suit_led), none(meet(c.view.hand(c.him), c.view.suit_led)))


@phrase(Sort.CONDITION, "he can follow the suit led")
def can_follow(c: Context) -> Bool:
    """He holds a card of the suit led."""
    return some(meet(c.view.hand(c.him), c.view.suit_led))


TAKE_LEAD_BACK = ("take back the card led", "take back the card led, as an exposed card")
"""The demands that a lead out of turn be taken back."""


@phrase(Sort.CONDITION, "the leader must take his card back")
def lead_refused(c: Context) -> Bool:
    """A demand binds him who led out of turn to take back the card led."""
    v = c.view
    bound = [v[r.value(o)] for r in c.rights.values() for o in r.options if o.text in TAKE_LEAD_BACK]
    return either(*(meets(who, v.lead_to_take_back) for who in bound))


@phrase(Sort.CONDITION, "the leader has taken his card back from the others")
def lead_taken_back(c: Context) -> Bool:
    """The card led is no longer there, but cards that were played to it are."""
    return both(negate(c.view.empty_table), none(c.view.card_led))


@phrase(Sort.CONDITION, "an adversary of the declarer has led")
def foe_of_declarer_led(c: Context) -> Bool:
    """The trick on the table was led, rightly or not, by a player against the declarer."""
    return meets(c.view["leader"], c.view.adversaries(c.view.declarer))


@phrase(Sort.CONDITION, "the declarer has led, from either hand")
def declarer_has_led(c: Context) -> Bool:
    """The trick on the table was led, rightly or not, from the declarer's hand or the dummy."""
    return meets(c.view["leader"], c.view.side(c.view.declarer))


@phrase(Sort.CONDITION, "he has a partner")
def has_partner(c: Context) -> Bool:
    """He does not play alone."""
    return negate(meets(c.him, c.view.alone))


@phrase(Sort.CONDITION, "neither adversary has played to the trick")
def no_foe_played(c: Context) -> Bool:
    """No card of an adversary of his lies in the trick."""
    return none(meet(c.view.adversaries(c.him), c.view.played))


@phrase(Sort.CONDITION, "{clause} has fixed his result")
def result_fixed(c: Context, clause: str) -> Bool:
    """The result of that clause has come about for him."""
    field = result_of(clause)
    return meets(c.him, c.view[field]) if field in c.view.state else FALSE


@phrase(Sort.CONDITION, "the single player led out of turn")
def single_led_wrongly(c: Context) -> Bool:
    """The trick on the table was led by a lone player who had not the right to."""
    return meets(c.view.alone, c.view.lead_to_take_back)


@phrase(Sort.CONDITION, "he is the bidder", CALLER)
def has_bid(c: Context) -> Bool:
    """It is he who has bid."""
    return meets(c.him, c.view.caller)


@phrase(Sort.CONDITION, "he is the caller or his partner", CALLER)
def of_callers(c: Context) -> Bool:
    """He or a partner of his has called the game."""
    return meets(c.him, c.view.side(c.view.caller))


@phrase(Sort.CONDITION, "he is an adversary of the caller", CALLER)
@phrase(Sort.CONDITION, "he is an adversary of the bidder", CALLER)
def against_caller(c: Context) -> Bool:
    """One of the other side has called the game, or bid."""
    return meets(c.him, c.view.adversaries(c.view.caller))

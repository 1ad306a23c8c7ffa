"""Phrases for events: each returns the players who are answerable for it by this act, nobody where it does not occur.

Where an event ends a right (`lost`), the set says whose offences are meant, or against whom a standing right is shut.
"""

from __future__ import annotations

from tricklaw.model.acts import ADVERSARIES_SEE, LAYING, PARTNER_SEES, Do
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.terms import (
    FALSE,
    Bits,
    Bool,
    at_most_one,
    bit,
    both,
    either,
    gate,
    join,
    less,
    meet,
    meets,
    negate,
    none,
    some,
)


@phrase(Sort.EVENT, "a card is faced on the table otherwise than in play")
def faced(c: Context) -> Bits:
    """A player lays a card face up without leading or playing it."""
    return c.actor if c.doing(Do.FACE) else c.view.nobody


@phrase(Sort.EVENT, "a further card is laid down after the one led or played")
def laid_again(c: Context) -> Bits:
    """A player whose card lies in the trick lays another one on the table."""
    return c.actor if c.doing(Do.AGAIN) else c.view.nobody


@phrase(Sort.EVENT, "one of several cards thrown together is led or played")
def thrown_together(c: Context) -> Bits:
    """A player indicates which of the cards that he threw together he leads or plays."""
    if not c.doing(*LAYING):
        return c.view.nobody
    return c.actor_if(some(less(meet(c.view.hand(c.actor), c.view["thrown"]), c.cards)))


def _shown(c: Context, seen: int, condition: Bool) -> Bits:
    if not c.doing(Do.SHOW) or c.act is None:
        return c.view.nobody
    return c.actor_if(both(some(c.act.seen & seen), condition))


@phrase(Sort.EVENT, "a partner sees a card in hand")
def partner_sees(c: Context) -> Bits:
    """A card is so held that a partner sees any of its face."""
    return _shown(c, PARTNER_SEES, some(c.cards))


@phrase(Sort.EVENT, "a partner sees more than one card in hand")
def partner_sees_many(c: Context) -> Bits:
    """A hand is so held that a partner sees more than one of its cards."""
    return _shown(c, PARTNER_SEES, negate(at_most_one(c.cards)))


@phrase(Sort.EVENT, "both adversaries see a card in hand at once")
def adversaries_see(c: Context) -> Bits:
    """A card is so held that both adversaries see it at the same time."""
    return _shown(c, ADVERSARIES_SEE, some(c.cards))


@phrase(Sort.EVENT, "a card is named by its holder or his partner")
def named_by_side(c: Context) -> Bits:
    """A player says of a card that he or his partner holds it, and so it is."""
    if not c.doing(Do.NAME):
        return c.view.nobody
    return c.actor_if(meets(c.cards, c.view.hand(c.view.side(c.actor))))


@phrase(Sort.EVENT, "a card is named by its holder")
def named(c: Context) -> Bits:
    """A player names a card that he holds."""
    return c.actor_if(meets(c.cards, c.view.hand(c.actor))) if c.doing(Do.NAME) else c.view.nobody


@phrase(Sort.EVENT, "a player says that the rest are his")
def boasted(c: Context) -> Bits:
    """A player says that his side wins all that is left, or words to that effect."""
    return c.actor if c.doing(Do.BOAST) else c.view.nobody


@phrase(Sort.EVENT, "a lead out of turn")
def led_out_of_turn(c: Context) -> Bits:
    """A player leads to a trick that another has the right to lead to."""
    return c.actor_if(negate(c.actor == c.view["turn"])) if c.doing(Do.LEAD) else c.view.nobody


@phrase(Sort.EVENT, "a lead out of turn by an adversary of the bidder")
def foe_led(c: Context) -> Bits:
    """A player against him who has bid leads when another has the right to."""
    v = c.view
    return meet(led_out_of_turn(c), less(v.adversaries(v.caller), v.caller))


@phrase(Sort.EVENT, "a lead out of turn by an adversary of the bidder when it was his own turn")
def foe_led_for_him(c: Context) -> Bits:
    """The same, when the right to lead belonged to him who has bid."""
    return gate(meets(c.view["turn"], c.view.caller), foe_led(c))


@phrase(Sort.EVENT, "a lead out of turn by an adversary of the declarer")
def declarer_foe_led(c: Context) -> Bits:
    """A player against the declarer leads when another has the right to."""
    return meet(led_out_of_turn(c), c.view.adversaries(c.view.declarer))


@phrase(Sort.EVENT, "a lead out of turn from the declarer's hand or the dummy")
def declarer_led(c: Context) -> Bits:
    """The declarer leads from a hand that has not the right to lead; that hand is meant."""
    return meet(led_out_of_turn(c), c.view.side(c.view.declarer))


@phrase(Sort.EVENT, "the declarer plays to the lead out of turn")
def declarer_follows(c: Context) -> Bits:
    """The declarer plays, from either of his hands, to a trick that an adversary led out of turn."""
    if not c.doing(Do.PLAY):
        return c.view.nobody
    stays = both(c.view.false_lead, meets(c.actor, c.view.side(c.view.declarer)), negate(c.facts.withdrawn))
    return gate(stays, c.view.everybody)


@phrase(Sort.EVENT, "the bidder plays to the lead out of turn")
def bidder_follows(c: Context) -> Bits:
    """He who has bid plays to a trick that another led out of turn."""
    if not c.doing(Do.PLAY):
        return c.view.nobody
    stays = both(c.view.false_lead, meets(c.actor, c.view.caller), negate(c.facts.withdrawn))
    return gate(stays, c.view.everybody)


def _discovered(c: Context, whose: Bool) -> Bits:
    if not c.doing(Do.ATTENTION, Do.DEMAND):
        return c.view.nobody
    v = c.view
    return gate(both(v.false_lead, negate(v.noticed), whose), v["leader"])


@phrase(Sort.EVENT, "a lead when it was an adversary's turn is discovered")
def discovered_foe(c: Context) -> Bits:
    """Before all have played, attention is drawn to a lead when it was an adversary's turn; the leader is meant."""
    v = c.view
    return _discovered(c, meets(v["turn"], v.adversaries(v["leader"])))


@phrase(Sort.EVENT, "a lead when it was the partner's turn is discovered")
def discovered_mate(c: Context) -> Bits:
    """Attention is drawn, before all have played, to a lead when it was a partner's turn; the leader is answerable."""
    v = c.view
    return _discovered(c, meets(v["turn"], v.partners(v["leader"])))


@phrase(Sort.EVENT, "all have played to the trick")
def all_played(c: Context) -> Bits:
    """The trick on the table is completed by this card."""
    return gate(c.facts.completes, c.view.everybody)


@phrase(Sort.EVENT, "all have played to the lead out of turn")
def all_played_false(c: Context) -> Bits:
    """A trick led out of turn is completed by this card; its leader is meant."""
    return gate(both(c.facts.completes, c.view.false_lead), c.view["leader"])


@phrase(Sort.EVENT, "the fourth hand plays before the second, the third not having played")
def fourth_first(c: Context) -> Bits:
    """The player on the leader's right plays while neither second nor third hand has played."""
    if not c.doing(Do.PLAY):
        return c.view.nobody
    v = c.view
    second, third = v.left_of(v["leader"]), v.opposite(v["leader"])
    fourth = c.actor == v.right_of(v["leader"])
    return c.actor_if(both(fourth, negate(meets(join(second, third), v.played))))


@phrase(Sort.EVENT, "the fourth hand, an adversary of the declarer, plays before the second")
def declarer_foe_first(c: Context) -> Bits:
    """The player on the right of a leader who is declarer or dummy plays while the one on his left has not."""
    if not c.doing(Do.PLAY):
        return c.view.nobody
    v = c.view
    fourth = both(c.actor == v.right_of(v["leader"]), meets(c.actor, v.adversaries(v.declarer)))
    return c.actor_if(both(fourth, negate(meets(v.left_of(v["leader"]), v.played))))


@phrase(Sort.EVENT, "the second hand plays")
def second_plays(c: Context) -> Bits:
    """The player on the leader's left plays to the trick, and his card stays."""
    if not c.doing(Do.PLAY):
        return c.view.nobody
    stays = both(c.actor == c.view.left_of(c.view["leader"]), negate(c.facts.withdrawn))
    return gate(stays, c.view.everybody)


@phrase(Sort.EVENT, "the third hand plays")
def third_plays(c: Context) -> Bits:
    """The player two places on from the leader plays to the trick."""
    return gate(c.actor == c.view.opposite(c.view["leader"]), c.view.everybody) if c.doing(Do.PLAY) else c.view.nobody


@phrase(Sort.EVENT, "an adversary of the single player breaks {clause}")
def foe_breaks(c: Context, clause: str) -> Bits:
    """A player who has partners against a lone player breaks the duty of that clause."""
    v = c.view
    return meet(broken(c, clause), less(v.adversaries(v.alone), v.alone))


@phrase(Sort.EVENT, "the cards of the trick are taken back")
def trick_vanishes(c: Context) -> Bits:
    """The last card of the trick on the table is taken back."""
    return gate(c.facts.vanishes, c.view.everybody)


@phrase(Sort.EVENT, "a card is taken back from a lead out of turn")
def taken_from_false_lead(c: Context) -> Bits:
    """A player takes back a card that he led or played to a lead out of turn."""
    return c.actor_if(c.view.false_lead) if c.doing(Do.TAKE_BACK) else c.view.nobody


@phrase(Sort.EVENT, "a trick won by the offender's side is turned and quitted")
def quitted_by_side(c: Context) -> Bits:
    """The last card of a trick is turned and quitted; the side that won it is meant."""
    return gate(c.facts.quits_last, c.view.side(c.view["turn"]))


@phrase(Sort.EVENT, "he or his partner leads in turn")
def side_leads(c: Context) -> Bits:
    """A player leads who has the right to, and his card stays; his side is meant."""
    if not c.doing(Do.LEAD):
        return c.view.nobody
    return gate(both(c.actor == c.view["turn"], negate(c.facts.withdrawn)), c.view.side(c.actor))


@phrase(Sort.EVENT, "the proper leader leads")
def leader_leads(c: Context) -> Bits:
    """The player who has the right to lead does so, and his card stays."""
    if not c.doing(Do.LEAD):
        return c.view.nobody
    return gate(both(c.actor == c.view["turn"], negate(c.facts.withdrawn)), c.view.everybody)


@phrase(Sort.EVENT, "the card is led or played")
def card_played(c: Context) -> Bits:
    """A card is led or played and stays so, or joins a trick late."""
    return c.actor_if(negate(c.facts.withdrawn)) if c.doing(*LAYING, Do.ADD) else c.view.nobody


@phrase(Sort.EVENT, "{clause} is broken")
def broken(c: Context, clause: str) -> Bits:
    """The act breaks the duty of that clause."""
    return c.actor_if(c.facts.broken.get(clause, FALSE))


@phrase(Sort.EVENT, "a demand under {clause} is disobeyed")
def disobeyed(c: Context, clause: str) -> Bits:
    """A player leads or plays otherwise than he was lawfully called on to, though he could have complied."""
    return c.actor_if(c.facts.broken.get(f"comply {clause}", FALSE))


_NAMED = {
    "lead that suit",
    "play the highest of the suit led",
    "play the lowest of the suit led",
    "trump the trick",
    "do not trump the trick",
}


@phrase(Sort.EVENT, "a demand to lead a suit, to play highest or lowest, or to trump or not is disobeyed")
def named_disobeyed(c: Context) -> Bits:
    """The same for a demand under any right that allows one of these demands."""
    return _disobeyed(c, _NAMED)


_NAMED_IN_BRIDGE = _NAMED - {"trump the trick", "do not trump the trick"} | {
    "play the highest of that suit",
    "win the trick",
    "do not win the trick",
}


@phrase(Sort.EVENT, "a demand to lead a suit, to play highest or lowest, or to win or lose is disobeyed")
def named_in_bridge_disobeyed(c: Context) -> Bits:
    """The same for a demand under any right that allows one of these."""
    return _disobeyed(c, _NAMED_IN_BRIDGE)


def _disobeyed(c: Context, demands: set[str]) -> Bits:
    names = [r.id for r in c.rights.values() if any(o.text in demands for o in r.options)]
    return c.actor_if(either(*(c.facts.broken.get(f"comply {n}", FALSE) for n in names)))


@phrase(Sort.EVENT, "{clause} is exacted")
def exacted(c: Context, clause: str) -> Bits:
    """A lawful demand is made under that right; the side of the player addressed is meant."""
    if not c.doing(Do.DEMAND) or c.act is None or c.kind is None or c.kind.right != clause:
        return c.view.nobody
    return gate(c.legit, c.view.side(c.act.seat))


@phrase(Sort.EVENT, "a player is called on under {clause}")
def called(c: Context, clause: str) -> Bits:
    """A lawful demand is made under that right; the player addressed is meant."""
    return gate(meets(c.act.seat, exacted(c, clause)), c.act.seat) if c.act is not None else c.view.nobody


def _meant(c: Context) -> Bits:
    assert c.act is not None
    assert c.right is not None
    return c.act.seat if c.right.standing else c.view.side(c.act.seat)


@phrase(Sort.EVENT, "the wrong adversary demands it")
def wrong_adversary(c: Context) -> Bits:
    """An adversary who is not the one entitled demands the penalty."""
    if not c.doing(Do.DEMAND) or c.act is None or c.right is None or c.kind is None or c.kind.right != c.right.id:
        return c.view.nobody
    assert c.lookup is not None
    v = c.view
    cases = [
        both(meets(c.act.seat, v.seat(i)), (s := c.lookup(c.right, i)).open, negate(meets(c.actor, s.owners)))
        for i in range(v.seats)
    ]
    return gate(both(meets(c.actor, v.adversaries(c.act.seat)), either(*cases)), _meant(c))


@phrase(Sort.EVENT, "a wrong penalty is demanded")
def wrong_penalty(c: Context) -> Bits:
    """An adversary demands, of the player liable, something else than the penalty to which the law entitles."""
    if not c.doing(Do.DEMAND) or c.act is None or c.right is None or c.kind is None or c.kind.right == c.right.id:
        return c.view.nobody
    assert c.lookup is not None
    v = c.view
    cases = [both(meets(c.act.seat, v.seat(i)), c.lookup(c.right, i).open) for i in range(v.seats)]
    foe = meets(c.actor, v.adversaries(c.act.seat))
    return gate(both(foe, negate(c.legit), either(*cases)), _meant(c))


@phrase(Sort.EVENT, "an adversary waives it")
def waived(c: Context) -> Bits:
    """An adversary of the player liable, entitled or not, says that the penalty is waived; one must be outstanding."""
    if not c.doing(Do.WAIVE) or c.act is None or c.right is None or c.kind is None or c.kind.right != c.right.id:
        return c.view.nobody
    v, right = c.view, c.right
    if right.standing:
        assert c.lookup is not None
        due = either(*(both(bit(c.act.seat, i), c.lookup(right, i).open) for i in range(v.seats)))
    else:
        due = meets(v.side(c.act.seat), v[right.pending])
    return gate(both(due, meets(c.actor, v.adversaries(c.act.seat))), _meant(c))


@phrase(Sort.EVENT, "a reasonable time passes")
def time_passes(c: Context) -> Bits:
    """The player whose turn it is lets a reasonable time pass, and nobody speaks."""
    return c.view.everybody if c.doing(Do.WAIT) else c.view.nobody


@phrase(Sort.EVENT, "a renounce in error is corrected")
def corrected(c: Context) -> Bits:
    """A player who has failed to follow suit, being able to, takes his card back in time."""
    return meet(c.actor, c.view.renounced) if c.doing(Do.TAKE_BACK) else c.view.nobody


@phrase(Sort.EVENT, "an adversary of the bidder corrects a renounce in error")
def foe_corrects(c: Context) -> Bits:
    """A player against him who has bid takes back a card that did not follow suit."""
    v = c.view
    return meet(corrected(c), less(v.adversaries(v.caller), v.caller))


@phrase(Sort.EVENT, "a renounce is corrected after the adversary on the left has played")
def corrected_late(c: Context) -> Bits:
    """A second or third hand corrects a renounce to which his left-hand adversary has already played."""
    if not c.doing(Do.TAKE_BACK):
        return c.view.nobody
    v = c.view
    left = v.left_of(c.actor)
    played = both(meets(v.cards(left), v.open_trick), negate(meets(left, v.open_leader)))
    late = both(meets(left, v.adversaries(c.actor)), played)
    return gate(late, meet(c.actor, v.renounced))


@phrase(Sort.EVENT, "a revoke is established")
def revoke(c: Context) -> Bits:
    """A trick with a renounce in error is turned and quitted, or the renouncing side plays to the next one."""
    return join(renounce_quitted(c), renouncers_play_on(c))


@phrase(Sort.EVENT, "a trick with a renounce in error is turned and quitted")
def renounce_quitted(c: Context) -> Bits:
    """All have quitted such a trick or, where one player gathers it, the side that won it has; the renouncers are meant."""
    return gate(c.facts.quits_last, c.view["prevrenounced"])


@phrase(Sort.EVENT, "the side of a player who has renounced in error plays on")
def renouncers_play_on(c: Context) -> Bits:
    """After a trick with a renounce in error, one of that side leads or plays to the next, in turn or not."""
    v = c.view
    if not c.doing(*LAYING):
        return v.nobody
    return gate(negate(c.facts.withdrawn), meet(v["prevrenounced"], v.side(c.actor)))


@phrase(Sort.EVENT, "the side of a player who has renounced in error plays on with a hand other than the dummy")
def renouncers_play_on_by_hand(c: Context) -> Bits:
    """The same, but a card led or played from the dummy does not count."""
    return gate(negate(meets(c.actor, c.view.dummy)), renouncers_play_on(c))


@phrase(Sort.EVENT, "a winning card is led and another after it before the partner has played")
def winners_in_sequence(c: Context) -> Bits:
    """The leader lays a second card, his partner not having played, and no adversary holds a better card of the suit.

    Hidden: nobody at the table can know this from what has been seen.
    """
    if not c.doing(Do.AGAIN):
        return c.view.nobody
    v = c.view
    first = both(c.actor == v["leader"], some(less(v.partners(c.actor), v.played)))
    better = meet(v.deck.above(v.card_led), v.hand(v.adversaries(c.actor)))
    return c.actor_if(both(first, none(better)))


@phrase(Sort.EVENT, "the single player draws attention to an adversary's lead out of turn")
def single_remarks(c: Context) -> Bits:
    """A lone player remarks that an adversary has led out of turn; that adversary is meant."""
    if not c.doing(Do.ATTENTION):
        return c.view.nobody
    v = c.view
    return gate(meets(c.actor, v.alone), less(v.lead_to_take_back, v.alone))


@phrase(Sort.EVENT, "the hand is abandoned under {clause}")
def abandoned(c: Context, clause: str) -> Bits:
    """The owner of that right chooses to abandon the hand; the player addressed is meant."""
    chosen = c.kind is not None and c.kind.option == "abandon the hand"
    return called(c, clause) if chosen else c.view.nobody


@phrase(Sort.EVENT, "a lead out of turn by the single player")
def single_led(c: Context) -> Bits:
    """A lone player leads when another has the right to."""
    return meet(led_out_of_turn(c), c.view.alone)


@phrase(Sort.EVENT, "a revoke of the single player is established")
def single_revokes(c: Context) -> Bits:
    """A trick in which a lone player renounced in error is turned and quitted."""
    return meet(renounce_quitted(c), c.view.alone)


@phrase(Sort.EVENT, "a revoke of an adversary of the single player is established")
def foe_revokes(c: Context) -> Bits:
    """A trick in which one of his adversaries renounced in error is turned and quitted."""
    return less(renounce_quitted(c), c.view.alone)

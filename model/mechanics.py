"""What can physically be done at a card table and what it physically brings about, whatever the law says.

Four seats or three; nothing here knows a law. Limits of the model, stated so that a proof can say its scope: a player
lays at most one card of his own into each trick; leading or playing to a trick turns and quits one's own card of the
preceding one, unless tricks are gathered by one player: then it lies until it is gathered by its winner's side or the
next trick is complete; a card of the preceding trick can be taken back only while the table is otherwise empty; a
dummy's cards are led, played and taken back by the declarer, and nothing else is done with them or by him; where plays
can be omitted, it is the last to play who omits his, not the leader, and who does so no second time unless he has
corrected it; he corrects it by adding a card, as long as the trick lies there and nothing is led to the next.
"""

from __future__ import annotations

from tricklaw.model.acts import ADVERSARIES_SEE, PARTNER_SEES, Act, ActKind, Do, Param
from tricklaw.model.phrases.context import Facts
from tricklaw.model.state import CALLED_BY, MARKS, TAKEN, TOO_FEW, TOO_MANY, View
from tricklaw.model.table import CLAIMS, OMISSIONS
from tricklaw.model.terms import (
    TRUE,
    Bits,
    Bool,
    at_most_one,
    bit,
    bits,
    both,
    collect,
    either,
    exactly_one,
    gate,
    implies,
    join,
    less,
    meet,
    meets,
    negate,
    none,
    some,
    union,
    when,
    within,
)

BY_HAND = (Do.LEAD, Do.PLAY, Do.TAKE_BACK, Do.WAIT, Do.OMIT, Do.ADD)
"""What is done with a dummy's cards, by the declarer's hand."""


def taken_back(view: View, actor: Bits) -> Bits:
    """The card that the actor would take back: of the current trick, or of the preceding one if nothing is led."""
    return meet(view.cards(actor), view.open_trick)


def possible(kind: ActKind, view: View, act: Act) -> Bool:
    """Whether the act can physically be done."""
    hand = view.hand(act.actor)
    has_played = meets(act.actor, view.played)
    one_held = both(exactly_one(act.cards), within(act.cards, hand))
    match kind.do:
        case Do.LEAD:
            what = both(view.empty_table, one_held)
        case Do.PLAY:
            what = both(negate(view.empty_table), negate(has_played), one_held)
        case Do.AGAIN:
            what = both(has_played, one_held, none(meet(act.cards, view["faced"])))
        case Do.THROW:
            several = both(within(act.cards, hand), negate(at_most_one(act.cards)))
            what = both(negate(has_played), several, none(meet(hand, view["thrown"])))
        case Do.FACE:
            what = both(one_held, none(meet(act.cards, view["faced"])))
        case Do.PICK_UP:
            what = both(one_held, within(act.cards, view["faced"]))
        case Do.SHOW:
            what = both(some(act.cards), within(act.cards, hand), _seen(view, act))
        case Do.NAME:
            what = exactly_one(act.cards)
        case Do.BOAST:
            what = some(hand)
        case Do.ATTENTION:
            what = both(view.false_lead, negate(view.noticed))
        case Do.TAKE_BACK:
            what = some(taken_back(view, act.actor))
        case Do.QUIT:
            what = _can_quit(view, act)
        case Do.FIND:
            what = both(exactly_one(act.seat), within(act.seat, less(view.wrong, view["found"])))
        case Do.LAY_OPEN:
            what = some(less(hand, view["faced"]))
        case Do.CLAIM:
            what = both(some(hand), none(meet(act.actor, view["claimed"])))
        case Do.GIVE_UP:
            what = both(some(hand), none(meet(act.actor, view["given up"])))
        case Do.WAIT:
            what = act.actor == view.to_act
        case Do.OMIT:
            last = both(negate(view.empty_table), negate(has_played), join(view.played, act.actor) == view.everybody)
            free = negate(meets(act.actor, join(view.left_out, view["leader"])))
            what = both(last, free, some(hand))
        case Do.ADD:
            what = both(meets(act.actor, view.omitting), one_held)
        case Do.DEMAND | Do.WAIVE:
            what = both(exactly_one(act.seat), none(meet(act.seat, act.actor)), _about(kind, view, act))
    if kind.do not in BY_HAND:
        what = both(what, none(meet(act.actor, view.dummy)))
    return both(exactly_one(act.actor), what)


def _can_quit(view: View, act: Act) -> Bool:
    """There is a card of his to turn; or, where one gathers all, a trick that nobody of his side has gathered."""
    gathered = negate(meets(act.actor, view.side(view["quitted"])))
    if view.table.gathered:
        return both(some(view["prev"]), gathered)
    return both(meets(view.cards(act.actor), view["prev"]), negate(meets(act.actor, view["quitted"])))


def _seen(view: View, act: Act) -> Bool:
    mate = implies(some(act.seen & bits(PARTNER_SEES, 2)), some(view.partners(act.actor)))
    foes = implies(some(act.seen & bits(ADVERSARIES_SEE, 2)), negate(at_most_one(view.adversaries(act.actor))))
    return both(some(act.seen), mate, foes)


def _about(kind: ActKind, view: View, act: Act) -> Bool:
    match kind.param:
        case Param.CARD:
            return both(exactly_one(act.cards), within(act.cards, view.hand(act.seat)))
        case Param.SUIT:
            return exactly_one(act.suit)
        case _:
            return TRUE


def foresee(kind: ActKind, view: View, act: Act, withdrawn: Bool) -> Facts:
    """What the act would complete, quit or clear, given whether a law withdraws the card."""
    facts = Facts(withdrawn=withdrawn)
    if kind.do in (Do.PLAY, Do.OMIT):
        facts.completes = both(negate(withdrawn), join(view.played, act.actor) == view.everybody)
    if kind.do in (Do.LEAD, Do.PLAY, Do.OMIT, Do.QUIT):
        facts.quits_last = both(some(view["prev"]), negate(withdrawn), _quits(kind, view, act, facts))
    if kind.do is Do.TAKE_BACK:
        facts.vanishes = none(less(view.open_trick, view.cards(act.actor)))
    return facts


def _quits(kind: ActKind, view: View, act: Act, facts: Facts) -> Bool:
    """Whether the act puts the preceding trick out of reach, cards lying there."""
    if not view.table.gathered:
        without = view.omitted if kind.do is Do.QUIT else view.nobody
        return union((view["quitted"], act.actor, without), view.seats) == view.everybody
    return meets(act.actor, view.side(view["turn"])) if kind.do is Do.QUIT else facts.completes


def perform(kind: ActKind, view: View, act: Act, facts: Facts) -> dict[str, Bits]:
    """The fields that the act changes physically, with their next values."""
    match kind.do:
        case Do.LEAD:
            return _quit(view, act, facts, by_hand=False) | _lead(view, act, facts)
        case Do.PLAY:
            return _quit(view, act, facts, by_hand=False) | _play(view, act, facts)
        case Do.OMIT:
            return _quit(view, act, facts, by_hand=False) | _omit(view, act, facts)
        case Do.ADD:
            return _add(view, act)
        case Do.AGAIN | Do.FACE:
            return {"faced": join(view["faced"], act.cards)}
        case Do.THROW:
            return {"faced": join(view["faced"], act.cards), "thrown": join(view["thrown"], act.cards)}
        case Do.PICK_UP:
            return {"faced": less(view["faced"], act.cards), "thrown": less(view["thrown"], act.cards)}
        case Do.ATTENTION:
            return {"noticed": bits(1, 1)}
        case Do.DEMAND:
            return {"noticed": when(view.false_lead, bits(1, 1), view["noticed"])}
        case Do.TAKE_BACK:
            return _take_back(view, act, facts)
        case Do.QUIT:
            return _quit(view, act, facts)
        case Do.FIND:
            return {"found": join(view["found"], act.seat)}
        case Do.LAY_OPEN:
            return {"faced": join(view["faced"], view.hand(act.actor))}
        case Do.CLAIM:
            return {"claimed": join(view["claimed"], act.actor)}
        case Do.GIVE_UP:
            return {"given up": join(view["given up"], act.actor)}
        case _:
            return {}


def _quit(view: View, act: Act, facts: Facts, by_hand: bool = True) -> dict[str, Bits]:
    """Turning and quitting a card of the preceding trick; by laying one to the next, only where each quits his own."""
    quitter = act.actor if by_hand or not view.table.gathered else view.nobody
    last, prev = facts.quits_last, view["prev"]
    quitted = join(view["quitted"], gate(both(some(prev), negate(facts.withdrawn)), quitter))
    own = {f"own.{n}": less(o, gate(last, prev)) for n, o in zip(view.names, view.own, strict=True)}
    if CLAIMS in view.table.covers:
        own[TAKEN] = join(view[TAKEN], gate(both(last, meets(view["turn"], view.alone)), prev))
    return own | {
        "prev": gate(negate(last), prev),
        "prevleader": gate(negate(last), view["prevleader"]),
        "prevrenounced": gate(negate(last), view["prevrenounced"]),
        "quitted": gate(negate(last), quitted),
    }


def _lay(view: View, act: Act, facts: Facts) -> dict[str, Bits]:
    faced, out = view["faced"], facts.withdrawn
    beyond = gate(both(negate(out), bit(view["begun"], 0)), act.actor)
    late = {"beyond": join(view["beyond"], beyond)} if CLAIMS in view.table.covers else {}
    if OMISSIONS in view.table.covers:
        passed = gate(negate(out), meet(view["omitted"], act.actor))
        late |= {"omitted": less(view["omitted"], passed), "missed": join(view["missed"], passed)}
    return late | {
        "faced": when(out, join(faced, act.cards), less(faced, act.cards)),
        "thrown": less(view["thrown"], view.hand(act.actor)),
    }


def _lead(view: View, act: Act, facts: Facts) -> dict[str, Bits]:
    stays = negate(facts.withdrawn)
    return _lay(view, act, facts) | {
        "trick": gate(stays, act.cards),
        "leader": gate(stays, act.actor),
        "renounced": view.nobody,
        "noticed": bits(0, 1),
        "amending": view.nobody,
    }


def _play(view: View, act: Act, facts: Facts) -> dict[str, Bits]:
    stays = negate(facts.withdrawn)
    trick = join(view["trick"], gate(stays, act.cards))
    led = when(view["leader"] == act.actor, act.cards, view.card_led)
    winner = _winner(view, join(view["trick"], act.cards), led)
    renounces = gate(both(stays, none(meet(act.cards, view.follow(act.actor)))), act.actor)
    renounced = join(view["renounced"], renounces)
    return _lay(view, act, facts) | _played(view, act, facts, trick, winner, renounced)


def _winner(view: View, trick: Bits, led: Bits) -> Bits:
    """Who has won a trick with these cards, when that one was led."""
    best = view.deck.best(trick, view.deck.suit_with(led, view.trumps), view.trumps)
    return collect([meets(o, best) for o in view.own])


def _played(view: View, act: Act, facts: Facts, trick: Bits, winner: Bits, renounced: Bits) -> dict[str, Bits]:
    """The trick with a card more, or complete: it is then the preceding one, and its winner has the lead."""
    done, quit_last = facts.completes, _quit(view, act, facts, by_hand=False)
    return {
        "trick": gate(negate(done), trick),
        "leader": gate(negate(done), view["leader"]),
        "turn": when(done, winner, view["turn"]),
        "prev": when(done, trick, quit_last["prev"]),
        "prevleader": when(done, view["leader"], quit_last["prevleader"]),
        "renounced": gate(negate(done), renounced),
        "prevrenounced": when(done, renounced, quit_last["prevrenounced"]),
        "quitted": gate(negate(done), quit_last["quitted"]),
        "noticed": gate(negate(done), view["noticed"]),
        "amending": gate(negate(done), less(view["amending"], act.actor)),
        "begun": when(done, bits(1, 1), view["begun"]),
    }


def _omit(view: View, act: Act, facts: Facts) -> dict[str, Bits]:
    """The trick is complete without a card of the last to play."""
    winner = _winner(view, view["trick"], view.card_led)
    after = _played(view, act, facts, view["trick"], winner, view["renounced"])
    return after | {"omitted": join(view["omitted"], act.actor)}


def _add(view: View, act: Act) -> dict[str, Bits]:
    """The card omitted joins the preceding trick, and may win it."""
    trick = join(view["prev"], act.cards)
    renounces = gate(none(meet(act.cards, view.follow_before(act.actor))), act.actor)
    return {
        "prev": trick,
        "turn": _winner(view, trick, meet(view.cards(view["prevleader"]), view["prev"])),
        "prevrenounced": join(view["prevrenounced"], renounces),
        "quitted": view.nobody,
        "omitted": less(view["omitted"], act.actor),
        "faced": less(view["faced"], act.cards),
        "thrown": less(view["thrown"], act.cards),
    }


def _take_back(view: View, act: Act, facts: Facts) -> dict[str, Bits]:
    earlier, gone = view.empty_table, facts.vanishes
    amends = join(view["amending"], meet(act.actor, view.renounced))
    open_again = {"omitted": gate(negate(earlier), view["omitted"])} if OMISSIONS in view.table.covers else {}
    return open_again | {
        "trick": less(view.open_trick, view.cards(act.actor)),
        "prev": gate(negate(earlier), view["prev"]),
        "leader": gate(negate(gone), view.open_leader),
        "turn": when(earlier, view.open_leader, view["turn"]),
        "prevleader": gate(negate(earlier), view["prevleader"]),
        "renounced": gate(negate(gone), less(view.renounced, act.actor)),
        "prevrenounced": gate(negate(earlier), view["prevrenounced"]),
        "quitted": gate(negate(earlier), view["quitted"]),
        "noticed": gate(negate(gone), gate(negate(earlier), view["noticed"])),
        "amending": gate(negate(gone), amends),
    }


def dealt(view: View) -> Bool:
    """The initial states: any deal of at least a card to each, any leader, nothing on the table or in the register.

    Who has a wrong number, and what a lone player has laid away or taken already, is part of the deal.
    More than the law needs, where all get the same number; so what is proved of these states is proved of those.
    """
    own = view.own
    apart = [none(meet(own[i], own[j])) for i in range(len(own)) for j in range(i)]
    marks = [mark for mark in MARKS if mark in view.state]
    rest = [f for f in view.state if f not in {"turn", *marks, *(f"own.{n}" for n in view.names)}]
    taken = none(meet(view[TAKEN], union(own, view.deck.size))) if TAKEN in marks else TRUE
    counted = none(meet(view[TOO_MANY], view[TOO_FEW])) if TOO_MANY in marks else TRUE
    return both(
        taken,
        counted,
        at_most_one(view[CALLED_BY]) if CALLED_BY in marks else TRUE,
        *apart,
        *(some(o) for o in own),
        exactly_one(view["turn"]),
        *(none(view[f]) for f in rest),
    )


def standing(view: View) -> Bool:
    """What the rigid constants always satisfy apart from the arrangement: so many trump suits as the game has."""
    trumps = view.rigid["trumps"]
    return either(*(exactly_one(trumps) if number else none(trumps) for number in view.table.trumps))

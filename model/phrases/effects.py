"""Phrases for what an act brings about beside liability and rights."""

from __future__ import annotations

from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.state import TAKEN
from tricklaw.model.table import CLAIMS
from tricklaw.model.terms import Bool, either, gate, join, less, negate, when


@phrase(Sort.EFFECT, "that card goes back")
def goes_back(c: Context, applies: Bool) -> None:
    """The card led or played is withdrawn from the trick and lies face up before its holder."""
    c.facts.withdrawn = either(c.facts.withdrawn, applies)


@phrase(Sort.EFFECT, "that card is not liable")
def not_liable(c: Context, applies: Bool) -> None:
    """The card taken back cannot be called."""
    assert c.next is not None
    c.next["liable"] = when(applies, less(c.next["liable"], c.cards), c.next["liable"])


@phrase(Sort.EFFECT, "the right {clause} is lost")
def right_lost(c: Context, applies: Bool, clause: str) -> None:
    """The penalty can no longer be exacted."""
    assert c.next is not None
    if clause not in c.rights:
        return
    right = c.rights[clause]
    if right.standing:
        for i in range(c.view.seats):
            c.next[right.spoken(i)] = when(applies, c.view.everybody, c.next[right.spoken(i)])
    else:
        c.next[right.pending] = less(c.next[right.pending], gate(applies, c.view.everybody))


@phrase(Sort.EFFECT, "the demand under {clause} is void")
def demand_void(c: Context, applies: Bool, clause: str) -> None:
    """What has been demanded under the right binds nobody any more."""
    assert c.next is not None
    if clause not in c.rights:
        return
    right = c.rights[clause]
    for option in (o for o in right.options if o.binds):
        c.next[right.value(option)] = gate(negate(applies), c.next[right.value(option)])
    if right.target in c.next:
        c.next[right.target] = gate(negate(applies), c.next[right.target])


@phrase(Sort.EFFECT, "his cards are added to those of the single player", CLAIMS)
def cards_to_single(c: Context, applies: Bool) -> None:
    """The hand that lies open goes to the cards that a lone player has taken."""
    assert c.next is not None
    hand = gate(applies, c.view.hand(c.actor))
    for name in c.view.names:
        c.next[f"own.{name}"] = less(c.next[f"own.{name}"], hand)
    for field in ("faced", "thrown", "liable"):
        c.next[field] = less(c.next[field], hand)
    c.next[TAKEN] = join(c.next[TAKEN], hand)

"""What must be true of the model of trick play itself, whatever the law."""

from __future__ import annotations

from collections.abc import Iterator

from tricklaw.model.system import System
from tricklaw.model.terms import TRUE, at_most_one, both, exactly_one, implies, meet, none, union, within
from tricklaw.properties.base import Claim, Part, define


@define(
    "cards-conserved",
    says="Every card is in one place: no two players have it, and what lies on the table or is liable belongs to somebody.",
    formal="hands are disjoint; trick and preceding trick are disjoint and owned; faced and thrown cards are in hand",
    failure="The model itself is wrong: a card is lost or doubled.",
)
def cards_conserved(system: System) -> Iterator[Part]:
    """One part."""
    v = system.view
    apart = [none(meet(v.own[i], v.own[j])) for i in range(system.seats) for j in range(i)]
    owned = union(v.own, system.deck.size)
    places = [within(v.on_table, owned), none(meet(v["trick"], v["prev"])), within(v["faced"], v.held)]
    singles = [at_most_one(meet(o, t)) for o in v.own for t in (v["trick"], v["prev"])]
    yield Part("", Claim(TRUE, both(*apart, *places, *singles, within(v["thrown"], v["faced"]))))


@define(
    "one-turn",
    says="It is always exactly one player's turn.",
    formal="one player has the right to lead; when a card is led, at most one is next to play; somebody led if cards lie",
    failure="The model itself is wrong: two players, or none, are to act.",
)
def one_turn(system: System) -> Iterator[Part]:
    """One part."""
    v = system.view
    led = implies(none(v["leader"]), v.empty_table)
    yield Part("", Claim(TRUE, both(exactly_one(v["turn"]), at_most_one(v["leader"]), at_most_one(v.to_act), led)))

"""Who may exact a penalty, and from whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tricklaw.model.rights import RightState
from tricklaw.model.system import System
from tricklaw.model.terms import Bits, Bool, both, either, exactly_one, implies, meets, none, some, within
from tricklaw.properties.base import Claim, Part, define


def _each_right(system: System, claim: Callable[[RightState, Bits], Bool]) -> Iterator[Part]:
    """For every right: whenever it is open against a player, the claim about it and him."""
    for right in system.rights.values():
        cases = [(system.right_state(right, i), system.view.seat(i)) for i in range(system.seats)]
        premise = either(*(s.open for s, _ in cases))
        yield Part(right.cited, Claim(premise, both(*(implies(s.open, claim(s, he)) for s, he in cases))))


@define(
    "one-enforcer",
    says="Whenever a penalty may be exacted, exactly one player may exact it.",
    formal="for each right R and player h: open(R, h) implies |enforcers(R, h)| = 1",
    failure="Two players may decide differently about one penalty, or nobody may decide at all.",
)
def one_enforcer(system: System) -> Iterator[Part]:
    """Part by right."""
    return _each_right(system, lambda s, _: exactly_one(s.enforcers))


@define(
    "some-enforcer",
    says="Whenever a penalty may be exacted, there is somebody who may exact it.",
    formal="for each right R and player h: open(R, h) implies owners(R, h) is not empty",
    failure="The law gives a penalty to a player who does not exist at this table, so that nobody can enforce it.",
)
def some_enforcer(system: System) -> Iterator[Part]:
    """Part by right."""
    return _each_right(system, lambda s, _: some(s.owners))


@define(
    "enforcer-is-adversary",
    says="Only an adversary of the player liable may exact a penalty from him.",
    formal="for each right R and player h: open(R, h) implies enforcers(R, h) within adversaries(h)",
    failure="A partner could exact the penalty, and so choose the card that suits his own side.",
)
def enforcer_is_adversary(system: System) -> Iterator[Part]:
    """Part by right."""
    return _each_right(system, lambda s, he: within(s.enforcers, system.view.adversaries(he)))


@define(
    "innocent-side-untouched",
    says="No penalty lies against a side that has committed no irregularity.",
    formal="for each right R and player h: open(R, h) implies that h or a partner of h has broken a duty before",
    failure="A player could be punished though neither he nor his partners have done anything wrong.",
)
def innocent_side_untouched(system: System) -> Iterator[Part]:
    """Part by right."""
    return _each_right(system, lambda _, he: meets(system.view.side(he), system.view["erred"]))


@define(
    "lone-player-immune",
    says="A player without a partner is never subject to a penalty.",
    formal="for each right R and player h without partners: not open(R, h)",
    failure="A player is punished for an error by which no partner could profit.",
)
def lone_player_immune(system: System) -> Iterator[Part]:
    """Part by right; the premise is that somebody plays alone."""
    alone = system.view.alone
    for right in system.rights.values():
        states = [(system.right_state(right, i).open, system.view.seat(i)) for i in range(system.seats)]
        claim = both(*(implies(opened, none(he & alone)) for opened, he in states))
        yield Part(right.cited, Claim(some(alone), claim))

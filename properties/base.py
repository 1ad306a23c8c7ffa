"""What a property is: an id, a plain sentence, a formal statement, what its failure would mean, and its parts.

A part is a premise and a claim, over states or over acts, so that a property that speaks of rights is decided right by
right. A property holds when in every reachable state (for every act from one) each part's claim follows its premise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.terms import Bool, both, negate


@dataclass(frozen=True)
class Claim:
    """A premise and what is claimed of the states (or acts) that satisfy it."""

    premise: Bool
    claim: Bool

    @property
    def violated(self) -> Bool:
        """The premise holds and the claim does not."""
        return both(self.premise, negate(self.claim))


@dataclass(frozen=True)
class Part:
    """One part of a property: of one right, named by the law it is cited by, or of the whole (`right` empty)."""

    right: str
    state: Claim | None = None
    act: Callable[[Step], Claim | None] | None = None
    """The claim about a kind of act, nothing where that kind is not concerned."""
    watched: bool = True
    """Whether plays are watched for it while states are explored; else only solvers are asked."""
    exists: bool = False
    """Whether it is what violates the claim that shows the part: something is said to be there, and a play is the proof."""

    @property
    def over_acts(self) -> bool:
        """Whether the part speaks of acts rather than of states."""
        return self.act is not None


@dataclass(frozen=True)
class Property:
    """Something that should be true of any code."""

    id: str
    says: str
    formal: str
    failure: str
    parts: Callable[[System], Iterable[Part]]
    theme: str = ""


PROPERTIES: dict[str, Property] = {}
"""All properties, by id, in the order in which they are told."""


def define(id: str, says: str, formal: str, failure: str) -> Callable[[Callable[[System], Iterable[Part]]], Property]:
    """Register the decorated function, which gives the parts of the property for a system."""

    def register(parts: Callable[[System], Iterable[Part]]) -> Property:
        PROPERTIES[id] = Property(id, says, formal, failure, parts, parts.__module__.rsplit(".", 1)[-1])
        return PROPERTIES[id]

    return register


def find(property_id: str) -> Property:
    """The property of that id.

    Raises:
        UnknownName: there is none; the message names the nearest.
    """
    if property_id not in PROPERTIES:
        raise UnknownName(f"unknown property {property_id!r}{nearest(property_id, PROPERTIES)}")
    return PROPERTIES[property_id]

"""What a phrase is read against: a state, perhaps an act, and the player spoken of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tricklaw.model.acts import Act, ActKind, Do
from tricklaw.model.cards import Deck
from tricklaw.model.state import View
from tricklaw.model.terms import FALSE, Bits, Bool, gate

if TYPE_CHECKING:
    from tricklaw.model.rights import Right, RightState


@dataclass
class Facts:
    """What an act physically brings about, known before any law is applied."""

    completes: Bool = FALSE
    quits_last: Bool = FALSE
    vanishes: Bool = FALSE
    withdrawn: Bool = FALSE
    broken: dict[str, Bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """A state, and where the phrase speaks of them: the act, "he", the right, the offenders.

    `he` is the player that a clause speaks of: the one bound by a duty, the one against whom a right lies, the actor.
    """

    view: View
    rights: dict[str, Right]
    kind: ActKind | None = None
    act: Act | None = None
    facts: Facts = field(default_factory=Facts)
    he: Bits | None = None
    right: Right | None = None
    offenders: Bits | None = None
    next: dict[str, Bits] | None = None
    required: Bits | None = None
    lookup: Callable[[Right, int], RightState] | None = None
    legit: Bool = FALSE
    struck: Callable[[str], Bool] = lambda _clause: FALSE
    """Whether a clause is struck out, where clauses can be."""

    def about(self, he: Bits) -> Context:
        """The same, speaking of another player."""
        return replace(self, he=he)

    def of(self, right: Right, he: Bits | None = None) -> Context:
        """The same, speaking of a right."""
        return replace(self, right=right, he=he if he is not None else self.he)

    @property
    def deck(self) -> Deck:
        """The pack."""
        return self.view.deck

    @property
    def him(self) -> Bits:
        """The player that the clause speaks of; everybody where none is bound."""
        return self.he if self.he is not None else self.view.everybody

    @property
    def actor(self) -> Bits:
        """Who acts; nobody where there is no act."""
        return self.act.actor if self.act is not None else self.view.nobody

    @property
    def cards(self) -> Bits:
        """The cards that the act concerns."""
        return self.act.cards if self.act is not None else self.deck.nothing

    def doing(self, *what: Do) -> bool:
        """Whether the act is of one of these kinds."""
        return self.kind is not None and self.kind.do in what

    def actor_if(self, condition: Bool) -> Bits:
        """The actor where the condition holds, else nobody: the value of an event."""
        return gate(condition, self.actor)


Meaning = Callable[..., Any]

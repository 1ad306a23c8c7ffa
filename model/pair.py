"""Two laws over one play: the same deal, the same acts, each law with its own register of what has come about.

The second law has a table of its own too, since a card that one law sends back may stay under the other. An act is one
if it can be done at both tables; what only one law knows of (a demand under a right of its own, a wrong number found)
leaves the other as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tricklaw.model.acts import ActKind
from tricklaw.model.deals import Marks
from tricklaw.model.errors import TricklawError
from tricklaw.model.law import Code
from tricklaw.model.state import Slot
from tricklaw.model.steps import Step
from tricklaw.model.system import System
from tricklaw.model.terms import TRUE, Bits, Bool, both, join

MARK = "'"
"""How the names of the fields of the second law end."""


class Unlike(TricklawError):
    """Two laws that cannot be played in step."""


@dataclass
class Pair(System):
    """The system of one law, with that of a second one beside it.

    What is read of it is read under the first law; under the second, of `there`.

    Raises:
        Unlike: the two are not played at the same table, or call different things by one name.
    """

    second: tuple[Code, str] | None = None

    def __post_init__(self) -> None:
        assert self.second is not None
        super().__post_init__()
        self.here = System(self.code, self.game, self.deck)
        self.there = System(*self.second, deck=self.deck, suffix=MARK)
        self._see_that_they_fit()

    def _see_that_they_fit(self) -> None:
        here, there = self.here, self.there
        same = ("seats", "declarer", "gathered", "pack", "trumps")
        shared = here.readings.keys() & there.readings.keys()
        found = {
            "the table differs in": [n for n in same if getattr(here.table, n) != getattr(there.table, n)],
            "both have a right": [clause for clause in here.rights if clause in there.rights],
            "the choices differ of reading": [key for key in shared if here.readings[key] != there.readings[key]],
        }
        for what, names in found.items():
            if names:
                one, other = (f"{s.code.id}:{s.game}" for s in (here, there))
                raise Unlike(f"{one} and {other} cannot be played in step: {what} {', '.join(names)}")

    # fields --------------------------------------------------------------------------------------------------------

    @cached_property
    def slots(self) -> list[Slot]:
        """The fields of both."""
        return self.here.slots + [Slot(s.name + MARK, s.width, s.says) for s in self.there.slots]

    @cached_property
    def readings(self) -> dict[str, list[str]]:
        """The readings of both."""
        return self.here.readings | self.there.readings

    @cached_property
    def rigid_slots(self) -> list[Slot]:
        """The rigid constants of both."""
        known = {slot.name for slot in self.here.rigid_slots}
        return self.here.rigid_slots + [slot for slot in self.there.rigid_slots if slot.name not in known]

    @cached_property
    def kinds(self) -> list[ActKind]:
        """All kinds of act that one of the laws knows."""
        return self.here.kinds + [kind for kind in self.there.kinds if kind not in self.here.kinds]

    @cached_property
    def alike(self) -> dict[str, Bool]:
        """For each field that both have, that it is the same."""
        here, there = self.here.view.state, self.there.view.state
        return {name: here[name] == there[name] for name in there if name in here}

    # where it starts -----------------------------------------------------------------------------------------------

    @cached_property
    def rigid_condition(self) -> Bool:
        """What the rigid constants satisfy under both laws."""
        return both(self.here.rigid_condition, self.there.rigid_condition)

    @cached_property
    def initial(self) -> Bool:
        """Any deal, the same to both."""
        return both(self.here.initial, self.there.initial, *self.alike.values())

    def dealt(self, hands: Sequence[int], leader: int, marks: Marks) -> dict[str, int]:
        """The fields that a deal fills, at both tables."""
        fields = self.here.dealt(hands, leader, marks)
        return fields | {name + MARK: value for name, value in fields.items() if name in self.there.view.state}

    # steps ---------------------------------------------------------------------------------------------------------

    def step(self, kind: ActKind) -> Step:
        """What that kind of act is and does, under both laws."""
        if kind not in self._steps:
            here, there = _step(self.here, kind), _step(self.there, kind)
            self._steps[kind] = Step(
                kind,
                both(here.possible, there.possible),
                here.broken | {name + MARK: holds for name, holds in there.broken.items()},
                here.fired | {name + MARK: holds for name, holds in there.fired.items()},
                here.changes | {name + MARK: term for name, term in there.changes.items()},
                here.legit,
            )
        return self._steps[kind]

    @property
    def nameable_at_all(self) -> Bits:
        """The cards that may be named in a demand under some right of either law."""
        return join(self.here.nameable_at_all, self.there.nameable_at_all)

    @property
    def exactable(self) -> dict[tuple[str, int], Bits]:
        """The players who may exact each right under either law."""
        here, there = self.here.exactable, self.there.exactable
        both_ = {key: join(here[key], there[key]) for key in here.keys() & there.keys()}
        return here | there | both_

    def situation(self, index: int) -> list[Bool]:
        """What can be said of the player at `index` under either law."""
        return self.here.situation(index) + self.there.situation(index)

    def answerable(self, events: Iterable[str], kind: ActKind) -> Bits:
        """The players answerable under the first law for some event by an act of that kind."""
        return self.here.answerable(events, kind) if kind in self.here.kinds else self.view.nobody


def _step(system: System, kind: ActKind) -> Step:
    """The step under one law; nothing comes of what it does not know."""
    return system.step(kind) if kind in system.kinds else Step(kind, TRUE, {}, {}, {})

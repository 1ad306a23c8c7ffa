"""The transition system as machine code: the same terms that solvers read, played on plain integers.

A state is a tuple of words, so it can be a key; a deed is what an act does, without its kind. `Machine.step` tells what
an act comes to, `Machine.judge` what the law says of a state. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tricklaw.model import native
from tricklaw.model._machine_plan import JUDGE, bound_keys, cache_directory, plan_of
from tricklaw.model.acts import ActKind
from tricklaw.model.deals import Marks, sound
from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.judgement import Frame, Judgement
from tricklaw.model.state import mates_of
from tricklaw.model.system import System
from tricklaw.model.table import SEAT_NAMES, Groups

State: TypeAlias = tuple[int, ...]
"""A packed state; `Machine.fields` unpacks it."""

Rigid: TypeAlias = tuple[int, ...]
"""The rigid constants in the order of `System.rigid_slots`."""


class Deed(NamedTuple):
    """The parameters of an act: sets of seats, cards and suits as integers; who sees what is shown."""

    actor: int
    cards: int = 0
    suit: int = 0
    seat: int = 0
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an act comes to.

    Attributes:
        possible: it can physically be done; if not, the rest is empty and the state as before.
        broken: the duties it breaks, by clause id; `comply ID` where a demand under that right is disobeyed.
        fired: the clauses it sets off.
        legit: for a demand, the actor is entitled to it.
        state: the state after it.
    """

    possible: bool
    broken: tuple[str, ...]
    fired: tuple[str, ...]
    legit: bool
    state: State

    @property
    def lawful(self) -> bool:
        """It can be done and breaks no duty."""
        return self.possible and not self.broken


class Machine:
    """A system compiled to machine code, kept on disk: $TRICKLAW_CACHE, else the user's cache directory.

    Not for several threads at a time: the code works in arrays of its own.

    Attributes:
        system: the system compiled.
        native: its code, for other native code to call.
        kinds: its kinds of act, by name.
    """

    def __init__(self, system: System, cache: Path | None = None) -> None:
        cache = cache or cache_directory()
        self.system, self.deck, self.names = system, system.deck, SEAT_NAMES[system.seats]
        self._plan = plan_of(system, cache)
        self.native = self._plan.native(system, cache)
        self.kinds = {kind.name: kind for kind in system.kinds}
        self._buffers = native.Buffers(self.native)
        rights = tuple(system.rights)
        self._frame = Frame(system.seats, self.deck.size, rights, tuple(bound_keys(system)), tuple(self._plan.bars))
        self._limits = tuple(-1 << s.width for s in system.act_slots)
        self._decoded: dict[tuple[str, int], tuple[tuple[str, ...], tuple[str, ...], bool]] = {}

    # states --------------------------------------------------------------------------------------------------------

    @cached_property
    def _blank(self) -> dict[str, int]:
        return {slot.name: 0 for slot in self.system.slots}

    def initial(self, deal: Mapping[str, int], leader: str, marks: Marks | None = None) -> State:
        """The state before the first lead.

        Parameters:
            deal: the cards of each seat, as sets.
            leader: the seat that has the right to lead.
            marks: what else the deal says.

        Raises:
            ValueError: the hands overlap, are empty, or are not of the number that they should be.
        """
        hands = [deal[name] for name in self.names]
        if not sound(hands, marks or {}):
            raise ValueError("a deal gives the same number of cards, at least one, to each, and no card to two")
        own = {f"own.{name}": hand for name, hand in zip(self.names, hands, strict=True)}
        return self.pack(self._blank | own | dict(marks or {}) | {"turn": 1 << self.names.index(leader)})

    def pack(self, fields: Mapping[str, int]) -> State:
        """The state of these fields, well-formed or not.

        Raises:
            NativeError: a field has no value, or one that does not fit.
        """
        return tuple(self.native.pack(fields).tolist())

    def fields(self, state: State) -> dict[str, int]:
        """The fields of a state by name."""
        return self.native.unpack(state)

    def read(self, state: State, field: str) -> int:
        """One field of a state."""
        word, shift, mask = self.native.layout[field]
        return state[word] >> shift & mask

    def hand(self, state: State, seat: int) -> int:
        """The cards that the player of that index holds."""
        on_table = self.read(state, "trick") | self.read(state, "prev")
        return self.read(state, f"own.{self.names[seat]}") & ~on_table

    def rigid(self, groups: Groups, trumps: int = 0, readings: Mapping[str, str] | None = None) -> Rigid:
        """The rigid constants.

        Parameters:
            groups: the sides, each a set of seats.
            trumps: the set of the trump suit; empty for none.
            readings: the choice of each reading; the default where none is given.

        Raises:
            UnknownName: there is no such reading or choice.
        """
        given = dict(readings or {})
        chosen = {key: self._choice(key, given.get(key, choices[0])) for key, choices in self.system.readings.items()}
        for key in given.keys() - chosen.keys():
            raise UnknownName(f"no clause in force depends on a reading {key!r}{nearest(key, chosen)}")
        mates = mates_of(groups, self.system.seats)
        return *(mates[f"mates.{name}"] for name in self.names), trumps, *chosen.values()

    def _choice(self, key: str, choice: str) -> int:
        known = self.system.readings[key]
        if choice not in known:
            raise UnknownName(f"the reading {key!r} has no choice {choice!r}{nearest(choice, known)}")
        return known.index(choice)

    # acts ----------------------------------------------------------------------------------------------------------

    def step(self, state: State, rigid: Rigid, kind: ActKind | str, deed: Deed) -> Outcome:
        """What the act comes to in that state.

        Raises:
            ValueError: a parameter does not fit its field.
            KeyError: the code has no such kind of act.
        """
        name = kind if isinstance(kind, str) else kind.name
        self._load(state, rigid, deed)
        possible, flags, *words = self._buffers.successor(name)
        if not possible:
            return Outcome(False, (), (), False, state)
        broken, fired, legit = self._decoded.get((name, flags)) or self._decode(name, flags)
        return Outcome(True, broken, fired, legit, tuple(words))

    def _load(self, state: State, rigid: Rigid, deed: Deed) -> None:
        for value, limit in zip(deed, self._limits, strict=True):
            if value & limit:
                raise ValueError(f"a parameter of {deed} does not fit its field")
        self._buffers.load(list(state), list(rigid), list(deed))

    def _decode(self, name: str, flags: int) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
        labels = self._plan.labels[name]
        broken = [clause for i, clause in enumerate(labels.broken) if flags >> i & 1]
        fired = [clause for i, clause in enumerate(labels.fired, len(labels.broken)) if flags >> i & 1]
        found = tuple(broken), tuple(fired), bool(flags >> labels.count - 1 & 1)
        self._decoded[name, flags] = found
        return found

    def judge(self, state: State, rigid: Rigid) -> Judgement:
        """What the law says of a state."""
        self._buffers.load(list(state), list(rigid), [0] * len(self._limits))
        return Judgement(self._frame, self._buffers.outputs(JUDGE))

    def seat(self, name: str) -> int:
        """The set of one seat.

        Raises:
            ValueError: there is no such seat.
        """
        return 1 << self.names.index(name)

    def seats(self, members: int) -> list[str]:
        """The names of a set of seats, in the order of play."""
        return [name for i, name in enumerate(self.names) if members >> i & 1]

    def groups(self, sides: Sequence[Sequence[str]]) -> Groups:
        """Sides, given as names, as sets of seats."""
        return tuple(sum(self.seat(name) for name in side) for side in sides)

    # agreement -----------------------------------------------------------------------------------------------------

    def check_against_z3(self, n: int, seed: int) -> list[str]:
        """Evaluate the terms on random states and acts, ill-formed ones too, with Z3, and tell where the code differs.

        Parameters:
            n: how many states and acts; each takes a tenth of a second or so.
            seed: of the random choices.
        """
        from tricklaw.model._machine_check import disagreements

        return disagreements(self, n, seed)

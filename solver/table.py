"""What is to be decided of a system: the parts of the properties asked for, named `property/right`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import z3

from tricklaw.model.names import variables
from tricklaw.model.system import READING, System
from tricklaw.model.terms import Bool, implies, negate
from tricklaw.properties import Part, Property


@dataclass
class Table:
    """A system with the parts of the properties asked for."""

    system: System
    parts: dict[str, Part]
    formulas: dict[str, Bool] = field(init=False)
    """The claims over states, as formulas that should be invariant."""

    def __post_init__(self) -> None:
        states = {n: q.state for n, q in self.parts.items() if q.state is not None}
        self.formulas = {n: implies(claim.premise, claim.claim) for n, claim in states.items()}

    @classmethod
    def build(cls, system: System, wanted: Sequence[Property]) -> Table:
        """The table of a system for some properties."""
        return cls(system, {f"{p.id}/{q.right}": q for p in wanted for q in p.parts(system)})

    def only(self, *names: str) -> dict[str, Part]:
        """Some of the parts."""
        return {name: self.parts[name] for name in names}

    @property
    def acts(self) -> list[str]:
        """The parts that are claims over acts."""
        return [n for n, part in self.parts.items() if part.over_acts]

    def never(self) -> dict[str, Bool]:
        """For each distinct premise, the formula that it never holds, named after the first part that has it."""
        found: dict[str, Bool] = {}
        for name, part in self.parts.items():
            if part.state is not None and self.premise_of(name) == name:
                found[f"never {name}"] = negate(part.state.premise)
        return found

    def always(self, name: str) -> bool:
        """Whether the part is a claim over states that has no premise."""
        claim = self.parts[name].state
        return claim is not None and z3.is_true(claim.premise)

    def premise_of(self, name: str) -> str:
        """The first part that has the same premise as the named one."""
        return self._premises.get(name, name)

    @cached_property
    def _premises(self) -> dict[str, str]:
        seen: dict[int, str] = {}
        states = {n: part.state for n, part in self.parts.items() if part.state is not None}
        return {n: seen.setdefault(claim.premise.get_id(), n) for n, claim in states.items()}

    def readings_of(self, name: str) -> list[str]:
        """The readings that a part speaks of itself, whatever else it may depend on."""
        found = variables(self.formulas[name]) if name in self.formulas else frozenset()
        return [key for key in self.system.readings if READING + key in found]

"""Does the machine code agree with the terms? Random states and acts, evaluated by Z3's substitution and simplifier."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import z3

from tricklaw.model._machine_plan import JUDGE, judgement_terms, step_of
from tricklaw.model._machine_play import plays, random_bits, random_deed
from tricklaw.model.terms import evaluate

if TYPE_CHECKING:
    from tricklaw.model.acts import ActKind
    from tricklaw.model.machine import Deed, Machine, Rigid, State
    from tricklaw.model.state import Slot


def disagreements(machine: Machine, n: int, seed: int) -> list[str]:
    """What differs on `n` random states and acts, each line with the state and act concerned."""
    _, judged = judgement_terms(machine.system)
    found: list[str] = []
    for state, rigid, kind, deed in _samples(machine, n, random.Random(seed)):
        found += _compare(machine, judged, state, rigid, kind, deed)
    return found


def _compare(
    machine: Machine, judged: list[z3.ExprRef], state: State, rigid: Rigid, kind: ActKind, deed: Deed
) -> Iterator[str]:
    where = f"{kind.name} {deed} in {machine.fields(state)} with {rigid}"
    step = step_of(machine.system.step(kind))
    names = list(step.changes)
    terms = [step.possible, *step.flags, *step.changes.values(), *judged]
    values = evaluate(terms, _values(machine, state, rigid, deed))
    machine._load(state, rigid, deed)
    possible, flags, *words = machine._buffers.successor(kind.name)
    if possible != values[0]:
        yield f"possible is {bool(possible)}: {where}"
    count = len(step.flags)
    if possible and values[0]:
        if [flags >> i & 1 for i in range(count)] != values[1 : 1 + count]:
            yield f"the flags are {flags:b}: {where}"
        after = machine.fields(state) | dict(zip(names, values[1 + count :], strict=False))
        if machine.fields(tuple(words)) != after:
            yield f"the next state is {machine.fields(tuple(words))}, not {after}: {where}"
    outputs = machine._buffers.outputs(JUDGE)
    if list(outputs) != values[1 + count + len(names) :]:
        yield f"the judgement is {outputs}, not {values[1 + count + len(names) :]}: {where}"


def _values(machine: Machine, state: State, rigid: Rigid, deed: Deed) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    system, fields = machine.system, machine.fields(state)
    pairs = [(slot, fields[slot.name]) for slot in system.slots]
    pairs += [*zip(system.rigid_slots, rigid, strict=True), *zip(system.act_slots, deed, strict=True)]
    return [(slot.term(), z3.BitVecVal(value, slot.width)) for slot, value in pairs]


# random states and acts --------------------------------------------------------------------------------------------


def _samples(machine: Machine, n: int, chance: random.Random) -> Iterator[tuple[State, Rigid, ActKind, Deed]]:
    """In turn: a state and act of a random play, a state with some fields changed, random bits; each kind of act."""
    kinds, play = list(machine.kinds.values()), plays(machine, chance)
    for number in range(n):
        state, rigid, name, deed = next(play)
        if number % 3 == 0:
            yield state, rigid, machine.kinds[name], deed
            continue
        kind = kinds[number % len(kinds)]
        if number % 3 == 1:
            state = machine.pack(machine.fields(state) | _noise(machine.system.slots, chance, 3))
        else:
            state = machine.pack(_noise(machine.system.slots, chance))
            rigid = tuple(chance.getrandbits(slot.width) for slot in machine.system.rigid_slots)
        yield state, rigid, kind, random_deed(machine, state, kind, chance)


def _noise(slots: Sequence[Slot], chance: random.Random, most: int = 0) -> dict[str, int]:
    """Random values for all slots or for some."""
    chosen = chance.sample(slots, chance.randint(1, most)) if most else slots
    return {slot.name: random_bits(slot.width, chance) for slot in chosen}

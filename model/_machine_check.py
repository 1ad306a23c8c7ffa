"""Does the machine code agree with the terms? Random states and acts, evaluated by Z3's substitution and simplifier."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import z3

from tricklaw.model._machine_plan import JUDGE, judgement_terms, step_of
from tricklaw.model.acts import ActKind, Do, Param
from tricklaw.model.table import Groups

if TYPE_CHECKING:
    from tricklaw.model.machine import Deed, Machine, Rigid, State
    from tricklaw.model.state import Slot

LONGEST_PLAY = 60
"""The acts tried before a random play is given up for a new deal."""


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


def evaluate(terms: Sequence[z3.ExprRef], values: Sequence[tuple[z3.ExprRef, z3.ExprRef]]) -> list[int]:
    """The terms' values, a Bool as 0 or 1; all under one application, so that what they share is simplified once."""
    together = z3.Function("together", *(term.sort() for term in terms), z3.BoolSort())
    found = z3.simplify(z3.substitute(together(*terms), *values)).children()
    return [int(z3.is_true(f)) if z3.is_bool(f) else f.as_long() for f in found]


# random states and acts --------------------------------------------------------------------------------------------


def _samples(machine: Machine, n: int, chance: random.Random) -> Iterator[tuple[State, Rigid, ActKind, Deed]]:
    """In turn: a state of a random play, the same with some fields changed, and random bits."""
    kinds, play = list(machine.kinds.values()), _plays(machine, chance)
    for number in range(n):
        state, rigid = next(play)
        if number % 3 == 1:
            state = machine.pack(machine.fields(state) | _noise(machine.system.slots, chance, 3))
        elif number % 3 == 2:
            state = machine.pack(_noise(machine.system.slots, chance))
            rigid = tuple(chance.getrandbits(slot.width) for slot in machine.system.rigid_slots)
        kind = kinds[number % len(kinds)]
        yield state, rigid, kind, random_deed(machine, state, kind, chance)


def _noise(slots: Sequence[Slot], chance: random.Random, most: int = 0) -> dict[str, int]:
    """Random values for all slots or for some."""
    chosen = chance.sample(slots, chance.randint(1, most)) if most else slots
    return {slot.name: _sparse(slot.width, chance) for slot in chosen}


def _sparse(width: int, chance: random.Random) -> int:
    """Random bits, few, half or most of them set."""
    bits = chance.getrandbits(width)
    match chance.randrange(4):
        case 0:
            return bits & chance.getrandbits(width) & chance.getrandbits(width)
        case 1:
            return 1 << chance.randrange(width)
        case 2:
            return bits | chance.getrandbits(width)
    return bits


def _plays(machine: Machine, chance: random.Random) -> Iterator[tuple[State, Rigid]]:
    """States of random plays, one after the other."""
    kinds = list(machine.kinds.values())
    while True:
        rigid, state = random_rigid(machine, chance), random_deal(machine, chance)
        for _ in range(LONGEST_PLAY):
            yield state, rigid
            kind = chance.choice(kinds[:6] if chance.random() < 0.7 else kinds)
            state = machine.step(state, rigid, kind, random_deed(machine, state, kind, chance)).state


def random_rigid(machine: Machine, chance: random.Random) -> Rigid:
    """A random arrangement of the game, trump suit and choice of readings."""
    groups: Groups = chance.choice(machine.system.arrangements)
    readings = {key: chance.choice(choices) for key, choices in machine.system.readings.items()}
    suits = machine.deck.suits
    return machine.rigid(groups, chance.choice([0, *(1 << i for i in range(suits))]), readings)


def random_deal(machine: Machine, chance: random.Random) -> State:
    """A random deal of a random number of cards, and a random leader."""
    seats = len(machine.names)
    size = chance.randint(1, machine.deck.size // seats)
    cards = chance.sample(range(machine.deck.size), size * seats)
    hands = {name: sum(1 << c for c in cards[i::seats]) for i, name in enumerate(machine.names)}
    return machine.initial(hands, chance.choice(machine.names))


def random_deed(machine: Machine, state: State, kind: ActKind, chance: random.Random) -> Deed:
    """Parameters for an act of that kind that are more often possible than not."""
    from tricklaw.model.machine import Deed

    seats = len(machine.names)
    actor, seat = chance.randrange(seats), chance.randrange(seats)
    whose = seat if kind.do is Do.DEMAND else actor
    hand = machine.read(state, f"own.{machine.names[whose]}")
    cards = _some_of(hand, 2 if kind.do is Do.THROW else 1, chance)
    suit = 1 << chance.randrange(machine.deck.suits) if kind.param is Param.SUIT or not chance.randrange(9) else 0
    if not chance.randrange(20):
        return Deed(*(_sparse(slot.width, chance) for slot in machine.system.act_slots))
    return Deed(1 << actor, cards, suit, 1 << seat, chance.randrange(4))


def _some_of(cards: int, number: int, chance: random.Random) -> int:
    held = [1 << i for i in range(cards.bit_length()) if cards >> i & 1]
    return sum(chance.sample(held, min(number, len(held))))

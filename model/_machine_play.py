"""Random play that reaches the rare places of a law: for tests, and for sieving conjectures before they are proved."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tricklaw.model.acts import ActKind, Do, Param
from tricklaw.model.deals import random_marks
from tricklaw.model.judgement import Judgement, RightNow
from tricklaw.model.machine import Deed, Machine, Rigid, State
from tricklaw.model.table import Groups

LONGEST_PLAY = 60
"""The acts tried before a play is given up for a new deal."""


class Turn(NamedTuple):
    """A state of a random play, and the act tried in it."""

    state: State
    rigid: Rigid
    kind: str
    deed: Deed


def plays(machine: Machine, chance: random.Random) -> Iterator[Turn]:
    """Random plays, one after the other, without end."""
    while True:
        rigid, state = random_rigid(machine, chance), random_deal(machine, chance)
        for _ in range(LONGEST_PLAY):
            kind, deed = apt_act(machine, state, rigid, chance)
            yield Turn(state, rigid, kind, deed)
            state = machine.step(state, rigid, kind, deed).state


def random_rigid(machine: Machine, chance: random.Random) -> Rigid:
    """A random arrangement of the game, trump suit and choice of readings."""
    groups: Groups = chance.choice(machine.system.arrangements)
    readings = {key: chance.choice(choices) for key, choices in machine.system.readings.items()}
    return machine.rigid(groups, chance.choice(machine.system.trump_suits), readings)


def random_deal(machine: Machine, chance: random.Random) -> State:
    """A random deal of a random number of cards, and a random leader."""
    seats = len(machine.names)
    size = chance.randint(1, machine.deck.size // seats)
    cards = chance.sample(range(machine.deck.size), size * seats)
    even = [sum(1 << c for c in cards[i::seats]) for i in range(seats)]
    hands, marks = random_marks(machine.deck, machine.system.table, even, chance)
    return machine.initial(dict(zip(machine.names, hands, strict=True)), chance.choice(machine.names), marks)


def apt_act(machine: Machine, state: State, rigid: Rigid, chance: random.Random) -> tuple[str, Deed]:
    """An act that somebody might well do: exact what is open, take back what may be, lead or play; or anything."""
    judged, what = machine.judge(state, rigid), chance.random()
    rights = judged.open_rights()
    if rights and what < 0.3:
        return _about(machine, state, chance.choice(rights), chance)
    if judged.takes_back and what < 0.5:
        return Do.TAKE_BACK.value, Deed(_one(judged.takes_back, chance))
    if judged.quits and what < 0.7:
        return Do.QUIT.value, Deed(_one(judged.quits, chance))
    if judged.to_act and what < 0.85:
        return _lay(machine, state, judged, chance)
    kind = _any_kind(machine, chance)
    deed = random_deed(machine, state, kind, chance)
    if kind.do is Do.WAIT and judged.to_act:
        deed = Deed(judged.to_act)
    return kind.name, deed


def _any_kind(machine: Machine, chance: random.Random) -> ActKind:
    """Any kind of act; demands and waivers, which are many, are had in their place already."""
    kinds = list(machine.kinds.values())
    plain = [kind for kind in kinds if not kind.right]
    return chance.choice(plain if chance.random() < 0.8 else kinds)


def _about(machine: Machine, state: State, now: RightNow, chance: random.Random) -> tuple[str, Deed]:
    """A demand or waiver under an open right, most often by one who is entitled to it."""
    right = machine.system.rights[now.right]
    others = (1 << len(machine.names)) - 1 & ~(1 << now.seat)
    actor = _one(now.enforcers if now.enforcers and chance.random() < 0.85 else others, chance)
    if chance.random() < 0.25:
        return f"waive {right.id}", Deed(actor, seat=1 << now.seat)
    option, hand = chance.choice(right.options), machine.hand(state, now.seat)
    cards = _one(hand & machine.read(state, "liable") or hand, chance) if option.param is Param.CARD else 0
    suit = 1 << chance.randrange(machine.deck.suits) if option.param is Param.SUIT else 0
    kind = ActKind(Do.DEMAND, right.id, option.text)
    return kind.name, Deed(actor, cards, suit, 1 << now.seat)


def _lay(machine: Machine, state: State, judged: Judgement, chance: random.Random) -> tuple[str, Deed]:
    """Somebody leads or plays, most often the one whose turn it is, and lawfully; now and then he omits to."""
    seat = judged.to_act.bit_length() - 1 if chance.random() < 0.75 else chance.randrange(len(machine.names))
    if Do.OMIT in machine.kinds and chance.random() < 0.05:
        return Do.OMIT.value, Deed(1 << seat)
    hand = machine.hand(state, seat)
    card = _one((judged.lays(seat) if chance.random() < 0.6 else 0) or hand, chance)
    return (Do.PLAY if machine.read(state, "trick") else Do.LEAD).value, Deed(1 << seat, card)


def random_deed(machine: Machine, state: State, kind: ActKind, chance: random.Random) -> Deed:
    """Parameters for an act of that kind that are more often possible than not."""
    seats = len(machine.names)
    actor, seat = chance.randrange(seats), chance.randrange(seats)
    hand = machine.hand(state, seat if kind.do is Do.DEMAND else actor)
    if kind.do is Do.PICK_UP and chance.random() < 0.8:
        faced = machine.read(state, "faced")
        owners = [i for i in range(seats) if machine.hand(state, i) & faced]
        actor = chance.choice(owners) if owners else actor
        hand = machine.hand(state, actor) & faced
    cards = _some(hand, 2 if kind.do in (Do.THROW, Do.SHOW) and chance.random() < 0.7 else 1, chance)
    suit = 1 << chance.randrange(machine.deck.suits) if kind.param is Param.SUIT or not chance.randrange(9) else 0
    if not chance.randrange(20):
        return Deed(*(random_bits(slot.width, chance) for slot in machine.system.act_slots))
    return Deed(1 << actor, cards, suit, 1 << seat, chance.randrange(4))


def random_bits(width: int, chance: random.Random) -> int:
    """Random bits: few, one, half or most of them set."""
    bits = chance.getrandbits(width)
    match chance.randrange(4):
        case 0:
            return bits & chance.getrandbits(width) & chance.getrandbits(width)
        case 1:
            return 1 << chance.randrange(width)
        case 2:
            return bits | chance.getrandbits(width)
    return bits


def _members(members: int) -> Sequence[int]:
    return [1 << i for i in range(members.bit_length()) if members >> i & 1]


def _one(members: int, chance: random.Random) -> int:
    """A set of one of the members; of none where there is none."""
    return chance.choice(_members(members)) if members else 0


def _some(members: int, number: int, chance: random.Random) -> int:
    found = _members(members)
    return sum(chance.sample(found, min(number, len(found))))

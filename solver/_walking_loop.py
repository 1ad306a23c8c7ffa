"""The inner loop of walking: random plays, act after act, with an eye on what is watched.

Compiled once by numba, for any system; the moves are those of the explorer (`_explorer_loop.Plan`), but the column
``IRREGULAR`` says how often of a thousand times an act of the move that is unlawful is done when it was drawn.
"""

from typing import NamedTuple

import numpy as np

from tricklaw.solver._explorer_loop import (
    ACTOR_SHIFT,
    ALL,
    CARD_SHIFT,
    CHOICE_SHIFT,
    IRREGULAR,
    NO_CARDS,
    PAIRS,
    SECOND_SHIFT,
    Integer,
    Numbers,
    Plan,
    Words,
)
from tricklaw.solver._explorer_machine import inner, mix, outer, prepare, run, trailing_zeros, user_cache

TRIES = 1_000
"""How often another act is drawn where the one drawn is not possible, before a play ends."""

PERMILLE = 1000

FEW = 8
"""How often two things said together of a player are new: as often the play that leads to them is put down."""

SELDOM = 64
"""One state of so many is kept as a sample."""

MADE, ACTS, KEPT = range(3)
"""What `Walks.control` counts: hits put down, acts done, samples kept."""


class Walks(NamedTuple):
    """What plays begin with, and what they come to.

    Attributes:
        starts: a row for each deal: its packed words, then the row of ``rigids`` that it is played under.
        rigids: the settled rows of rigid fields.
        wheel: moves, each as often as it is to be drawn.
        open: for each move the output of the function of open rights that says who may do it, or -1.
        dials: which step flags are unlawful acts; acts a play; fields of an act; the address of that function or 0; the
            address of the function of situations; the words that it has for each player, and the players.
        met: how often each two things that can be said of a player were said of one together.
        wanted: for each target how many hits are wanted: the outputs of the watch function, the step flags, and at last
            situations that are new.
        often: for each target how often it was hit.
        hits: a row for each hit: the target, the number of the deal, the number of acts.
        codes: the acts of each hit, as codes.
        ends: the states in which hits were made, or before whose last act; each with the number of the deal.
        samples: some of the states come to, the same.
        room: a row each for what compiled functions keep, the act, cards held, what is put out, what is watched, the
            state, who may exact what, what can be said of each player, and of one of them by number.
        control: see ``MADE`` and following.
        chance: the state of the source of random numbers.
    """

    starts: Words
    rigids: Words
    wheel: Numbers
    open: Numbers
    dials: Words
    met: Numbers
    wanted: Numbers
    often: Numbers
    hits: Numbers
    codes: Words
    ends: Words
    samples: Words
    room: Words
    control: Numbers
    chance: Words


_ONE, _ZERO = np.uint64(1), np.uint64(0)
_KEEP, _ACT, _HELD, _OUT, _WATCHED, _STATE, _OPEN, _SITUATIONS, _SAID = range(9)

with user_cache():

    @inner
    def _random(walks: Walks, below: Integer) -> np.int64:
        """A random number below another."""
        walks.chance[0] += np.uint64(0x9E3779B97F4A7C15)
        return np.int64((mix(walks.chance[0]) >> _ONE) % np.uint64(below))

    @inner
    def _member(walks: Walks, members: np.uint64) -> np.uint64:
        """One bit of a set that is not empty."""
        count, rest = 0, members
        while rest != _ZERO:
            rest &= rest - _ONE
            count += 1
        for _ in range(_random(walks, count)):
            members &= members - _ONE
        return members & (~members + _ONE)

    @inner
    def _address(walks: Walks, row: int) -> np.uint64:
        return np.uint64(walks.room.ctypes.data) + np.uint64(8 * row * walks.room.shape[1])

    @inner
    def _keep(walks: Walks, rows: Words, at: Integer, start: Integer) -> None:
        """Keep the state in a row."""
        words = rows.shape[1] - 1
        for word in range(words):
            rows[at, word] = walks.room[_STATE, word]
        rows[at, words] = np.uint64(start)

    @inner
    def _hit(walks: Walks, target: Integer, start: Integer, acts: Integer) -> None:
        """Put down the play so far, whose acts lie in the row of ``codes`` after those of the last hit."""
        made = walks.control[MADE]
        if walks.often[target] >= walks.wanted[target] or made + 1 >= len(walks.hits):
            return
        walks.often[target] += 1
        walks.hits[made, 0], walks.hits[made, 1], walks.hits[made, 2] = target, start, acts
        _keep(walks, walks.ends, made, start)
        for at in range(acts):
            walks.codes[made + 1, at] = walks.codes[made, at]
        walks.control[MADE] = made + 1

    @inner
    def _is_new(walks: Walks, seat: Integer, words: Integer) -> bool:
        """Whether two things were said of a player together fewer than a few times before; this time is counted."""
        said, new = 0, False
        for word in range(words):
            members = walks.room[_SITUATIONS, seat * words + word]
            while members != _ZERO:
                walks.room[_SAID, said] = np.uint64(64 * word) + trailing_zeros(members)
                members &= members - _ONE
                said += 1
        for first in range(said):
            for second in range(first + 1):
                one, other = np.int64(walks.room[_SAID, first]), np.int64(walks.room[_SAID, second])
                new |= walks.met[one, other] < FEW
                walks.met[one, other] += 1
        return new

    @inner
    def _look_for_new(walks: Walks, rigid_at: np.uint64, start: Integer, acts: Integer) -> None:
        """Put down the play so far if some player has come into a situation that is new."""
        keep_at, state_at, act_at = _address(walks, _KEEP), _address(walks, _STATE), _address(walks, _ACT)
        run(walks.dials[4], keep_at, rigid_at, state_at, act_at, _address(walks, _SITUATIONS))
        new = False
        for seat in range(np.int64(walks.dials[6])):
            new |= _is_new(walks, seat, np.int64(walks.dials[5]))
        if new and acts > 0:
            _hit(walks, len(walks.wanted) - 1, start, acts)

    @inner
    def _look(plan: Plan, walks: Walks, rigid_at: np.uint64, start: Integer, acts: Integer, watched: int) -> None:
        """Prepare the compiled functions for the state and put down what is wanted and watched in it."""
        keep_at, state_at, act_at = _address(walks, _KEEP), _address(walks, _STATE), _address(walks, _ACT)
        prepare(plan.addresses[0], state_at, rigid_at, keep_at)
        if walks.dials[3] != _ZERO:
            run(walks.dials[3], keep_at, rigid_at, state_at, act_at, _address(walks, _OPEN))
        _look_for_new(walks, rigid_at, start, acts)
        if watched == 0:
            return
        run(plan.addresses[1], keep_at, rigid_at, state_at, act_at, _address(walks, _WATCHED))
        for target in range(watched):
            if walks.room[_WATCHED, target] != _ZERO:
                _hit(walks, target, start, acts)

    @inner
    def _drawn(plan: Plan, walks: Walks, rigid_at: np.uint64) -> np.uint64:
        """Draw an act, possible or not; its code, with the act in the room, or -1 where the draw comes to nothing."""
        act, keep_at = walks.room[_ACT], _address(walks, _KEEP)
        move = walks.wheel[_random(walks, len(walks.wheel))]
        actor_slot, actors, card_slot, source, held, first, choices, needed, _ = plan.moves[move]
        if needed >= 0 and walks.room[_KEEP, needed] == _ZERO:
            return ~_ZERO
        if walks.open[move] >= 0:
            may = walks.room[_OPEN, walks.open[move]]
            if may == _ZERO:
                return ~_ZERO
            actor = np.int64(trailing_zeros(_member(walks, may)))
        else:
            actor = _random(walks, actors)
        for slot in range(np.int64(walks.dials[2])):
            act[slot] = _ZERO
        act[actor_slot] = _ONE << np.uint64(actor)
        code = np.uint64(move) | np.uint64(actor) << np.uint64(ACTOR_SHIFT)
        if plan.steps[move, 1] != _ZERO:
            state_at, act_at = _address(walks, _STATE), _address(walks, _ACT)
            run(plan.steps[move, 1], keep_at, rigid_at, state_at, act_at, _address(walks, _OUT))
            if walks.room[_OUT, 0] == _ZERO:
                return ~_ZERO
        if source != NO_CARDS:
            for at in range(len(plan.holders)):
                if np.int64(plan.holders[at, 1]) == held:
                    state_at, act_at = _address(walks, _STATE), _address(walks, _ACT)
                    run(plan.holders[at, 0], keep_at, rigid_at, state_at, act_at, _address(walks, _HELD))
            cards = walks.room[_HELD, actor]
            if cards == _ZERO:
                return ~_ZERO
            if source == ALL:
                act[card_slot] = cards
            else:
                card = _member(walks, cards)
                act[card_slot] = card
                if source == PAIRS:
                    other = cards ^ card
                    if other == _ZERO:
                        return ~_ZERO
                    other = _member(walks, other)
                    act[card_slot] = card | other
                    card, other = min(card, other), max(card, other)
                    code |= trailing_zeros(other) << np.uint64(SECOND_SHIFT)
                code |= trailing_zeros(card) << np.uint64(CARD_SHIFT)
        choice = _random(walks, choices)
        for at in range(plan.choice_slots.shape[1]):
            slot = plan.choice_slots[move, at]
            if slot >= 0:
                act[slot] = plan.choices[first + choice, at]
        return code | np.uint64(choice) << np.uint64(CHOICE_SHIFT)

    @inner
    def _flagged(walks: Walks, flags: np.uint64, start: Integer, acts: Integer, watched: int) -> None:
        """Put down the flags of a possible act that are wanted."""
        while flags != _ZERO:
            _hit(walks, watched + np.int64(trailing_zeros(flags)), start, acts)
            flags &= flags - _ONE

    @inner
    def _act(
        plan: Plan, walks: Walks, rigid_at: np.uint64, start: Integer, acts: Integer, words: int, watched: int
    ) -> bool:
        """Do one act that is possible and not the same state again; False where none was drawn."""
        for _ in range(TRIES):
            code = _drawn(plan, walks, rigid_at)
            if code == ~_ZERO:
                continue
            state_at, act_at, out_at = _address(walks, _STATE), _address(walks, _ACT), _address(walks, _OUT)
            step = plan.steps[np.int64(code & np.uint64((1 << ACTOR_SHIFT) - 1)), 0]
            run(step, _address(walks, _KEEP), rigid_at, state_at, act_at, out_at)
            flags, move = walks.room[_OUT, 1], np.int64(code & np.uint64((1 << ACTOR_SHIFT) - 1))
            if walks.room[_OUT, 0] == _ZERO:
                continue
            walks.codes[walks.control[MADE], acts] = code
            _flagged(walks, flags, start, acts + 1, watched)
            if flags & walks.dials[0] != _ZERO and _random(walks, PERMILLE) >= plan.moves[move, IRREGULAR]:
                continue
            same = True
            for at in range(words):
                same &= walks.room[_OUT, 2 + at] == walks.room[_STATE, at]
            if same:
                continue
            for at in range(words):
                walks.room[_STATE, at] = walks.room[_OUT, 2 + at]
            return True
        return False

    @outer
    def walk(plan: Plan, walks: Walks, plays: int) -> None:
        """Play so many plays, each from a deal drawn at random."""
        words, targets = walks.starts.shape[1] - 1, len(walks.wanted)
        watched = targets - 64 - 1
        for _ in range(plays):
            start = _random(walks, len(walks.starts))
            for at in range(words):
                walks.room[_STATE, at] = walks.starts[start, at]
            rigid = np.int64(walks.starts[start, words])
            rigid_at = np.uint64(walks.rigids.ctypes.data) + np.uint64(8 * rigid * walks.rigids.shape[1])
            acts = 0
            while acts < np.int64(walks.dials[1]):
                _look(plan, walks, rigid_at, start, acts, watched)
                if not _act(plan, walks, rigid_at, start, acts, words, watched):
                    break
                acts += 1
                if walks.control[KEPT] < len(walks.samples) and _random(walks, SELDOM) == 0:
                    _keep(walks, walks.samples, walks.control[KEPT], start)
                    walks.control[KEPT] += 1
            walks.control[ACTS] += acts

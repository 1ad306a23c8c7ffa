"""The inner loop of the explorer: compiled once by numba, for any system.

States lie one after the other in breadth-first order, a row each: the packed words, then a key word, with the rigid
index in its lower half and the irregular acts used in its upper half. Successors are written by the compiled steps
straight into a batch of rows; a full batch is looked up together, so that the memory fetches of many rows overlap.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tricklaw.solver._explorer_machine import inner as _inner
from tricklaw.solver._explorer_machine import mix as _mix
from tricklaw.solver._explorer_machine import outer as _outer
from tricklaw.solver._explorer_machine import prefetch as _prefetch
from tricklaw.solver._explorer_machine import prepare as _prepare
from tricklaw.solver._explorer_machine import run as _run
from tricklaw.solver._explorer_machine import trailing_zeros
from tricklaw.solver._explorer_machine import user_cache as _user_cache

Words: TypeAlias = npt.NDArray[np.uint64]
Numbers: TypeAlias = npt.NDArray[np.int64]
Integer: TypeAlias = int | np.int64

NO_CARDS, EACH, PAIRS, ALL = range(4)
"""How a move draws cards from the set held."""

FIRST_CHOICE, CHOICES, NEEDED, IRREGULAR = 5, 6, 7, 8
"""Columns of `Plan.moves`."""

HEAD, COUNT, PENDING, TRANSITIONS, PRUNED, SUPERSEDED, DROPPED = range(7)
"""What `Work.control` counts: states expanded; states; rows in the batch; transitions; those beyond the budget; states
found again with fewer irregular acts; new states for which there was no more room."""

EDGE = 3
"""The length of an edge: the node from and, in the upper half, the node to; the move and, above it, the actor as counted
from a seat; the flags."""

BATCH = 256
"""Successors that are looked up together."""

NO_PARENT = (1 << 64) - 1
"""The parent of an initial state; -1 once it is stored."""

MOST_STATES = (1 << 31) - 1
"""States are numbered by 31 bits."""

ACTOR_SHIFT, CARD_SHIFT, SECOND_SHIFT, CHOICE_SHIFT = 10, 16, 22, 28
"""Where an act's parts lie in its code; the move lies below."""

MOVES = 1 << ACTOR_SHIFT
"""The greatest number of moves."""


class Plan(NamedTuple):
    """The moves as arrays.

    Attributes:
        moves: a row each: actor slot, actors, card slot, card source, offset in ``held`` or -1, first choice, number of
            choices, the word of ``temps`` without which no act is possible or -1.
        steps: for each move the addresses of its step, and of the gate that an actor must pass or 0.
        holders: a row for each function of sets held: its address, its offset in ``Work.held``.
        choice_slots: for each move the act slots of its choices, -1 for none.
        choices: the values, a row for each combination.
        addresses: of ``prepare``, of the watch function (0 for none).
        limits: flags that are irregular, their greatest number, flags to watch, the greatest number of states.
    """

    moves: Numbers
    steps: Words
    holders: Words
    choice_slots: Numbers
    choices: Words
    addresses: Words
    limits: Words


class Store(NamedTuple):
    """The states: rows, the row each came from and by which act, and a hash table of row numbers."""

    states: Words
    parents: npt.NDArray[np.int32]
    acts: Words
    table: Words


class Work(NamedTuple):
    """What the loop writes besides the states.

    Attributes:
        rigids: a row for each choice of the rigid fields, settled.
        temps, act, held, watched, gate: arrays for the compiled functions.
        rows: the batch; a row is possible, flags, the packed words, the key, the hash, the parent, the act.
        control: see ``HEAD`` and following.
        per_move: the number of transitions made by each move.
        per_flag: the number of transitions with each flag.
        first_watched: for each choice of the rigid fields the first state in which each watched output was true, or -1.
        first_flagged: for each of them and each watched flag the state from which it was first seen, or -1, and the act.
    """

    rigids: Words
    temps: Words
    act: Words
    held: Words
    watched: Words
    gate: Words
    rows: Words
    control: Numbers
    per_move: Numbers
    per_flag: Numbers
    first_watched: Numbers
    first_flagged: Numbers


class Links(NamedTuple):
    """What states are merged into, and what leads from one to another.

    Attributes:
        address: of a compiled function of the state, in an array of one: the seat that others are counted from, then the
            words of its node.
        key: an array for its outputs.
        nodes: a row for each node: its words, the first state merged into it, the fewest irregular acts before such a state.
        node_table: a hash table of their numbers.
        place: for each state its node, and in the two lowest bits the seat that others are counted from.
        moved: for each state whether a regular act, one without a flag of the budget, leads to another state.
        edge: an array for an edge.
        edges: a row for each edge, see ``EDGE``.
        edge_table: a hash table of their numbers.
        counts: the numbers of nodes, of edges, and of states that have a place.
    """

    address: Words
    key: Words
    nodes: Words
    node_table: Numbers
    place: Numbers
    moved: npt.NDArray[np.bool_]
    edge: Words
    edges: Words
    edge_table: Numbers
    counts: Numbers


class Here(NamedTuple):
    """The state that is being expanded: its number, the row of its rigid fields, the addresses of both."""

    state: int
    row: Integer
    words_at: np.uint64
    rigid_at: np.uint64


_MOVE = np.uint64(MOVES - 1)
_ONE, _ZERO, _HALF = np.uint64(1), np.uint64(0), np.uint64(32)
_LOW, _HIGH = np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFF00000000)

with _user_cache():

    @_inner
    def _hash(rows: Words, row: int, first: int, words: int) -> np.uint64:
        """The hash of a row's packed words and rigid index: the table has its upper half where the lower half says."""
        value = _mix(rows[row, first + words] & _LOW)
        for at in range(first, first + words):
            value = _mix(value ^ rows[row, at])
        return _mix(value)

    @_inner
    def _equal(states: Words, state: Integer, rows: Words, row: int, first: int, words: int) -> bool:
        """Whether a row has the packed words and the rigid index of a state."""
        different = (states[state, words] ^ rows[row, first + words]) & _LOW
        for at in range(words):
            different |= states[state, at] ^ rows[row, first + at]
        return bool(different == _ZERO)

    @_outer
    def insert(store: Store, work: Work, limit: Integer) -> None:
        """Look up the rows of the batch and add those that are new; there must be room for all of them."""
        states, table, rows, control = store.states, store.table, work.rows, work.control
        words, mask = states.shape[1] - 1, np.uint64(len(table) - 1)
        place, size = np.uint64(states.ctypes.data), np.uint64(8 * (words + 1))
        for row in range(control[PENDING]):
            entry = table[rows[row, words + 3] & mask]
            if (entry ^ rows[row, words + 3]) & _HIGH == _ZERO:
                _prefetch(place + ((entry & _LOW) - _ONE) * size)
        for row in range(control[PENDING]):
            tag, slot = rows[row, words + 3] & _HIGH, rows[row, words + 3] & mask
            while True:
                entry = table[slot]
                state = np.int64(entry & _LOW) - 1
                if entry == _ZERO or (entry & _HIGH == tag and _equal(states, state, rows, row, 2, words)):
                    break
                slot = (slot + _ONE) & mask
            if entry != _ZERO and states[state, words] <= rows[row, words + 2]:
                continue
            new = control[COUNT]
            if new >= limit:
                control[DROPPED] += 1
                continue
            control[SUPERSEDED] += entry != _ZERO
            for at in range(words + 1):
                states[new, at] = rows[row, 2 + at]
            store.parents[new] = np.int32(np.int64(rows[row, words + 4]))
            store.acts[new] = rows[row, words + 5]
            control[COUNT] = new + 1
            table[slot] = tag | np.uint64(new + 1)
        control[PENDING] = 0

    @_outer
    def rehash(store: Store, count: int) -> None:
        """Fill an empty table with the states; of equal ones it gets the last, which took the place of the others."""
        states, table, words = store.states, store.table, store.states.shape[1] - 1
        mask = np.uint64(len(table) - 1)
        for state in range(count):
            value = _hash(states, state, 0, words)
            slot = value & mask
            while True:
                entry = table[slot]
                if entry == _ZERO:
                    break
                twin = np.int64(entry & _LOW) - 1
                if (entry ^ value) & _HIGH == _ZERO and _equal(states, twin, states, state, 0, words):
                    break
                slot = (slot + _ONE) & mask
            table[slot] = (value & _HIGH) | np.uint64(state + 1)

    @_inner
    def _find(store: Store, work: Work, state: int) -> Here:
        """The addresses that belong to a state."""
        words = store.states.shape[1] - 1
        words_at = np.uint64(store.states.ctypes.data) + np.uint64(state) * np.uint64(8 * (words + 1))
        row = store.states[state, words] & _LOW
        rigid_at = np.uint64(work.rigids.ctypes.data) + row * np.uint64(8 * work.rigids.shape[1])
        return Here(state, np.int64(row), words_at, rigid_at)

    @_inner
    def _evaluate(work: Work, here: Here, address: np.uint64, out_at: np.uint64) -> None:
        """Run a compiled step or function."""
        temps_at, act_at = np.uint64(work.temps.ctypes.data), np.uint64(work.act.ctypes.data)
        _run(address, temps_at, here.rigid_at, here.words_at, act_at, out_at)

    @_inner
    def _examine(plan: Plan, work: Work, here: Here) -> None:
        """Prepare the compiled functions for a state and evaluate what is watched in it."""
        _prepare(plan.addresses[0], here.words_at, here.rigid_at, np.uint64(work.temps.ctypes.data))
        if plan.addresses[1] != _ZERO:
            _evaluate(work, here, plan.addresses[1], np.uint64(work.watched.ctypes.data))
            for number in range(len(work.watched)):
                if work.watched[number] != _ZERO and work.first_watched[here.row, number] < 0:
                    work.first_watched[here.row, number] = here.state

    @_inner
    def _count(plan: Plan, work: Work, here: Here, code: np.uint64, flags: np.uint64) -> None:
        """Count a transition and its flags."""
        work.control[TRANSITIONS] += 1
        work.per_move[np.int64(code & _MOVE)] += 1
        while flags != _ZERO:
            flag = trailing_zeros(flags)
            work.per_flag[flag] += 1
            if (plan.limits[2] >> flag) & _ONE != _ZERO and work.first_flagged[here.row, flag, 0] < 0:
                work.first_flagged[here.row, flag, 0] = here.state
                work.first_flagged[here.row, flag, 1] = np.int64(code)
            flags &= flags - _ONE

    @_inner
    def _try(plan: Plan, store: Store, work: Work, here: Here, code: np.uint64) -> None:
        """Do the act in ``Work.act``; if it is possible and within the budget, its successor stays in the batch."""
        rows, row, words = work.rows, work.control[PENDING], store.states.shape[1] - 1
        row_at = np.uint64(rows.ctypes.data) + np.uint64(row) * np.uint64(8 * (words + 6))
        _evaluate(work, here, plan.steps[np.int64(code & _MOVE), 0], row_at)
        if rows[row, 0] == _ZERO:
            return
        key = store.states[here.state, words]
        if rows[row, 1] & plan.limits[0] != _ZERO:
            key += _ONE << _HALF
            if key >> _HALF > plan.limits[1]:
                work.control[PRUNED] += 1
                return
        _count(plan, work, here, code, rows[row, 1])
        rows[row, words + 2] = key
        value = _hash(rows, row, 2, words)
        rows[row, words + 3] = value
        rows[row, words + 4] = np.uint64(here.state)
        rows[row, words + 5] = code
        work.control[PENDING] = row + 1
        _prefetch(np.uint64(store.table.ctypes.data) + (value & np.uint64(len(store.table) - 1)) * np.uint64(8))

    @_inner
    def _choose(plan: Plan, store: Store, work: Work, here: Here, code: np.uint64) -> None:
        """Try a move of one actor with some cards, with every combination of its choices."""
        move = np.int64(code & _MOVE)
        for choice in range(plan.moves[move, CHOICES]):
            for at in range(plan.choice_slots.shape[1]):
                slot = plan.choice_slots[move, at]
                if slot >= 0:
                    work.act[slot] = plan.choices[plan.moves[move, FIRST_CHOICE] + choice, at]
            _try(plan, store, work, here, code | np.uint64(choice) << np.uint64(CHOICE_SHIFT))

    @_inner
    def _draw(plan: Plan, store: Store, work: Work, here: Here, code: np.uint64, held: np.uint64) -> None:
        """Try a move of one actor with every draw of cards from those held."""
        _, _, card_slot, source, _, _, _, _, _ = plan.moves[np.int64(code & _MOVE)]
        rest = _ONE if source == NO_CARDS or (source == ALL and held != _ZERO) else held
        while rest != _ZERO:
            card = rest & (~rest + _ONE)
            rest ^= card
            others = rest if source == PAIRS else _ONE
            while others != _ZERO:
                other = others & (~others + _ONE)
                others ^= other
                drawn = code
                if source in (EACH, PAIRS):
                    drawn |= trailing_zeros(card) << np.uint64(CARD_SHIFT)
                    work.act[card_slot] = card
                if source == PAIRS:
                    drawn |= trailing_zeros(other) << np.uint64(SECOND_SHIFT)
                    work.act[card_slot] = card | other
                if source == ALL:
                    work.act[card_slot] = held
                _choose(plan, store, work, here, drawn)

    @_inner
    def _expand(plan: Plan, store: Store, work: Work, state: int) -> None:
        """Put all successors of a state into the batch."""
        here = _find(store, work, state)
        _examine(plan, work, here)
        for at in range(len(plan.holders)):
            held_at = np.uint64(work.held.ctypes.data) + np.uint64(8) * plan.holders[at, 1]
            _evaluate(work, here, plan.holders[at, 0], held_at)
        gate_at = np.uint64(work.gate.ctypes.data)
        spent = store.states[state, store.states.shape[1] - 1] >> _HALF >= plan.limits[1]
        for move in range(len(plan.moves)):
            actor_slot, actors, _, _, held, _, _, needed, irregular = plan.moves[move]
            if (needed >= 0 and work.temps[needed] == _ZERO) or (irregular != 0 and spent):
                continue
            work.act[:] = _ZERO
            for actor in range(actors):
                work.act[actor_slot] = _ONE << np.uint64(actor)
                if plan.steps[move, 1] != _ZERO:
                    _evaluate(work, here, plan.steps[move, 1], gate_at)
                    if work.gate[0] == _ZERO:
                        continue
                code = np.uint64(move) | np.uint64(actor) << np.uint64(ACTOR_SHIFT)
                _draw(plan, store, work, here, code, work.held[held + actor] if held >= 0 else _ZERO)

    @_outer
    def advance(plan: Plan, store: Store, work: Work, end: int) -> bool:
        """Expand the states before ``end`` in turn and add what they lead to; false if the store needs room first."""
        control, room = work.control, min(len(store.states), len(store.table) // 2)
        while True:
            if control[PENDING] >= BATCH or control[HEAD] >= end:
                if control[COUNT] + control[PENDING] > room:
                    return False
                insert(store, work, np.int64(plan.limits[3]))
                if control[HEAD] >= end or control[DROPPED] > 0:
                    return True
            _expand(plan, store, work, control[HEAD])
            control[HEAD] += 1

    @_outer
    def examine(plan: Plan, store: Store, work: Work, first: int, end: int) -> None:
        """Evaluate what is watched in some states."""
        for state in range(first, end):
            _examine(plan, work, _find(store, work, state))

    @_outer
    def hash_rows(work: Work, words: int) -> None:
        """Fill in the hashes of the rows of the batch."""
        for row in range(work.control[PENDING]):
            work.rows[row, words + 3] = _hash(work.rows, row, 2, words)

    @_inner
    def _lookup(rows: Words, table: Numbers, key: Words, first: int, width: int) -> Integer:
        """The place in a hash table of the row that begins with a key, or the free place that it would get."""
        value = _ZERO
        for at in range(width):
            value = _mix(value ^ key[first + at])
        mask = np.uint64(len(table) - 1)
        slot = _mix(value) & mask
        while table[slot] != 0:
            different = _ZERO
            for at in range(width):
                different |= rows[table[slot] - 1, at] ^ key[first + at]
            if different == _ZERO:
                break
            slot = (slot + _ONE) & mask
        return np.int64(slot)

    @_inner
    def _merge(plan: Plan, store: Store, work: Work, links: Links, state: int) -> None:
        """Find the node of a state; make it if need be."""
        here, width, nodes = _find(store, work, state), len(links.key) - 1, links.nodes
        _prepare(plan.addresses[0], here.words_at, here.rigid_at, np.uint64(work.temps.ctypes.data))
        _evaluate(work, here, links.address[0], np.uint64(links.key.ctypes.data))
        slot = _lookup(nodes, links.node_table, links.key, 1, width)
        used = store.states[state, store.states.shape[1] - 1] >> _HALF
        if links.node_table[slot] == 0:
            new = links.counts[0]
            for at in range(width):
                nodes[new, at] = links.key[1 + at]
            nodes[new, width], nodes[new, width + 1] = np.uint64(state), used
            links.counts[0], links.node_table[slot] = new + 1, new + 1
        node = links.node_table[slot] - 1
        nodes[node, width + 1] = min(nodes[node, width + 1], used)
        links.place[state] = node << 2 | np.int64(trailing_zeros(links.key[0]))

    @_inner
    def _number(store: Store, rows: Words, row: int) -> Integer:
        """The number of the state that a row of the batch is equal to, the last of several; -1 if it was dropped."""
        words, mask = store.states.shape[1] - 1, np.uint64(len(store.table) - 1)
        tag, slot = rows[row, words + 3] & _HIGH, rows[row, words + 3] & mask
        while store.table[slot] != _ZERO:
            state = np.int64(store.table[slot] & _LOW) - 1
            if store.table[slot] & _HIGH == tag and _equal(store.states, state, rows, row, 2, words):
                return state
            slot = (slot + _ONE) & mask
        return -1

    @_inner
    def _join(plan: Plan, store: Store, rows: Words, row: int, links: Links, seats: int) -> None:
        """Keep the transition of a row of the batch, unless one like it is known or it changes and tells nothing."""
        words, edge, count = store.states.shape[1] - 1, links.edge, links.counts[1]
        after, before, code = _number(store, rows, row), np.int64(rows[row, words + 4]), rows[row, words + 5]
        if rows[row, 1] & plan.limits[0] == _ZERO and not _equal(store.states, before, rows, row, 2, words):
            links.moved[before] = True
        if after < 0 or (links.place[before] >> 2 == links.place[after] >> 2 and rows[row, 1] == _ZERO):
            return
        turned = (np.int64(code >> np.uint64(ACTOR_SHIFT)) & 63) + seats - (links.place[before] & 3)
        edge[0] = np.uint64(links.place[before] >> 2) | np.uint64(links.place[after] >> 2) << _HALF
        edge[1] = (code & _MOVE) | np.uint64(turned % seats) << np.uint64(ACTOR_SHIFT)
        edge[2] = rows[row, 1]
        slot = _lookup(links.edges, links.edge_table, edge, 0, EDGE)
        if links.edge_table[slot] == 0:
            for at in range(EDGE):
                links.edges[count, at] = edge[at]
            links.counts[1], links.edge_table[slot] = count + 1, count + 1

    @_outer
    def link(plan: Plan, store: Store, work: Work, links: Links, rows: int, seats: int) -> None:
        """Merge the states that are new, and keep the transitions of the batch that has just been added."""
        for state in range(links.counts[2], work.control[COUNT]):
            _merge(plan, store, work, links, state)
        links.counts[2] = work.control[COUNT]
        for row in range(rows):
            _join(plan, store, work.rows, row, links, seats)

    @_outer
    def advance_linked(plan: Plan, store: Store, work: Work, links: Links, seats: int, end: int) -> bool:
        """The same as ``advance``, and link what is found; stop early also if the links need room."""
        control, room = work.control, min(len(store.states), len(store.table) // 2, len(links.place))
        while True:
            if control[PENDING] >= BATCH or control[HEAD] >= end:
                rows = control[PENDING]
                new = control[COUNT] + rows - links.counts[2]
                fits = links.counts[0] + new <= len(links.nodes) and links.counts[1] + rows <= len(links.edges)
                if control[COUNT] + rows > room or not fits:
                    return False
                insert(store, work, np.int64(plan.limits[3]))
                link(plan, store, work, links, rows, seats)
                if control[HEAD] >= end or control[DROPPED] > 0:
                    return True
            _expand(plan, store, work, control[HEAD])
            control[HEAD] += 1

    @_outer
    def refill(rows: Words, table: Numbers, count: int, width: int) -> None:
        """Fill an empty hash table with the numbers of rows, which begin with different keys."""
        for row in range(count):
            table[_lookup(rows, table, rows[row], 0, width)] = row + 1

"""The explorer finds what a plain search finds that knows the rules of a toy game."""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import z3

from tricklaw.model.native import Field, Function, Native, Step, compile_native
from tricklaw.solver import _explorer_loop, _explorer_plan
from tricklaw.solver.explorer import Budget, Ending, Exploration, Move, Played, Progress, explore

CARDS = 6
SEATS = range(4)
OUT_OF_TURN, SHOWN, LAST_CARD = 1, 2, 4
"""The flags."""


class State(NamedTuple):
    """A toy game of four seats: the hands, the cards on the table, the cards shown, whose turn it is (one bit)."""

    hands: tuple[int, int, int, int]
    table: int
    shown: int
    turn: int


class Transition(NamedTuple):
    """What a player can do in a state."""

    step: str
    act: dict[str, int]
    flags: int
    after: State


# The rules in Python --------------------------------------------------------------------------------------------------


def successors(state: State, mates: int) -> Iterator[Transition]:
    """Every possible act: play a card, even out of turn; show a pair; lay down all cards; clear the table."""
    for seat, hand in enumerate(state.hands):
        actor = 1 << seat
        for card in bits(hand):
            yield play(state, seat, card)
        for one, other in itertools.combinations(bits(hand & ~state.shown), 2):
            if state.table == 0:
                act = {"actor": actor, "cards": one | other}
                yield Transition("show", act, SHOWN, state._replace(shown=state.shown | one | other))
        if hand and actor & mates and not state.table:
            after = State(without(state.hands, seat, hand), hand, state.shown & ~hand, state.turn)
            yield Transition("lay", {"actor": actor, "cards": hand}, 0, after)
        for to, whole in itertools.product((1, 4, 8), (0, 1)):
            if state.table and to != actor and (whole or to & mates):
                after = state._replace(table=0, turn=to, shown=0 if whole else state.shown)
                yield Transition("clear", {"actor": actor, "to": to, "whole": whole}, 0, after)


def play(state: State, seat: int, card: int) -> Transition:
    """Play a card: the turn passes to the next seat."""
    actor, following = 1 << seat, 1 << (seat + 1) % 4
    flags = OUT_OF_TURN * (actor != state.turn) | LAST_CARD * (state.hands[seat] == card)
    after = State(without(state.hands, seat, card), state.table | card, state.shown & ~card, following)
    return Transition("play", {"actor": actor, "cards": card}, flags, after)


def without(hands: tuple[int, ...], seat: int, cards: int) -> tuple[int, int, int, int]:
    """The hands after a seat has parted with cards."""
    a, b, c, d = (hand & ~cards if at == seat else hand for at, hand in enumerate(hands))
    return a, b, c, d


def bits(cards: int) -> list[int]:
    """The cards of a set, one by one."""
    return [1 << at for at in range(CARDS) if cards >> at & 1]


class Found(NamedTuple):
    """What the plain search found: the least depth of each state, the transitions made, with their flags."""

    depth: dict[tuple[State, int], int]
    steps: Counter[str]
    flags: Counter[int]


def search(roots: list[tuple[State, int]], limit: int | None = None) -> Found:
    """Breadth first, over states and numbers of acts out of turn, which are at most the limit."""
    found = Found({}, Counter(), Counter())
    queue = [(state, mates, 0, 0) for state, mates in roots]
    seen = {(state, mates, 0) for state, mates in roots}
    for state, mates, used, depth in queue:
        found.depth.setdefault((state, mates), depth)
        for transition in successors(state, mates):
            spent = used + bool(transition.flags & OUT_OF_TURN) if limit is not None else 0
            if limit is not None and spent > limit:
                continue
            found.steps[transition.step] += 1
            found.flags.update(flag for flag in range(3) if transition.flags >> flag & 1)
            if (key := (transition.after, mates, spent)) not in seen:
                seen.add(key)
                queue.append((transition.after, mates, spent, depth + 1))
    return found


# The same rules as terms ----------------------------------------------------------------------------------------------

HANDS = z3.BitVecs([f"hand{seat}" for seat in SEATS], CARDS)
TABLE, SHOWN_CARDS, DRAWN = z3.BitVecs("table shown cards", CARDS)
TURN, ACTOR, MATES, TO = z3.BitVecs("turn actor mates to", 4)
WHOLE = z3.Bool("whole")
MOVES = [
    Move("play", "actor", "cards", "each", "hands"),
    Move("show", "actor", "cards", "pairs", "hidden"),
    Move("lay", "actor", "cards", "all", "hands"),
    Move("clear", "actor", choices=(("to", (1, 4, 8)), ("whole", (0, 1)))),
]


def acts(seat: int) -> z3.BoolRef:
    """Whether the actor sits there."""
    return z3.Extract(seat, seat, ACTOR) == 1


def steps() -> list[Step]:
    """The four steps."""
    yes, no = z3.BoolVal(True), z3.BoolVal(False)
    parted = {f"hand{seat}": z3.If(acts(seat), hand & ~DRAWN, hand) for seat, hand in enumerate(HANDS)}
    moved = {**parted, "table": TABLE | DRAWN, "shown": SHOWN_CARDS & ~DRAWN}
    mine = z3.Or(*(z3.And(acts(seat), DRAWN & ~hand == 0, DRAWN != 0) for seat, hand in enumerate(HANDS)))
    mine = z3.And(mine, TO == 0, z3.Not(WHOLE))  # act fields that a move does not name are 0
    last = z3.Or(*(z3.And(acts(seat), hand == DRAWN) for seat, hand in enumerate(HANDS)))
    following = z3.Concat(z3.Extract(2, 0, ACTOR), z3.Extract(3, 3, ACTOR))
    clear = z3.And(TABLE != 0, TO != ACTOR, z3.Or(WHOLE, TO & MATES != 0))
    return [
        Step("play", mine, (ACTOR != TURN, no, last), {**moved, "turn": following}),
        Step("show", z3.And(mine, TABLE == 0, DRAWN & SHOWN_CARDS == 0), (no, yes), {"shown": SHOWN_CARDS | DRAWN}),
        Step("lay", z3.And(mine, ACTOR & MATES != 0, TABLE == 0), (), moved),
        Step("clear", clear, (), {"table": z3.BitVecVal(0, CARDS), "turn": TO, "shown": z3.If(WHOLE, 0, SHOWN_CARDS)}),
    ]


@cache
def native(outer: tuple[str, ...] = ("actor",)) -> Native:
    """The toy game as machine code."""
    state = [
        *(Field(f"hand{seat}", CARDS) for seat in SEATS),
        Field("table", CARDS),
        Field("shown", CARDS),
        Field("turn", 4),
    ]
    act = [Field("cards", CARDS), Field("actor", 4), Field("to", 4), Field("whole", 1)]
    bare = HANDS[0] | HANDS[1] | HANDS[2] | HANDS[3] == 0
    functions = [
        Function("hands", tuple(HANDS)),
        Function("hidden", tuple(hand & ~SHOWN_CARDS for hand in HANDS)),
        Function("watch", (bare, z3.BoolVal(False), TABLE == 0b11, z3.And(TURN == 4, SHOWN_CARDS != 0))),
    ]
    return compile_native(state, [Field("mates", 4)], act, functions, steps(), None, outer=outer)


def fields(state: State) -> dict[str, int]:
    """The state's fields by name."""
    return {f"hand{seat}": hand for seat, hand in enumerate(state.hands)} | state._asdict() | {}


def rows(roots: list[tuple[State, int]]) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """The initial states as the explorer takes them."""
    return np.array([[*native().pack(fields(state)).tolist(), mates] for state, mates in roots], np.uint64)


def read(found: Exploration, number: int) -> tuple[State, int]:
    """A state that the explorer found, and its rigid field."""
    values = found.state(number)
    a, b, c, d = (values[f"hand{seat}"] for seat in SEATS)
    return State((a, b, c, d), values["table"], values["shown"], values["turn"]), found.rigid_values(number)["mates"]


def least_depths(found: Exploration) -> dict[tuple[State, int], int]:
    """The least depth of each distinct state."""
    depths: dict[tuple[State, int], int] = {}
    for number, depth in enumerate(found.depth.tolist()):
        depths.setdefault(read(found, number), depth)
    return depths


SIX = State((0b11, 0b100, 0b1000, 0b110000), 0, 0, 1)
FOUR = State((1, 2, 4, 8), 0, 0, 4)
ROOTS = [(SIX, 0b0101), (SIX, 0b1010), (FOUR, 0b0101)]


@pytest.mark.parametrize("outer", [(), ("actor",), ("actor", "to")])
def test_all_states_and_transitions_of_a_plain_search_are_found(outer: tuple[str, ...]) -> None:
    """The same states at the same depths, and as many transitions of each step and with each flag."""
    found, expected = explore(native(outer), MOVES, rows(ROOTS)), search(ROOTS)
    assert found.complete
    assert found.ending is Ending.EXHAUSTED
    assert least_depths(found) == expected.depth
    assert len(found.states) == found.distinct == found.expanded == len(expected.depth) > 1000
    assert found.per_step == expected.steps
    assert found.transitions == expected.steps.total()
    assert found.per_flag == tuple(expected.flags[flag] for flag in range(64))


def assert_replays(found: Exploration, number: int) -> None:
    """The path to a state leads there from an initial one, in as many steps as its depth."""
    root, path = found.root(number), found.path(number)
    assert root < found.levels[1]
    assert len(path) == found.depth[number]
    state, rigid, used = found.state(root), found.rigid_values(number), 0
    for step, act in path:
        possible, flags, state = found.native.step(step, state, rigid, act)
        assert possible
        used += bool(flags & OUT_OF_TURN)
    assert state == found.state(number)
    assert found.used[number] in (0, used)


def test_paths_replay() -> None:
    """Every state's path, by the compiled steps and by the rules in Python."""
    found = explore(native(), MOVES, rows(ROOTS))
    for number in range(0, len(found.states), 7):
        assert_replays(found, number)
    for number in range(0, len(found.states), 101):
        state, mates = read(found, found.root(number))
        for played in found.path(number):
            (state,) = [t.after for t in successors(state, mates) if (t.step, t.act) == played]
        assert (state, mates) == read(found, number)


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_no_path_has_more_irregular_acts_than_the_budget(limit: int) -> None:
    """Exactly the states that are within reach, at their least depth; each counts the irregular acts of its path."""
    found = explore(native(), MOVES, rows(ROOTS), budget=Budget(OUT_OF_TURN, limit))
    expected = search(ROOTS, limit)
    assert found.complete
    assert least_depths(found) == expected.depth
    assert found.distinct == len(expected.depth)
    assert found.pruned > 0
    assert set(found.used.tolist()) == set(range(limit + 1))
    for number in range(0, len(found.states), 17):
        assert_replays(found, number)
        flags = [found.native.step(p.step, s, found.rigid_values(number), p.act)[1] for p, s in zip_path(found, number)]
        assert found.used[number] == sum(bool(flag & OUT_OF_TURN) for flag in flags)


@pytest.mark.parametrize("limit", [0, 1])
def test_an_irregular_move_is_not_tried_where_the_budget_is_used_up(limit: int) -> None:
    """What is found is the same, without acts that are tried in vain."""
    moves = [replace(move, irregular=move.step == "show") for move in MOVES]
    found, expected = (explore(native(), m, rows(ROOTS), budget=Budget(SHOWN, limit)) for m in (moves, MOVES))
    assert np.array_equal(found.states, expected.states)
    assert found.per_step == expected.per_step
    assert (found.pruned, expected.pruned > 0) == (0, True)


def zip_path(found: Exploration, number: int) -> Iterator[tuple[Played, dict[str, int]]]:
    """The transitions of a path with the states that they leave."""
    state = found.state(found.root(number))
    for played in found.path(number):
        yield played, state
        state = found.native.step(played.step, state, found.rigid_values(number), played.act)[2]


def test_a_state_reached_with_fewer_irregular_acts_takes_the_place_of_the_other() -> None:
    """A longer path with fewer irregular acts opens what the shorter one cannot do any more."""
    found = explore(native(), MOVES, rows(ROOTS), budget=Budget(OUT_OF_TURN, 2))
    assert found.superseded > 0
    assert len(found.states) == found.distinct + found.superseded
    used: dict[tuple[State, int], int] = {}
    for number in range(len(found.states)):
        key = read(found, number)
        assert found.used[number] < used.get(key, 3)
        used[key] = int(found.used[number])


def test_the_first_state_with_each_watched_output_is_found() -> None:
    """Among those expanded and those that were not."""
    for depth in (None, 2):
        found = explore(native(), MOVES, rows(ROOTS), watch="watch", max_depth=depth)
        first: dict[int, int] = {}
        for number in range(len(found.states)):
            values = native().call("watch", found.state(number), found.rigid_values(number), {})
            first = {at: number for at, value in enumerate(values) if value} | first
        assert found.watched == first
        assert 1 not in first
        assert len(first) == (3 if depth is None else 2)


def test_the_first_transition_with_each_watched_flag_is_found() -> None:
    """With the shortest path that ends in one; flags that are not watched are not kept."""
    two_each = State((0b11, 0b1100, 0, 0b110000), 0, 0, 1)
    found = explore(native(), MOVES, rows([(two_each, 5)]), watch_flags=LAST_CARD | SHOWN | 8)
    assert set(found.flagged) == {1, 2}
    for flag, length in ((1, 1), (2, 2)):
        path = found.flagged_path(flag)
        assert len(path) == length
        state = found.state(found.root(found.flagged[flag][0]))
        for played in path:
            _, flags, state = native().step(played.step, state, {"mates": 5}, played.act)
        assert flags >> flag & 1
    with pytest.raises(KeyError):
        found.flagged_path(0)


def test_an_exploration_ends_at_the_greatest_depth() -> None:
    """The states at that depth are there, but not expanded."""
    found, expected = explore(native(), MOVES, rows(ROOTS), max_depth=3), search(ROOTS)
    assert found.ending is Ending.DEPTH
    assert not found.complete
    assert least_depths(found) == {key: depth for key, depth in expected.depth.items() if depth <= 3}
    assert found.expanded == sum(depth < 3 for depth in expected.depth.values())
    assert explore(native(), MOVES, rows(ROOTS), max_depth=0).expanded == 0
    assert explore(native(), MOVES, rows(ROOTS), max_depth=100).complete


@pytest.mark.parametrize("most", [2, 100, 1000])
def test_an_exploration_ends_at_the_greatest_number_of_states(most: int) -> None:
    """There are exactly so many, the first of a full exploration."""
    full = explore(native(), MOVES, rows(ROOTS))
    found = explore(native(), MOVES, rows(ROOTS), max_states=most)
    assert found.ending is Ending.STATES
    assert len(found.states) == most
    assert np.array_equal(found.states, full.states[:most])
    assert explore(native(), MOVES, rows(ROOTS), max_states=len(full.states)).complete


def test_progress_is_told_after_each_level_and_may_stop() -> None:
    """Numbers only grow; what was seen is told."""
    told: list[Progress] = []
    found = explore(native(), MOVES, rows(ROOTS), watch="watch", watch_flags=SHOWN, progress=told.append)
    assert [entry.depth for entry in told] == list(range(len(found.levels)))
    assert [entry.states for entry in told] == [*found.levels[2:], len(found.states), len(found.states)]
    assert told[-1].watched == 0b1101
    assert told[0].flagged == SHOWN
    stopped = explore(native(), MOVES, rows(ROOTS), progress=lambda entry: entry.depth == 2)
    assert stopped.ending is Ending.STOPPED
    assert len(stopped.levels) == 4


def test_an_interrupted_exploration_keeps_what_it_has() -> None:
    """Control-C ends it; its states and paths can be read."""

    def interrupt(entry: Progress) -> None:
        if entry.depth == 2:
            raise KeyboardInterrupt

    found = explore(native(), MOVES, rows(ROOTS), progress=interrupt)
    assert found.ending is Ending.INTERRUPTED
    assert_replays(found, len(found.states) - 1)


def test_memory_grows_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little room there is at first, the same is found."""
    plain = explore(native(), MOVES, rows(ROOTS), budget=Budget(OUT_OF_TURN, 2))
    monkeypatch.setattr(_explorer_plan, "FIRST_ROOM", 2)
    monkeypatch.setattr(_explorer_plan, "FIRST_TABLE", 4)
    grown = explore(native(), MOVES, rows(ROOTS), budget=Budget(OUT_OF_TURN, 2))
    for name in ("states", "rigid", "used", "parent", "code", "levels", "per_flag", "superseded", "transitions"):
        assert np.array_equal(getattr(plain, name), getattr(grown, name)), name


def test_states_with_the_same_hash_are_kept_apart() -> None:
    """Rows are compared whole, their rigid index too; of equal ones the first stays, unless another used less."""
    plan, _ = _explorer_plan.make_plan(native(), MOVES, None, np.zeros(4, np.uint64))
    work, store = _explorer_plan.make_work(native(), plan, None, 0), _explorer_plan.make_store(1)
    words, rigid, used = (5, 6, 5, 5, 6, 5), (0, 0, 1, 0, 0, 1), (1, 1, 1, 1, 0, 2)
    for row, (word, index, spent) in enumerate(zip(words, rigid, used, strict=True)):
        work.rows[row, 2:] = (word, spent << 32 | index, 0xABCDEF, row, 0)
    work.control[_explorer_loop.PENDING] = 6
    _explorer_loop.insert(store, work, 100)
    assert work.control[_explorer_loop.COUNT] == 4
    assert work.control[_explorer_loop.SUPERSEDED] == 1
    assert store.parents[:4].tolist() == [0, 1, 2, 4]


def test_equal_initial_states_are_one() -> None:
    """Unless their rigid fields differ."""
    found = explore(native(), MOVES, rows([*ROOTS, *ROOTS]), max_depth=0)
    assert len(found.states) == 3
    assert found.parent.tolist() == [-1, -1, -1]
    assert found.rigids.tolist() == [[0b0101], [0b1010]]


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (Move("deal", "actor"), "no compiled step is called 'deal'; there are clear, lay, play, show"),
        (Move("play", "player"), "no compiled act field is called 'player'; there are actor, cards, to, whole"),
        (Move("play", "actor", "cards", "each", "cards"), "no compiled function is called 'cards'"),
        (Move("play", "actor", "cards", "each"), "draws cards, so it must say which function has those held"),
        (Move("play", "actor", None, "each", "hands"), "draws 'each' into the act field None"),
        (Move("play", "actor", "cards"), "draws 'none' into the act field 'cards'"),
        (Move("clear", "actor", choices=(("to", (1, 16)),)), "the choices of 'to' have 16, which does not fit 4 bits"),
        (
            Move("play", "whole", "cards", "each", "hands"),
            "'hands' has 4 outputs; there must be one an actor, .* has 1",
        ),
    ],
)
def test_moves_that_do_not_fit_the_system_are_refused(move: Move, message: str) -> None:
    """The message has the name and what there is."""
    with pytest.raises(ValueError, match=message):
        explore(native(), [move], rows(ROOTS))


def test_initial_states_that_do_not_fit_are_refused() -> None:
    """The message has the shape, or the place and the value."""
    wrong = rows(ROOTS)
    with pytest.raises(ValueError, match=r"int64 of shape \(3, 2\); they must be uint64 of shape \(n, 2\)"):
        explore(native(), MOVES, wrong.astype(np.int64))
    with pytest.raises(ValueError, match=r"must be uint64 of shape \(n, 2\), n at least 1"):
        explore(native(), MOVES, wrong[:0])
    wrong[1, 1] = 16
    with pytest.raises(ValueError, match="initial state 1 has in column 1 16, which no field can have"):
        explore(native(), MOVES, wrong)
    with pytest.raises(ValueError, match="max_states is 0; it must be from 1 to 2147483647"):
        explore(native(), MOVES, rows(ROOTS), max_states=0)
    with pytest.raises(ValueError, match="there are 0 moves; there must be 1 to 1024"):
        explore(native(), [], rows(ROOTS))
    with pytest.raises(ValueError, match="no compiled function is called 'look'"):
        explore(native(), MOVES, rows(ROOTS), watch="look")


def test_a_known_rigid_field_must_have_its_value() -> None:
    """States of another choice would be explored by the wrong code."""
    only = compile_native(
        [Field("turn", 4)],
        [Field("mates", 4)],
        [Field("actor", 4)],
        [],
        [Step("pass", ACTOR == MATES, (), {"turn": ACTOR})],
        None,
        known={"mates": 4},
    )
    move = Move("pass", "actor")
    found = explore(only, [move], np.array([[1, 4]], np.uint64))
    assert found.states.tolist() == [[1], [4]]
    with pytest.raises(
        ValueError, match="the rigid field 'mates' was compiled as 4; an initial state has another value"
    ):
        explore(only, [move], np.array([[1, 4], [1, 5]], np.uint64))

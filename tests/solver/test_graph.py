"""The graph of irregularity states is what single acts of the model say, and its lists are what the graph says."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
import z3

from tricklaw.cli import main
from tricklaw.model.acts import ActKind, Do
from tricklaw.model.codes import resolve
from tricklaw.model.native import Buffers
from tricklaw.reports import _graph_files, graphs
from tricklaw.reports._graph_picture import MOST_BOXES
from tricklaw.solver import _graph_explore, _graph_lists
from tricklaw.solver._graph_chart import Chart
from tricklaw.solver._graph_explore import Start, deals, explore_part, starts
from tricklaw.solver._graph_merge import merged
from tricklaw.solver.explorer import Move, played
from tricklaw.solver.graph import (
    DEAL,
    REGULAR,
    Act,
    Graph,
    Matter,
    Round,
    RoundDone,
    Situation,
    condensed,
    draw,
    edges,
    hands,
    simplest,
    situations,
)

ROUNDS = (Round(1, 1), Round(2, 1, 2))


@cache
def whist() -> Graph:
    """The graph of duplicate whist, of short deals with one irregular act."""
    code, _ = resolve("duplicate-whist")
    return draw(code.restrict("whist"), "whist", ROUNDS)


@cache
def node_of() -> dict[str, int]:
    """The nodes of that graph by what they say; no two say the same."""
    found = {str(s): node for node, s in situations(whist().digraph)}
    assert len(found) == len(whist().digraph) - 1
    return found


# against single acts ---------------------------------------------------------------------------------------------------


class Walker:
    """Plays on the compiled model one act at a time, and reads each state on its own."""

    def __init__(self, chart: Chart, start: Start) -> None:
        self.chart, self.native, self.buffers = chart, chart.native, Buffers(chart.native)
        row = chart.initial(start.hands, start.leader, start.groups, start.trumps, {}).tolist()
        self.words, self.rigid = row[: self.native.words], row[self.native.words :]
        self.slots = [slot.name for slot in chart.system.act_slots]

    @property
    def state(self) -> dict[str, int]:
        """The fields of the state."""
        return self.native.unpack(self.words)

    def situation(self) -> Situation:
        """What the compiled function makes of the state."""
        self.buffers.load(self.words, self.rigid, [0] * len(self.slots))
        _, *words = self.buffers.outputs("node")
        return Situation.of(self.chart.traits.unpack(words), self.chart.system.seats)

    def successors(self) -> Iterator[tuple[Move, dict[str, int], int, list[int]]]:
        """Every possible act with its flags and what it leads to."""
        for move in self.chart.moves:
            for act in self._acts(move):
                self.buffers.load(self.words, self.rigid, [act.get(slot, 0) for slot in self.slots])
                possible, flags, *after = self.buffers.successor(move.step)
                if possible:
                    yield move, act, flags, list(after)

    def _acts(self, move: Move) -> Iterator[dict[str, int]]:
        for at, actor in enumerate((1, 2, 4, 8)):
            singles = [1 << card for card in range(self.chart.system.deck.size) if self._held(move, at) >> card & 1]
            pairs = [a | b for a in singles for b in singles if a < b]
            for cards in {"none": [0], "each": singles, "pairs": pairs}[move.card_source]:
                for values in move.combinations:
                    chosen = {name: value for (name, _), value in zip(move.choices, values, strict=True)}
                    yield {"act.actor": actor, "act.cards": cards, **chosen}

    def _held(self, move: Move, actor: int) -> int:
        """The cards that an act of that kind by that player may concern."""
        if move.held is None:
            return 0
        self.buffers.load(self.words, self.rigid, [0] * len(self.slots))
        return self.buffers.outputs(move.held)[actor]


def base_of(state: dict[str, int]) -> int:
    """The index of the player that the others are counted from."""
    return (state["leader"] if state["trick"] else state["turn"]).bit_length() - 1


def counted(seats: int, base: int) -> tuple[int, ...]:
    """A set of seats by how far round from the base they are."""
    return tuple(sorted((i - base) % 4 for i in range(4) if seats >> i & 1))


def assert_read_right(walker: Walker) -> None:
    """The situation says what the fields of the state say."""
    state, found = walker.state, walker.situation()
    base, own = base_of(state), [state[f"own.{n}"] for n in "AYBZ"]
    away = state["trick"] | state["prev"]
    liable = [(cards & ~away & state["liable"]).bit_count() for cards in own]
    assert found.liable == tuple(min(2, liable[(base + i) % 4]) for i in range(4))
    assert found.played == counted(sum(1 << i for i in range(4) if own[i] & state["trick"]), base)
    false = bool(state["trick"]) and state["leader"] != state["turn"]
    assert found.proper == (counted(state["turn"], base) if false else ())
    assert ("noticed" in found.flags) == (false and bool(state["noticed"]))
    assert ("not quitted" in found.flags) == bool(state["prev"])
    assert found.over == (not any(own))


def assert_rights_read_right(walker: Walker) -> None:
    """Rights are open against those of whom Z3 says so."""
    system, state = walker.chart.system, walker.state
    values = [(s.term(), z3.BitVecVal(state[s.name], s.width)) for s in system.slots]
    values += [(s.term(), z3.BitVecVal(v, s.width)) for s, v in zip(system.rigid_slots, walker.rigid, strict=True)]
    for right in system.rights.values():
        opened = 0
        for i in range(4):
            term = z3.simplify(z3.substitute(system.right_state(right, i).open, *values))
            opened |= z3.is_true(term) << i
        assert walker.situation().open.get(right.id, ()) == counted(opened, base_of(state))


@pytest.mark.parametrize("seed", range(6))
def test_each_act_of_a_play_is_an_edge(seed: int) -> None:
    """Random plays with one irregular act: each state has its node, each act its edge with who, what and clauses."""
    source, graph = random.Random(seed), whist()
    rounds = [start for round_ in ROUNDS for start in starts(graph.chart, round_)]
    walker, irregular = Walker(graph.chart, source.choice(rounds)), 0
    for _ in range(40):
        assert_read_right(walker)
        within = [s for s in walker.successors() if not (s[0].irregular and irregular)]
        if not within:
            break
        base, before = base_of(walker.state), node_of()[str(walker.situation())]
        for move, act, flags, after in within:
            old, walker.words = walker.words, after
            assert_edge(graph, before, move, (act["act.actor"].bit_length() - 1 - base) % 4, flags, walker)
            walker.words = old
        move, _, _, walker.words = source.choice([s for s in within if s[3] != walker.words] or within)
        irregular += move.irregular
    assert_rights_read_right(walker)


def assert_edge(graph: Graph, before: int, move: Move, who: int, flags: int, walker: Walker) -> None:
    """The act is told by the edge; one that changes and brings in nothing need not be."""
    after = node_of()[str(walker.situation())]
    kind = graph.system.kind(graph.chart.kind_of(move.step))
    if before == after and not flags:
        return
    told = [a for a in graph.digraph.edges[before, after]["acts"] if (a.kind, a.who) == (kind, who)]
    clauses = {label.clause for at, label in enumerate(graph.chart.labels(kind), 1) if flags >> at & 1}
    assert any(a.lawful is not move.irregular and set(a.clauses) == clauses for a in told)


def test_a_play_is_stuck_where_it_is_said_to_be() -> None:
    """After the play to a state that is stuck no lawful act leads to another state."""
    law = resolve("duplicate-whist")[0].restrict("whist")
    never = {"while_": ("the third hand has played and the second has not",)}
    clauses = [c.model_copy(update=never) if c.id == "AW.IX.2.2a" else c for c in law.clauses]
    assert whist().stuck == ()
    graph = draw(replace(law, clauses=tuple(clauses)), "whist", ROUNDS)
    assert graph.stuck
    for node in graph.stuck:
        play = graph.digraph.nodes[node]["stuck"]
        walker = Walker(graph.chart, play.start)
        acts = [played(graph.chart.moves, code) for code in play.codes.tolist()]
        for step, act in acts:
            (walker.words,) = [
                s[3] for s in walker.successors() if s[0].step == step and s[1] == {"act.cards": 0} | act
            ]
        assert walker.situation() == graph.situation(node)
        assert all(after == walker.words for move, _, _, after in walker.successors() if not move.irregular)
        assert sum(step.endswith("unlawful") for step, _ in acts) == play.irregular == graph.stuck_after(node)


def test_no_law_tells_the_seats_apart() -> None:
    """Whoever leads, the same situations are reached, by the same acts: one leader stands for all."""
    graph = whist()
    found = []
    for leader in (0, 1):
        every = [Start(s.hands, s.groups, s.trumps, leader) for s in starts(graph.chart, Round(1, 1))]
        one = merged(graph.chart, [explore_part(graph.chart, every, 1, 1_000_000, lambda _: False)])
        told = {n: str(s) for n, s in situations(one)}
        found.append({(told[a], told[b], acts) for a, b, acts in edges(one) if a != DEAL})
    assert found[0] == found[1]


# deals -----------------------------------------------------------------------------------------------------------------


def test_deals_are_all_that_is_said() -> None:
    """All 24 deals of one card each; of two cards each division of the suits once, every card in one hand."""
    deck = whist().system.deck
    assert len(set(deals(deck, 1, 4))) == 24
    two = list(deals(deck, 2, 4))
    assert len({tuple((hand & deck.suit_bits(0)).bit_count() for hand in dealt) for dealt in two}) == len(two) == 19
    assert all(sum(dealt) == (1 << deck.size) - 1 and {h.bit_count() for h in dealt} == {2} for dealt in two)
    assert len(starts(whist().chart, Round(1, 1))) == 24 + 12
    assert len(starts(whist().chart, Round(2, 1))) == 19 * 2
    assert len(starts(whist().chart, Round(2, 1, 2))) == 2


def test_a_graph_that_is_broken_off_says_so() -> None:
    """With too little room the graph is not complete; what it has is part of the whole."""
    code, _ = resolve("duplicate-whist")
    part = draw(code.restrict("whist"), "whist", [Round(2, 1, 2)], most_states=300)
    assert not part.complete
    assert part.scope["complete"] is False
    assert {str(s) for _, s in situations(part.digraph)} < set(node_of())
    assert "broken off" in str(part.rounds[0])


def test_what_was_explored_is_told() -> None:
    """The rounds say how many cards and irregular acts, and how many deals where not all were taken."""
    told = [str(done) for done in whist().rounds]
    assert told[0] == "every deal of one card each from two suits of two cards, at most 1 irregular act"
    assert told[1] == "2 deals of 2 cards each, at most 1 irregular act"
    assert "one for each way to divide two suits" in str(RoundDone(Round(2, 2), 38, 0, 0, True))
    assert whist().scope["sides"] == [[["A", "B"], ["Y", "Z"]]]
    assert whist().complete


# lists -----------------------------------------------------------------------------------------------------------------

LEAD, PLAY, QUIT = ActKind(Do.LEAD), ActKind(Do.PLAY), ActKind(Do.QUIT)
WRONG = Act(LEAD, 1, False, ("X.1",), ("X.2",))


def situation(*flags: str, **rights: tuple[int, ...]) -> Situation:
    """A situation with rights open, by the name of the right."""
    return Situation((), (), frozenset(flags), (0, 0, 0, 0), rights, {}, {})


def small() -> nx.DiGraph[int]:
    """Regular play 1; R open in 2 and 3, which lead to each other; 4 a dead end; 5, 6 the end, in 6 with S open; 7 leads to 2."""
    told = {
        1: situation(), 2: situation(R=(1,)), 3: situation("not quitted", R=(1,)), 4: situation(D=(1,)),
        5: situation("over"), 6: situation("over", S=(0,)), 7: situation(T=(0,)),
    }  # fmt: skip
    found: nx.DiGraph[int] = nx.DiGraph()
    found.add_node(DEAL, situation=None, irregular=0)
    for node, one in told.items():
        found.add_node(node, situation=one, irregular=int(node not in (1, 5)))
    lawful = {(2, 3): PLAY, (3, 2): QUIT, (1, 5): PLAY, (7, 2): PLAY, (4, 4): QUIT}
    found.add_edge(DEAL, 1, acts=())
    found.add_edges_from((a, b, {"acts": (Act(kind, 0, True),)}) for (a, b), kind in lawful.items())
    found.add_edges_from((1, b, {"acts": (WRONG,)}) for b in (4, 6))
    found.add_edge(1, 7, acts=(WRONG, Act(LEAD, 2, False, ("X.1",), ("X.3",))))
    return found


def test_dead_ends_are_situations_without_a_way_out() -> None:
    """Acts that stay do not count, nor does the end of the hand; of lawful acts there may be fewer."""
    assert _graph_lists.dead_ends(small()) == (4,)
    graph = small()
    graph.add_edge(4, 1, acts=(WRONG,))
    assert _graph_lists.dead_ends(graph) == ()
    assert _graph_lists.dead_ends(_graph_lists.lawful_part(graph)) == (4,)


def test_traps_never_lead_back() -> None:
    """The situations of a trap lead to each other; what only leads there is told beside."""
    found = sorted(_graph_lists.traps(small()), key=lambda trap: trap.nodes)
    assert [(trap.nodes, trap.before) for trap in found] == [((2, 3), (7,)), ((4,), ())]
    graph = small()
    graph.add_edge(3, 5, acts=(Act(PLAY, 0, True),))
    assert [trap.nodes for trap in _graph_lists.traps(graph)] == [(4,)]


def test_what_is_left_at_the_end_is_told() -> None:
    """An end with a right open that no act settles; not one that leads to an end without."""
    assert _graph_lists.left_over(small()) == (6,)
    graph = small()
    graph.add_edge(6, 5, acts=(Act(PLAY, 0, True),))
    assert _graph_lists.left_over(graph) == ()


def test_passages_are_what_every_path_has() -> None:
    """Acts and clauses on all paths, the situations between; an act of which only one of two is needed is none."""
    found = {passage.matter: passage for passage in _graph_lists.passages(small())}
    to_r, to_t = found[Matter("right open", "R")], found[Matter("right open", "T")]
    assert (to_r.acts, to_r.broken, to_r.set_off, to_r.through) == (
        ("lead (unlawful)", "play"),
        ("X.1",),
        (),
        (1, 7, 2),
    )
    assert (to_t.acts, to_t.broken, to_t.set_off, to_t.nodes) == (("lead (unlawful)",), ("X.1",), (), 1)
    assert found[Matter("right open", "D")].set_off == ("X.2",)


def brute_force(graph: nx.DiGraph[int], nodes: set[int], label: str) -> bool:
    """Whether the deal is cut off from the nodes when edges lose the acts with that label."""
    kept = [(a, b) for a, b, acts in edges(graph) if not acts or any(label not in text_of(act) for act in acts)]
    return not nodes & nx.descendants(nx.DiGraph([*kept, (DEAL, 1)]), DEAL)


def text_of(act: Act) -> set[str]:
    """The labels of an act as passages have them."""
    return {act.kind.name + ("" if act.lawful else " (unlawful)"), *act.broken, *act.set_off}


def test_passages_of_whist_are_cuts() -> None:
    """Taking away an act or a clause that every path has cuts the deal off; taking away another does not."""
    graph = whist().digraph
    labels = {label for _, _, acts in edges(graph) for act in acts for label in text_of(act)}
    for passage in whist().passages[::4]:
        nodes = {n for n, s in situations(graph) if passage.matter in s.matters}
        told = {*passage.acts, *passage.broken, *passage.set_off}
        assert told == {label for label in labels if brute_force(graph, nodes, label)}


def test_a_partner_led_before_a_suit_is_called_at_once() -> None:
    """AW.VIII.2.1 opens by an unlawful lead only, against the proper leader, a partner of him who led."""
    found = {passage.matter: passage for passage in whist().passages}[Matter("right open", "AW.VIII.2.1")]
    assert found.broken == ("PLAY.lead",)
    assert "lead (unlawful)" in found.acts
    assert "AW.VIII.2.1" in found.set_off
    led = [s for _, s in situations(whist().digraph) if "AW.VIII.2.1" in s.open and s.played]
    assert {s.open["AW.VIII.2.1"] for s in led} == {(2,)} == {s.proper for s in led}


def test_unused_clauses_have_a_reason() -> None:
    """What is not in force, what overrides nothing, what is out of the bounds; nothing that an edge names."""
    found = {u.clause: u.reason for u in whist().unused}
    assert found["AW.VIII.2.2d"] == "not in force under the readings explored"
    assert found["AW.VII.3.3a"] == "it overrides nothing, so no act can rely on it"
    assert found["AW.VIII.2.2a"] == "no act breaks it"
    assert found["AW.VIII.2.2b"] == "no act sets it off"
    assert not found.keys() & {c for _, _, acts in edges(whist().digraph) for act in acts for c in act.clauses}
    assert "AW.VIII.4.1c" not in found, "cards of a noticed lead out of turn are taken back by its leave"


# the picture and the files ---------------------------------------------------------------------------------------------


def test_groups_are_reached_within_the_irregular_acts() -> None:
    """Each group has what its situations have in common; each edge between groups is one of the graph."""
    groups = condensed(whist().digraph, 1)
    assert groups.nodes[REGULAR]["members"].irregular == 0
    inside = [n for group in groups for n in groups.nodes[group]["members"].nodes]
    assert sorted(inside) == sorted(n for n, _ in situations(whist().digraph))
    lawful_only = condensed(whist().digraph, 0)
    assert list(lawful_only) == [REGULAR]
    assert all(act.lawful for a, _, acts in edges(groups) for act in acts if a != REGULAR)


def test_the_simplest_groups_are_those_with_the_fewest_matters() -> None:
    """No more than wanted, unless those with one matter are more already; all still reached from regular play."""
    groups = condensed(whist().digraph, 1)
    for most in (1, 20, 30, len(groups)):
        kept = simplest(groups, most)
        limit = max(map(len, kept))
        assert len(kept) <= most or limit == 1
        assert {g for g in groups if len(g) < limit} <= set(kept) or limit == 1
        assert all(kept.nodes[g]["members"].depth == nx.shortest_path_length(kept, REGULAR, g) for g in kept)
    assert set(simplest(groups, len(groups))) == set(groups)


def test_situations_are_told_in_words() -> None:
    """First to fourth hand, and each matter once."""
    assert hands(()) == "nobody"
    assert hands((0, 2)) == "first and third hand"
    assert hands((1, 2, 3)) == "second, third and fourth hand"
    told = Situation(
        (0, 2), (2,), frozenset({"noticed", "renounce", "not quitted"}), (0, 1, 2, 0), {"X.1": (2,)}, {"X.2": (0,)},
        {("X.3", "lead that suit"): (2,)}, ((2,), (3,), (0,), (1,)),
    )  # fmt: skip
    assert str(told) == (
        "led out of turn (third hand to lead), noticed, first and third hand played, preceding trick not quitted; "
        "X.1 open against third hand; X.2 dormant for first hand; third hand bound under X.3: lead that suit; "
        "a liable card with second hand; liable cards with third hand; a renounce on the table; "
        "first and third hand partners"
    )
    assert not told.regular


@pytest.mark.parametrize("form", ["graphml", "dot", "json", "svg"])
def test_files_hold_the_graph(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form follows the name of the file; all situations are there, in the picture those of one irregular act."""
    monkeypatch.setattr(graphs, "draw", lambda *_, **__: whist())
    file, lists = tmp_path / f"out.{form}", tmp_path / "lists.json"
    with pytest.raises(SystemExit) as ended:
        main(["graph", "duplicate-whist", "-o", str(file), "--json", str(lists)])
    assert ended.value.code == 0
    assert_holds(form, file.read_text(encoding="utf-8"))
    told = json.loads(lists.read_text(encoding="utf-8"))
    assert told["situations"] == len(whist().digraph) - 1
    assert [one["clause"] for one in told["unused"]] == [u.clause for u in whist().unused]
    assert [one["node"] for one in told["stuck"]] == list(whist().stuck)
    assert told["scope"]["complete"] is True


def assert_holds(form: str, text: str) -> None:
    """The text can be read, and is as large as the graph."""
    graph = whist().digraph
    if form == "graphml":
        read = nx.parse_graphml(text)
        assert (len(read), read.size()) == (len(graph), graph.size())
        assert {d["label"] for _, d in read.nodes(data=True)} == {"deal", *node_of()}
    elif form == "json":
        read = nx.node_link_graph(json.loads(text), edges="edges")
        assert set(read.edges) == set(graph.edges)
        assert {d["label"] for _, d in read.nodes(data=True)} == {"deal", *node_of()}
    elif form == "dot":
        assert text.count(" -> ") == graph.size()
        assert text.startswith('digraph "duplicate-whist:whist" {')
    else:
        root = ElementTree.fromstring(text)
        boxes = [g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class", "").startswith("box")]
        assert len(boxes) == len(simplest(condensed(graph, 1), MOST_BOXES))
        assert "AW.VIII.2.1 open" in text


def test_quotes_and_line_ends_are_escaped_in_dot() -> None:
    """A label stays one string."""
    assert _graph_files._quoted('a "b"\n\\c') == '"a \\"b\\"\\n\\\\c"'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["whist-family", "-o", "x.svg"], "has 4 games; write one of whist-family:whist, whist-family:boston"),
        (["duplicate-whist", "-o", "x.pdf"], "'x.pdf' does not end with the name of a format"),
        (["duplicate-whist", "-o", "x", "--format", "pdf"], "unknown format 'pdf'; the formats are graphml, dot, json"),
        (["duplicate-whist", "-o", "no/such/x.svg"], "no/such/x.svg: cannot be written: no such folder"),
        (["duplicate-whist", "-o", "x.svg", "--without-layer", "contxt"], "unknown layer 'contxt'; nearest: 'context'"),
        (["duplicate-wist", "-o", "x.svg"], "'duplicate-wist' is neither a built-in code nor a folder"),
    ],
)
def test_bad_input_is_told(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and what to write instead, before anything is explored."""
    with pytest.raises(SystemExit) as ended:
        main(["graph", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_an_exploration_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong in one thread stops the others and is told."""

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_graph_explore, "_await", fail)
    with pytest.raises(KeyboardInterrupt):
        _graph_explore.explore_all(whist().chart, [Round(2, 1)], 5_000_000)

"""The referee: which act a sentence means, why an act cannot be done, and what a ruling tells."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tricklaw.model.cases import load_case
from tricklaw.model.errors import CaseError
from tricklaw.model.referee import Hearing, hear

DEAL = "{A: 2H 3C 2D, Y: 3H 4C 3D, B: 9H QH 4D, Z: 4H 5C 5D}"

Play = Callable[..., Hearing]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Rules on a case with these acts."""

    def played(
        *acts: str, code: str = "duplicate-whist", more: str = "", deal: str = DEAL, leader: str = "A"
    ) -> Hearing:
        path = tmp_path / "T1.yaml"
        head = f"case: T1\ntitle: A case\ncode: {code}\nleader: A\ndeal: {DEAL}\n{more}acts:\n"
        path.write_text(head + "".join(f"  - {act}\n" for act in acts), encoding="utf-8")
        return hear(load_case(path))

    return played


@pytest.mark.parametrize(
    ("acts", "why"),
    [
        (["A leads 9H"], "A leads 9H: A does not hold 9H; he holds 3C 2D 2H"),
        (["A leads 2H", "Y leads 3H"], "a card has been led already; write `Y plays 3H`"),
        (["A plays 2H"], "nothing has been led; write `A leads 2H`"),
        (["A leads 2H", "A plays 3C"], "A has played to this trick already; write `A lays down 3C as well`"),
        (["A lays down 2H as well"], "A has no card in the trick; write `A plays 2H`, or `A faces 2H`"),
        (["A faces 2H", "A faces 2H"], "2H lies face up already"),
        (["A picks up 2H"], "2H does not lie face up; write `A faces 2H` before"),
        (["A throws 2H"], "one card is not thrown together with another; write `A plays 2H`"),
        (["A throws 2H 3C", "A throws 2H 2D"], "A has thrown cards already; let him lead or play one of them first"),
        (["A leads 2H", "A throws 3C 2D"], "A has a card in the trick already; write `A lays down ... as well`"),
        (["Y draws attention"], "no lead out of turn lies on the table"),
        (["Y leads 3H", "A draws attention", "B draws attention"], "attention has been drawn to it already"),
        (["A takes the card back"], "A has no card on the table that he could take back"),
        (["A quits"], "A has no card of a complete trick that is not yet quitted"),
        (
            ["A leads 2H", "Y plays 3H", "B plays 9H", "Z plays 4H", "A quits", "A quits"],
            "A has turned and quitted",
        ),
        (["Y waits"], "only the player whose turn it is can let time pass; it is the turn of A"),
        (["Y calls 2H from B under AW.VII.4.1"], "B does not hold 2H; he holds 4D QH 9H"),
        (["Y calls hearts from Y under AW.VIII.2.1"], "Y cannot demand anything of himself; name another player"),
    ],
)
def test_an_act_that_cannot_be_done_stops_with_the_reason(play: Play, acts: list[str], why: str) -> None:
    """The error tells the place of the act, why it cannot be done, and what to write instead."""
    with pytest.raises(CaseError, match=re.escape(why)) as caught:
        play(*acts)
    assert str(caught.value.place).endswith(f"T1.yaml:{6 + len(acts)}:5")


_OMITTED = ["A leads 2H", "Y plays 3H", "B plays 9H", "Z omits to play"]


@pytest.mark.parametrize(
    ("acts", "why"),
    [
        (["A leads 2H", "Z omits to play"], "it is not that Z alone has still to play"),
        (["A leads 2H", "A omits to play"], "A has played to this trick already"),
        (
            ["A leads 2H", "A adds 3C to the trick"],
            "A has omitted to play to no trick that he could still add a card to",
        ),
        (
            [*_OMITTED, "B leads QH", "Z adds 4H to the trick"],
            "the trick that Z omitted to play to can be reached no longer",
        ),
        ([*_OMITTED, "Z adds 2H to the trick"], "Z does not hold 2H; he holds"),
        (
            [*_OMITTED, "A leads 2D", "Y plays 3D", "B plays 4D", "Z omits to play"],
            "Z has omitted to play to a trick already",
        ),
    ],
)
def test_an_omission_that_cannot_be_stops_with_the_reason(play: Play, acts: list[str], why: str) -> None:
    """One who alone has still to play, not having led, omits to, once, and adds a card as long as nothing is led."""
    with pytest.raises(CaseError, match=re.escape(why)):
        play(*acts, code="whist-family:whist")


def test_one_alone_has_nobody_to_see_his_cards(play: Play) -> None:
    """Whether a card can be shown depends on who is there to see it."""
    solo: dict[str, str] = {"code": "whist-family:solo", "more": "sides: [A, Y B Z]\n"}
    with pytest.raises(CaseError, match="A has no partner to see his cards"):
        play("A shows 2H to his partner", **solo)
    with pytest.raises(CaseError, match="Y has no two adversaries to see his cards"):
        play("Y shows 3H to his adversaries", **solo)


def test_a_demand_means_the_right_that_is_open(play: Play) -> None:
    """Where one right only can be meant it need not be named; it can be named all the same."""
    acts = ["A leads 2H", "B faces 9H"]
    for demand in ("Y calls 9H from B", "Y requires B to play 9H", "Y calls nine of hearts from B under AW.VII.4.1"):
        assert play(*acts, demand).rulings[-1].kind == "demand AW.VII.4.1: play that card"
    assert play(*acts, "Y does not call").rulings[-1].kind == "waive AW.VII.4.1"
    assert play(*acts, "Z calls 9H from B").rulings[-1].broken[0].id == "PLAY.demand"


def test_a_demand_that_may_mean_several_rights_is_refused(play: Play) -> None:
    """The message names them, and what to add."""
    with pytest.raises(CaseError, match=r"'Y calls hearts from B' may mean .* write `under AW\.VIII\.1\.1`"):
        play("Y calls hearts from B")
    with pytest.raises(CaseError, match=r"'Y waives the penalty against B': no right is open that this can mean"):
        play("Y waives the penalty against B")
    with pytest.raises(CaseError, match=r"may mean BS\.20\.0 against A or BS\.20\.0 against B; name the player, and"):
        play("A faces 2H", "B faces 9H", "Y does not call", code="whist-family:whist")


def test_a_right_left_out_leaves_the_duty_that_waits_for_it_without_effect(play: Play) -> None:
    """With the right left out, the proper leader who leads does not break the duty to wait for it."""
    hearing = play("B leads 9H", "Y draws attention", more="without: [AW.VIII.2.1]\n")
    assert [right.id for right in hearing.rulings[-1].after.rights] == []


def test_a_ruling_tells_what_the_act_breaks_and_what_comes_of_it(play: Play) -> None:
    """Clauses in the law file's words, cards, rights with their owners and the clauses that settle them."""
    ruling = play("A leads 2H", "B faces 9H").rulings[1]
    (broken,), (fired,), (right,) = ruling.broken, ruling.fired, ruling.after.rights
    assert (ruling.lawful, broken.id, fired.id) == (False, "PLAY.hidden", "AW.VII.1.1a")
    assert fired.says.startswith("A card so placed on the table")
    assert (right.id, right.against, right.by, right.demands) == ("AW.VII.4.1", "B", ("Y",), ("play that card",))
    assert {"AW.VII.3.2a", "AW.VII.4.2"} <= set(right.clauses)
    assert (ruling.after.liable, ruling.after.turn, ruling.after.trick) == ({"B": ("9H",)}, ("Y",), {"A": ("2H",)})
    assert (ruling.after.may, ruling.after.over) == ({"Y": ("3H",)}, False)
    assert [(bar.id, bar.cards) for bar in ruling.after.bars] == [("PLAY.follow", ("4C", "3D"))]


def test_a_demand_in_force_is_told_with_the_cards_that_comply(play: Play) -> None:
    """A demand for a card, obeyed; then the same disobeyed, which may be cited by the right or by its terms."""
    acts = ["A leads 2H", "B faces 9H", "Y calls 9H from B", "Y plays 3H"]
    (demand,) = play(*acts).rulings[-1].after.demands
    assert (demand.right, demand.against, demand.demand) == ("AW.VII.4.1", "B", "play 9H")
    assert (demand.complies, demand.excused) == (("9H",), False)
    (broken,) = play(*acts, "B plays QH").rulings[-1].broken
    assert (broken.ids, broken.demand) == (("AW.VII.4.1", "AW.VII.3.2a"), True)


def test_expectations_are_seen_to_fail(play: Play, tmp_path: Path) -> None:
    """Each key of an expectation can differ, and says what was found."""
    path = tmp_path / "T2.yaml"
    head = f"case: T2\ntitle: A case\ncode: duplicate-whist\nleader: A\ndeal: {DEAL}\nexpect: {{turn: B}}\nacts:\n"
    expect = """\
      lawful: true
      breaks: PLAY.lead
      sets off: AW.VII.1.1b
      liable: {Y: 3H}
      open: {AW.VII.4.1: {against: Z, by: Z}, AW.VIII.1.1: A}
      not open: {AW.VII.4.1: B}
      may: {Y: 4C}
      may take back: Y
      turn: none
      called on: {B: AW.VII.4.1}
      excused: {B: AW.VII.4.1}
      barred by: PLAY.turn
      over: true
"""
    path.write_text(head + "  - A leads 2H\n  - act: B faces 9H\n    expect:\n" + expect, encoding="utf-8")
    hearing = hear(load_case(path))
    assert not hearing.holds
    assert hearing.differences == ("turn: expected B, found A",)
    assert hearing.rulings[1].differences == (
        "expected a lawful act, found an unlawful act",
        "breaks: expected PLAY.lead, found PLAY.hidden",
        "sets off: expected AW.VII.1.1b, found AW.VII.1.1a",
        "liable of B: expected none, found 9H",
        "liable of Y: expected 3H, found none",
        "open AW.VII.4.1 against: expected Z, found B",
        "open AW.VII.4.1 against B, by: expected Z, found Y",
        "open: expected AW.VIII.1.1 open, found AW.VII.4.1",
        "not open: expected AW.VII.4.1 not open, found it open against B",
        "may of Y: expected 4C, found 3H",
        "may take back: expected Y, found none",
        "turn: expected none, found Y",
        "called on of B: expected AW.VII.4.1, found none",
        "excused of B: expected AW.VII.4.1, found none",
        "barred by: expected PLAY.turn, found PLAY.follow",
        "over: expected true, found false",
    )

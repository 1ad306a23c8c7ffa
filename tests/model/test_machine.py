"""The machine: it agrees with the terms, every phrase is seen true and false, and it is found again on disk."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
import z3

from tricklaw.model import _machine_plan
from tricklaw.model._machine_check import disagreements
from tricklaw.model._machine_play import plays
from tricklaw.model.cards import Deck
from tricklaw.model.errors import UnknownName
from tricklaw.model.lawfiles import find_code
from tricklaw.model.machine import Deed, Machine, State
from tricklaw.model.sentences import parse_sentence
from tricklaw.model.system import System
from tricklaw.model.terms import negate

GAMES = ["duplicate-whist:whist", "whist-family:whist", "whist-family:boston", "whist-family:solo"]
SMALL = Deck(2, 4)


@cache
def machine(name: str, deck: Deck | None = None) -> Machine:
    """The machine of a code and game, over the full pack or a small one."""
    return Machine(system(name, deck))


def system(name: str, deck: Deck | None = None) -> System:
    """The system of a code and game."""
    code, game = find_code(name)
    assert game is not None
    return System(code.restrict(game), game, deck or Deck())


@pytest.mark.parametrize(("name", "deck"), [*((name, None) for name in GAMES), (GAMES[0], SMALL)])
def test_the_machine_agrees_with_the_terms(name: str, deck: Deck | None) -> None:
    """Z3 evaluates the same terms on random states and acts, ill-formed ones too, and finds the same."""
    assert machine(name, deck).check_against_z3(60, seed=7) == []


def test_a_machine_that_does_not_agree_is_found_out() -> None:
    """Terms other than those compiled are noticed: in what is possible, the flags, the next state, the judgement."""
    ours = Machine(system("duplicate-whist:whist", SMALL))
    lead = ours.kinds["lead"]
    true = ours.system.step(lead)
    broken = dict(true.broken) | {"PLAY.lead": negate(true.broken["PLAY.lead"])}
    changes = dict(true.changes) | {"leader": ~true.changes["leader"]}
    for lie, says in (
        (replace(true, possible=negate(true.possible)), "possible is"),
        (replace(true, broken=broken), "the flags are"),
        (replace(true, changes=changes), "the next state is"),
    ):
        ours.system._steps[lead] = lie
        assert any(line.startswith(says) for line in disagreements(ours, 120, seed=3))
    ours.system._steps[lead] = true
    assert disagreements(ours, 60, seed=3) == []
    ours.system.lawful_cards = lambda do, index: ours.system.view["trick"]  # type: ignore[method-assign]
    assert any(line.startswith("the judgement is") for line in disagreements(ours, 60, seed=3))


DEAD = {"AW.VIII.4.1a", "BS.24.4a"}
"""Duties that no act can break: who must take his card back has played, so he can neither lead nor play."""


@pytest.mark.parametrize("name", GAMES)
def test_random_play_reaches_every_clause(name: str) -> None:
    """Each duty is seen broken, each demand disobeyed and each other clause set off, but the dead ones."""
    ours = machine(name)
    known = {flag for labels in ours._plan.labels.values() for flag in (*labels.broken, *labels.fired)}
    seen: set[str] = set()
    for state, rigid, kind, deed in islice(plays(ours, random.Random(5)), 400_000):
        outcome = ours.step(state, rigid, kind, deed)
        seen.update(outcome.broken, outcome.fired)
        if known - seen == DEAD & known:
            break
    assert known - seen == DEAD & known


def test_an_impossible_act_changes_nothing() -> None:
    """Its outcome is empty and the state as before."""
    ours = machine("duplicate-whist:whist")
    state, rigid = deal(ours), ours.rigid((0b0101, 0b1010))
    outcome = ours.step(state, rigid, "play", Deed(1, 1))
    assert (outcome.possible, outcome.lawful, outcome.broken, outcome.fired) == (False, False, (), ())
    assert outcome.state == state


def deal(ours: Machine) -> State:
    """Two cards each, A to lead: A holds 2C 6C, Y 3C 7C, B 4C 8C, Z 5C 9C."""
    return ours.initial({name: 1 << i | 16 << i for i, name in enumerate(ours.names)}, "A")


def test_a_lead_is_played_and_judged() -> None:
    """The lead is lawful; then the player on the left may play his cards, and nobody else."""
    ours = machine("duplicate-whist:whist")
    state, rigid = deal(ours), ours.rigid((0b0101, 0b1010))
    before = ours.judge(state, rigid)
    assert (before.to_act, before.leads(0), before.plays(0), before.over) == (1, 0b10001, 0, False)
    outcome = ours.step(state, rigid, "lead", Deed(1, 1))
    after = ours.judge(outcome.state, rigid)
    assert outcome.lawful
    assert (after.to_act, [after.lays(i) for i in range(4)]) == (2, [0, 0b100010, 0, 0])
    assert (after.open_rights(), after.demands(), after.bars(), after.takes_back, after.quits) == ([], [], {}, 0, 0)


def test_a_right_and_a_demand_are_judged() -> None:
    """A faced card may be called by the right-hand adversary; the demand then binds its holder."""
    ours = machine("duplicate-whist:whist")
    rigid = ours.rigid((0b0101, 0b1010))
    state = ours.step(deal(ours), rigid, "lead", Deed(1, 1)).state
    state = ours.step(state, rigid, "face a card", Deed(4, 4)).state
    right = ours.judge(state, rigid).right("AW.VII.4.1", 2)
    assert ours.judge(state, rigid).open_rights() == [right]
    assert (right.open, right.owners, right.enforcers) == (True, 2, 2)
    called = ours.step(state, rigid, "demand AW.VII.4.1: play that card", Deed(2, 4, 0, 4))
    (demand,) = ours.judge(called.state, rigid).demands()
    assert called.legit
    assert called.fired == ("AW.VII.4.1",)
    assert demand == ("AW.VII.4.1", "play that card", 2, 4, False)


TRICK = ("A leads 2C", "Y plays 4D", "B plays 5C", "Z plays 7C")
"""Y renounces in error."""


@pytest.mark.parametrize(
    ("acts", "now", "before"),
    [
        (TRICK[:1], "", ""),
        (TRICK[:2], "Y", ""),
        ((*TRICK[:2], "Y takes the card back"), "", ""),
        ((*TRICK[:2], "Y takes the card back", "Y plays 4C"), "", ""),
        (("A leads 2C", "Y plays 4C", "A takes the card back", "A plays 3D"), "", ""),
        (("A leads 2C", "Y plays 4C", "A takes the card back", "B plays 6D", "A plays 2C"), "", ""),
        (TRICK, "", "Y"),
        ((*TRICK, "Z leads 8D"), "", "Y"),
        ((*TRICK, "Z leads 8D", "A plays 6C"), "A", "Y"),
        ((*TRICK, "Z leads 8D", "Z takes the card back", "A takes the card back"), "Y", ""),
        ((*TRICK, "Y takes the card back"), "", ""),
        ((*TRICK, *(f"{name} quits" for name in "AYBZ")), "", ""),
    ],
)
def test_who_has_renounced_in_error(acts: Sequence[str], now: str, before: str) -> None:
    """Who, when he played, did not follow suit though he could; not who followed a lead that was changed after him."""
    ours = machine("duplicate-whist:whist")
    deal = {"A": "2C 6C 3D", "Y": "4C 4D 9H", "B": "5C 6D 9C", "Z": "7C 8D TH"}
    state, rigid = ours.initial({n: ours.deck.parse(h) for n, h in deal.items()}, "A"), ours.rigid((0b0101, 0b1010))
    for act in acts:
        said = parse_sentence(act, ours.deck)
        kind = next(k for k in ours.system.kinds if k.do is said.do)
        outcome = ours.step(state, rigid, kind, Deed(1 << ours.names.index(said.actor), said.cards))
        assert outcome.possible, act
        state = outcome.state
    assert ["".join(ours.seats(ours.read(state, f))) for f in ("renounced", "prevrenounced")] == [now, before]


@pytest.mark.parametrize(
    "hands",
    [{"A": 1, "Y": 1, "B": 4, "Z": 8}, {"A": 1, "Y": 2, "B": 4, "Z": 0}, {"A": 1, "Y": 2, "B": 4, "Z": 24}],
    ids=["a card twice", "no card", "other numbers"],
)
def test_what_is_no_deal_is_refused(hands: dict[str, int]) -> None:
    """Each gets the same number of cards, at least one, and no card is dealt twice."""
    with pytest.raises(ValueError, match="a deal gives the same number of cards"):
        machine("duplicate-whist:whist").initial(hands, "A")


def test_what_does_not_fit_is_refused() -> None:
    """Native code checks nothing, so the machine does."""
    ours = machine("duplicate-whist:whist")
    state, rigid = deal(ours), ours.rigid((0b0101, 0b1010))
    with pytest.raises(ValueError, match="does not fit its field"):
        ours.step(state, rigid, "lead", Deed(1, 1 << 52))
    with pytest.raises(UnknownName, match="no clause in force depends on a reading 'RS8'"):
        ours.rigid((0b0101, 0b1010), readings={"RS8": "both"})
    with pytest.raises(UnknownName, match="the reading 'RS9' has no choice 'early'; nearest: 'earlier'"):
        ours.rigid((0b0101, 0b1010), readings={"RS9": "early"})


def test_a_state_packs_and_unpacks() -> None:
    """All fields, one field, a hand; random bits come back."""
    ours = machine("duplicate-whist:whist")
    chance = random.Random(1)
    fields = {slot.name: chance.getrandbits(slot.width) for slot in ours.system.slots}
    state = ours.pack(fields)
    assert ours.fields(state) == fields
    assert {name: ours.read(state, name) for name in fields} == fields
    assert ours.hand(state, 1) == fields["own.Y"] & ~(fields["trick"] | fields["prev"])
    assert (ours.seat("B"), ours.seats(0b1010), ours.groups(["AB", "YZ"])) == (4, ["Y", "Z"], (5, 10))


# on disk -----------------------------------------------------------------------------------------------------------


def test_a_machine_is_found_again_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time no term is built; the code is the same."""
    monkeypatch.setenv("TRICKLAW_CACHE", str(tmp_path))
    first = Machine(system("duplicate-whist:whist", SMALL))
    monkeypatch.setattr(_machine_plan, "build", None)
    again = Machine(system("duplicate-whist:whist", SMALL))
    played = [[ours.step(*turn) for turn in islice(plays(ours, random.Random(5)), 400)] for ours in (first, again)]
    assert played[0] == played[1]
    assert again.check_against_z3(9, seed=2) == []


def test_another_law_is_another_machine() -> None:
    """The plan is found by what the clauses do, whatever they say."""
    ours = system("duplicate-whist:whist", SMALL)
    said = [clause.model_copy(update={"says": "Otherwise."}) for clause in ours.code.clauses]
    done = [c.model_copy(update={"by": "either adversary"}) if c.id == "AW.VII.4.1" else c for c in ours.code.clauses]
    codes = [replace(ours.code, clauses=tuple(clauses)) for clauses in (said, done)]
    says, does = (_machine_plan._digest(System(code, "whist", SMALL)) for code in codes)
    assert says == _machine_plan._digest(ours) != does


def test_a_damaged_plan_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was cut short or changed is not believed; a folder that cannot be written to does no harm."""
    ours = system("duplicate-whist:whist", SMALL)
    plan = _machine_plan.build(ours)
    built: list[System] = []

    def build(system: System) -> _machine_plan.Plan:
        built.append(system)
        return plan

    monkeypatch.setattr(_machine_plan, "build", build)
    Machine(ours, tmp_path)
    (file,) = tmp_path.glob("*.plan")
    whole = file.read_bytes()
    for damaged in (whole[:100], whole[:-1] + bytes([whole[-1] ^ 1]), b""):
        file.write_bytes(damaged)
        assert Machine(ours, tmp_path).kinds
        assert file.read_bytes() == whole
    assert Machine(ours, file).kinds  # a file is no folder
    assert len(built) == 5


def test_z3_is_asked_for_values_only() -> None:
    """A term with a variable that has no value is an error, not a silent zero."""
    from tricklaw.model.terms import evaluate

    x = z3.BitVec("x", 8)
    assert evaluate([x + 1, x == 3], [(x, z3.BitVecVal(3, 8))]) == [4, 1]
    with pytest.raises(AttributeError):
        evaluate([x + 1], [])

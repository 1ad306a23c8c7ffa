"""Random play does every kind of act, finds what is refuted, and finds a fault planted in a law."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tricklaw.model.cases import load_case
from tricklaw.model.codes import resolve
from tricklaw.model.errors import UnknownName
from tricklaw.model.referee import hear
from tricklaw.solver.coverage import Coverage, unfired, unmet
from tricklaw.solver.play import PlayMachine, Record, Violated, case_lines, machine_for, play_many, violation
from tricklaw.solver.rules import Rules
from tricklaw.solver.sitting import deal

WHIST, DUPLICATE = "whist-family:whist", "duplicate-whist:whist"
GAMES = [
    pytest.param(WHIST),
    pytest.param(DUPLICATE),
    pytest.param("whist-family:boston", marks=pytest.mark.slow),
    pytest.param("whist-family:solo", marks=pytest.mark.slow),
    pytest.param("auction-bridge:bridge", marks=pytest.mark.slow),
    pytest.param("skat:solo", marks=pytest.mark.slow),
]
ANYWHERE = (
    "every-penalty-ends",
    "no-clashing-demands",
    "no-conflict",
    "no-dormant-penalty",
    "no-hostage",
    "one-enforcer",
)
BOTH = (*ANYWHERE, "no-deadlock", "no-forced-revoke", "obeyable-or-excused", "single-penalty")
BID = (
    *BOTH,
    "discharged-on-play",
    "enforcer-is-adversary",
    "innocent-side-untouched",
    "lone-player-immune",
    "no-opposed-results",
    "some-enforcer",
)
REFUTED = {
    DUPLICATE: ANYWHERE,
    WHIST: BOTH,
    "whist-family:boston": BID,
    "whist-family:solo": BID,
    "auction-bridge:bridge": (*ANYWHERE, "no-deadlock", "single-penalty", "take-back-free"),
    "skat:solo": ("every-penalty-ends", "lone-player-immune", "no-opposed-results", "one-enforcer"),
}
"""The properties that some play violates: a play of the plain loop shows each of them."""

SETTINGS = settings(
    max_examples=30,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@cache
def rules_of(name: str, without: tuple[str, ...] = (), properties: tuple[str, ...] | None = None) -> Rules:
    """A game compiled, with clauses left out."""
    code, game = resolve(name)
    assert game
    return Rules(code.restrict(game, without=without), game, properties)


@cache
def record_of(name: str) -> Record:
    """Many plays of a game."""
    rules = rules_of(name)
    return play_many(rules.system.code, rules.game, acts=20_000, rules=rules)


def machine(rules: Rules, allowed: Sequence[str] = ()) -> type[PlayMachine]:
    """The state machine of a game compiled before."""
    return machine_for(rules.system.code, rules.game, allowed=allowed, rules=rules)


def failure(rules: Rules, allowed: Sequence[str] = (), shrink: bool = False) -> str:
    """The message of the failure that Hypothesis finds; shrinking a rare one can take a minute."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    with pytest.raises(Violated) as caught:
        run_state_machine_as_test(machine(rules, allowed), settings=settings(SETTINGS, max_examples=500, phases=phases))
    return str(caught.value)


def all_but(rules: Rules, *parts: str) -> list[str]:
    """All parts except some."""
    return [part for part in rules.parts if part not in parts]


@pytest.mark.parametrize("name", GAMES)
def test_every_kind_of_act_is_done_and_what_is_not_refuted_holds(name: str) -> None:
    """Hypothesis plays every kind of act and finds nothing but what is known to be refuted."""
    rules, many = rules_of(name), settings(SETTINGS, max_examples=400)
    played = machine(rules, allowed=REFUTED[name])
    run_state_machine_as_test(played, settings=many)
    assert [kind for kind, count in played.coverage.acts.items() if not count] == []


@pytest.mark.parametrize("name", GAMES)
def test_the_plain_loop_finds_nothing_but_what_is_refuted(name: str) -> None:
    """Many more plays than Hypothesis makes violate the same properties only."""
    assert {part.split("/")[0] for part in record_of(name).plays} <= set(REFUTED[name])


@pytest.mark.parametrize("name", GAMES)
def test_nearly_every_clause_is_broken_or_set_off(name: str) -> None:
    """A clause that no play reaches is tested by nobody."""
    coverage = record_of(name).coverage
    assert sum(coverage.acts.values()) >= 20_000
    assert len(unfired(coverage)) < 0.25 * (len(coverage.broken) + len(coverage.fired))
    assert not [line for line in unfired(coverage) if line.startswith("act: ")]


def test_before_the_first_act_nothing_has_fired() -> None:
    """Everything is told as unfired and unmet."""
    coverage = Coverage(rules_of(WHIST))
    assert "act: lead" in unfired(coverage)
    assert "never broken: PLAY.turn" in unfired(coverage)
    assert unmet(coverage) == list(rules_of(WHIST).parts)


def test_nobody_plays_alone_where_partners_sit_opposite() -> None:
    """A premise that cannot hold is never met."""
    assert {part for part in unmet(record_of(WHIST).coverage) if part.startswith("lone-player-immune/")} == {
        part for part in rules_of(WHIST).parts if part.startswith("lone-player-immune/")
    }


@pytest.mark.parametrize("part", ["one-enforcer/BS.20.0", "no-hostage/"])
def test_what_is_refuted_is_found_where_it_is_not_allowed(part: str) -> None:
    """A refuted part is found as soon as it is not allowed any more."""
    rules = rules_of(WHIST)
    assert failure(rules, all_but(rules, part)).startswith(f"{part} is violated: ")


def test_a_failing_play_is_shrunk_to_one_act() -> None:
    """Hypothesis shrinks the play to the one act that matters."""
    rules = rules_of(WHIST)
    text = failure(rules, all_but(rules, "one-enforcer/BS.20.0"), shrink=True)
    assert text.split("acts:\n")[1].count("\n") == 0


def test_a_planted_fault_is_found() -> None:
    """Without the clause that discharges a played card, the property that it serves fails."""
    sound = rules_of(DUPLICATE)
    run_state_machine_as_test(machine(sound, all_but(sound, "discharged-on-play/AW.VII.4.1")), settings=SETTINGS)
    faulty = rules_of(DUPLICATE, ("AW.VII.3.3b",), ("discharged-on-play",))
    text = failure(faulty)
    assert text.startswith("discharged-on-play/AW.VII.4.1 is violated: ")
    assert "\nwithout: [AW.VII.3.3b]\n" in text


@pytest.mark.parametrize("name", GAMES)
def test_a_play_found_is_a_case_that_the_referee_hears(name: str, tmp_path: Path) -> None:
    """Every play found can be kept as a case, and the referee finds each act possible."""
    record = record_of(name)
    for at, (part, play) in enumerate(record.plays.items()):
        path = tmp_path / f"{at}.yaml"
        path.write_text("\n".join(case_lines(record.rules, play, part)), encoding="utf-8")
        assert len(hear(load_case(path)).rulings) == len(play.acts)


def test_the_same_seed_gives_the_same_plays() -> None:
    """The plain loop can be repeated."""
    rules = rules_of(WHIST)
    one, two = (play_many(rules.system.code, rules.game, acts=500, seed=7, rules=rules) for _ in range(2))
    assert one.plays == two.plays
    assert one.coverage.fired == two.coverage.fired


def test_readings_that_are_fixed_stay() -> None:
    """A fixed reading is never drawn, any other is."""
    rules = rules_of(WHIST)
    assert {deal(rules, n, {"RS7": "passes"}).readings["RS7"] for n in range(0, 1 << 20, 997)} == {"passes"}
    assert {deal(rules, n, {}).readings["RS7"] for n in range(0, 1 << 20, 997)} == {"passes", "unenforceable"}


def test_the_first_deal_is_the_plainest() -> None:
    """Deal 0 is a card each, no trumps, the first player to lead."""
    play = deal(rules_of(WHIST), 0, {})
    assert (play.hands, play.leader, play.trumps) == ((1, 2, 4, 8), 0, 0)


def test_a_violation_names_the_property_the_part_and_the_others() -> None:
    """The message says what is violated and gives the play."""
    rules = rules_of(WHIST)
    text = str(violation(rules, deal(rules, 0, {}), ["no-hostage/", "no-deadlock/"]))
    assert text.startswith("no-hostage/ is violated (and no-deadlock/): As long as the hand is not over, ")
    assert text.endswith("acts: []")


def test_an_unknown_part_is_told_with_the_nearest() -> None:
    """A misprint among what is allowed is no silence."""
    with pytest.raises(UnknownName, match=r"unknown property or part 'no-hostge/'.*no-hostage"):
        machine(rules_of(WHIST), allowed=["no-hostge/"])


def test_play_without_an_end_is_refused() -> None:
    """Neither seconds nor acts: it would never end."""
    rules = rules_of(WHIST)
    with pytest.raises(ValueError, match="never ends without"):
        play_many(rules.system.code, rules.game, rules=rules)

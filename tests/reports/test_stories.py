"""Plays told in plain English: each sentence is what the referee says, and every clause cited is one of the code."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest

from tricklaw.model.acts import Do
from tricklaw.model.cards import FULL, SUIT_NAMES
from tricklaw.model.errors import CaseError, UnknownName
from tricklaw.model.law import Code
from tricklaw.model.lawfiles import BUILTIN, load_code
from tricklaw.model.phrases import PHRASES, Sort
from tricklaw.properties import PROPERTIES
from tricklaw.reports import wording
from tricklaw.reports.conditions import parse_condition
from tricklaw.reports.drawings import draw
from tricklaw.reports.replays import SEEN, Play
from tricklaw.reports.scenes import act_sentence
from tricklaw.reports.stories import Story, tell
from tricklaw.solver.verdicts import Verdict, Witness, WitnessAct

OPPOSITE = (("A", "B"), ("Y", "Z"))
TWO_EACH = {"A": ("AH", "2C"), "Y": ("KH", "3C"), "B": ("9H", "8H"), "Z": ("4H", "5H")}
THREE = {"V": ("9H", "8C"), "M": ("KH", "9C"), "H": ("AC", "7H")}
FACED = WitnessAct("face a card", "B", ("9H",))


@cache
def law(name: str, game: str) -> Code:
    """A built-in code, restricted to a game."""
    return load_code(BUILTIN / name).restrict(game)


def play_of(
    *acts: WitnessAct, leader: str = "B", sides: tuple[tuple[str, ...], ...] = OPPOSITE, **changes: object
) -> Witness:
    """A play of two cards each without trumps."""
    return replace(Witness(TWO_EACH, leader, sides, "none", {}, acts), **changes)  # type: ignore[arg-type]


def whist(witness: Witness, property_id: str = "one-enforcer", right: str = "BS.20.0") -> Story:
    """The story of a play of whist under the whist-family laws."""
    return tell(witness, law("whist-family", "whist"), "whist", property_id, right)


# the deal ----------------------------------------------------------------------------------------------------------


def test_the_opening_tells_the_deal_and_the_sides() -> None:
    """Who plays with whom, trumps, each hand in words, and who is to lead."""
    opening = whist(play_of(FACED)).opening
    assert opening[:3] == (
        "A and B play together against Y and Z.",
        "There are no trumps.",
        "A holds the two of clubs and the ace of hearts.",
    )
    assert opening[6:] == (
        "Each has 2 cards, as at the end of a hand; no deal of the whole pack was found in which the same acts show the same.",
        "B has the right to lead.",
    )


def test_a_whole_pack_is_told_by_suits() -> None:
    """Thirteen cards are told as players write them, and the deal is called whole."""
    deal = {name: tuple(FULL.name(i) for i in range(13 * k, 13 * k + 13)) for k, name in enumerate("AYBZ")}
    opening = whist(play_of(deal=deal, completed=True, trumps="spades")).opening
    assert opening[1:3] == ("Spades are trumps.", "A holds clubs A K Q J 10 9 8 7 6 5 4 3 2.")
    assert opening[6] == "The whole pack is dealt, 13 cards to each."


def test_readings_that_are_not_recommended_are_told() -> None:
    """A reading that differs from the recommended one is told with its question and its answer."""
    chosen = {"RS2": "lapses", "RS3": "any-one"}
    opening = whist(play_of(FACED, readings=chosen, holds_under=96, of_readings=288)).opening
    assert opening[8:] == (
        'On the question RS3, “When have "the adversaries stated" whether they call (23)?”, '
        "the answer here is: “When one of them has spoken.”",
        "The other ambiguous clauses are read as recommended.",
        "The same play shows the same under 96 of the 288 combinations of readings.",
    )


@pytest.mark.parametrize(
    ("sides", "told"),
    [
        ((("A", "Y"), ("B", "Z")), "A and Y play together against B and Z."),
        ((("A",), ("Y", "B", "Z")), "A plays alone against Y, B and Z."),
        ((("Y", "B", "Z"), ("A",)), "A plays alone against Y, B and Z."),
        (("V", "M", "H"), "Everybody plays for himself."),
        (("AB", "YZ"), "A and B play together against Y and Z."),
    ],
)
def test_sides_are_told(sides: Sequence[Sequence[str]], told: str) -> None:
    """Pairs, one against the rest, and each for himself."""
    assert wording.sides(sides) == told


# acts and what follows ---------------------------------------------------------------------------------------------


def test_a_faced_card_is_told_with_the_law() -> None:
    """What was done, what it broke, what it set off, which card is liable, and who may exact what."""
    (scene,) = whist(play_of(FACED)).scenes
    assert scene.sentence == "B lays the nine of hearts face up on the table, otherwise than in play."
    assert not scene.lawful
    assert scene.was == (
        "This breaks PLAY.hidden: “Cards are kept from the other players, and not spoken of, "
        "until they are led or played”.",
    )
    assert scene.follows == (
        "This sets off BS.20.I: “A card faced on the table otherwise than in the regular course of play is liable, "
        "but not one led out of turn”.",
        "B’s nine of hearts is now liable to be called.",
        "Y and Z may each call the nine of hearts from B "
        "(BS.20.0: “The cards listed are liable to be called by either adversary”).",
        "It is B’s turn, and he may lead the nine of hearts.",
        "From the eight of hearts he is kept by BS.23.1a: “The holder of a liable card must not play another until "
        "each adversary has stated whether he calls it”.",
    )


def test_many_cards_that_may_not_be_played_are_told_by_suits() -> None:
    """All but the card called, of a hand of thirteen: by suits, not card by card."""
    deal = {name: tuple(FULL.name(i) for i in range(13 * k, 13 * k + 13)) for k, name in enumerate("AYBZ")}
    scene = whist(play_of(WitnessAct("face a card", "B", ("9H",)), deal=deal, completed=True)).scenes[0]
    told = "From hearts A K Q J 10 8 7 6 5 4 3 2 he is kept by BS.23.1a"
    assert any(text.startswith(told) for text in scene.follows), scene.follows


def test_a_call_and_its_disobedience_are_told() -> None:
    """A demand in force, what it keeps the player from, and that he disobeys it; a clause's words come once."""
    call = WitnessAct("demand BS.20.0: play that card", "Y", ("9H",), "", "B")
    _, called, led = whist(play_of(FACED, call, WitnessAct("lead", "B", ("8H",)))).scenes
    assert called.sentence == "Y calls the nine of hearts from B."
    assert called.was == ("He is entitled to it under BS.20.0.",)
    assert "B must play the nine of hearts (BS.20.0)." in called.follows
    assert "From the eight of hearts he is kept by the demand under BS.20.0." in called.follows
    assert led.was == ("This disobeys the demand in force under BS.20.0.",)
    assert led.follows[0] == "The demand on B under BS.20.0 is at an end."


def test_a_waiver_is_told() -> None:
    """Who lets whom off, and that the right was his."""
    _, waived = whist(play_of(FACED, WitnessAct("waive BS.20.0", "Z", (), "", "B"))).scenes
    assert waived.sentence == "Z lets B off: he waives the right to call a liable card."
    assert waived.was == ("The right is his under BS.20.0.",)


def test_a_demand_without_right_is_told_as_unlawful() -> None:
    """A partner who calls a card breaks the law, and the story says which."""
    _, called = whist(play_of(FACED, WitnessAct("demand BS.20.0: play that card", "A", ("9H",), "", "B"))).scenes
    assert not called.lawful
    assert called.was == ("This breaks PLAY.demand: “Nobody demands a penalty that he is not entitled to exact”.",)


def boston(*acts: WitnessAct) -> Story:
    """The story of a play of boston, A alone and to lead."""
    witness = play_of(*acts, leader="A", sides=(("A",), ("Y", "B", "Z")))
    return tell(witness, law("whist-family", "boston"), "boston", "take-back-free")


@pytest.mark.parametrize("sides", [(("A", "B"), ("Y", "Z")), (("A",), ("Y", "B", "Z"))])
def test_who_has_called_is_told_where_two_play_together(sides: tuple[tuple[str, ...], ...]) -> None:
    """Where one plays alone it is he."""
    witness = replace(play_of(leader="A", sides=sides), marks={"caller": ("Y",)})
    opening = tell(witness, law("whist-family", "boston"), "boston", "take-back-free").opening
    assert ("Y has called the game." in opening) == (len(sides[0]) > 1)


def test_a_right_that_is_lost_is_not_told_as_arising() -> None:
    """Claiming the card led out of turn ends the rights to call a suit instead, and says so once."""
    claim = WitnessAct("demand BS.24.B1c: treat the card led as exposed", "A", (), "", "Y")
    led, claimed = boston(WitnessAct("lead", "Y", ("KH",)), claim).scenes
    assert sum(text.startswith("A penalty arises under BS.24.B1") for text in led.follows) == 3
    assert claimed.sentence == "A claims the card led by Y as an exposed card."
    assert claimed.follows[:3] == (
        "The right to call a suit from the proper leader is lost (BS.24.B1a).",
        "The right to call a suit when the adversaries next lead is lost (BS.24.B1b).",
        "Y’s king of hearts is now liable to be called.",
    )
    assert not any("B1c" in text for text in claimed.follows)


def test_a_second_offence_is_told_as_finding_its_place_taken() -> None:
    """The register has one place for an offender; a second offence of his changes nothing, and the story says that."""
    error = WitnessAct("lead", "B", ("9H",)), WitnessAct("draw attention", "Y"), WitnessAct("take a card back", "B")
    *_, again = whist(play_of(*error, error[0], leader="Y")).scenes
    assert again.follows[0] == "This comes under BS.24.1; but such a penalty is outstanding already."


def test_a_right_that_lapses_is_told() -> None:
    """Who has played before the holder can no longer call his card; that nobody can is told with the right."""
    played = [WitnessAct("lead", "Y", ("KH",)), FACED, WitnessAct("waive BS.20.0", "Z", (), "", "B")]
    *_, waived = whist(play_of(*played, leader="Y")).scenes
    assert waived.follows == ("Nobody can use the right to call a liable card against B now (BS.20.0).",)


def trick() -> list[WitnessAct]:
    """A trick, turned and quitted by all."""
    played = [WitnessAct("play", p, (c,)) for p, c in (("Z", "4H"), ("A", "AH"), ("Y", "KH"))]
    return [WitnessAct("lead", "B", ("9H",)), *played, *(WitnessAct("turn and quit", p) for p in "BZAY")]


def test_turning_and_quitting_is_told_at_once() -> None:
    """Four acts of which nothing follows are one scene; the trick's end tells who leads next."""
    *_, last, quitted = whist(play_of(*trick())).scenes
    assert last.follows == ("The trick is complete, and A is to lead to the next one.",)
    assert (quitted.number, quitted.sentence) == ("5 to 8", "B, Z, A and Y turn and quit their cards.")


def test_what_moves_is_marked() -> None:
    """Only the card that an act concerns counts as changed, also when it completes the trick."""
    scenes = whist(play_of(*trick())).scenes
    assert [s.changed for s in scenes[:4]] == [{"9H"}, {"4H"}, {"AH"}, {"KH"}]


def test_every_kind_of_act_has_a_sentence() -> None:
    """No kind of act is left without words, and each sentence names its actor and card."""
    whist = Play(play_of(), law("whist-family", "whist"), "whist")
    skat = Play(Witness(THREE, "V", (("V",), ("M", "H")), "none", {}, ()), law("skat", "grand"), "grand")
    for do in Do:
        there = any(k.do is do for k in whist.machine.kinds.values())
        first, he, other = (whist, "B", "Y") if there else (skat, "V", "M")
        kind = next(k for k in first.machine.kinds.values() if k.do is do)
        act = WitnessAct(kind.name, he, ("9H",), "hearts", other, "partner")
        sentence = act_sentence(first, kind, act, ())
        assert sentence.startswith(f"{he} ")
        assert sentence.endswith(".")
        assert not re.search(r"[{}]|\b9H\b", sentence)


@pytest.mark.parametrize("option", [text for sort, text in PHRASES if sort is Sort.DEMAND])
def test_every_demand_has_words(option: str) -> None:
    """Whatever the law files may demand is told of a player and his card, not as a phrase."""
    told = wording.exaction(option, "B", ("9H",), "hearts")
    assert "that card" not in told
    assert "that suit" not in told
    assert " B" in told or "by B " in told


def test_calls_that_begin_alike_are_told_together() -> None:
    """`call on B` is said once for several things that he may be called on to do."""
    told = wording.exactions(["win the trick", "play the lowest of the suit led", "do not win the trick"], "B")
    assert told == "call on B to win the trick or to play the lowest of the suit led, or forbid B to win the trick"


# how it ends -------------------------------------------------------------------------------------------------------


def test_the_end_says_who_may_exact_what() -> None:
    """The property's failure is told with the concrete players and card, then in the property's own words."""
    assert whist(play_of(FACED)).closing == (
        "Now both Y and Z may call the nine of hearts from B (BS.20.0).",
        "So it is not true that whenever a penalty may be exacted, exactly one player may exact it.",
        PROPERTIES["one-enforcer"].failure,
    )


def solo(witness: Witness, property_id: str, right: str) -> Story:
    """The story of a play of solo."""
    return tell(witness, law("whist-family", "solo"), "solo", property_id, right)


def test_a_penalty_that_nobody_may_exact_is_told() -> None:
    """Partners side by side: the player on the leader's right is his partner, so nobody may call the suit."""
    led = play_of(WitnessAct("lead", "A", ("AH",)), leader="Y", sides=(("A", "Y"), ("B", "Z")))
    assert solo(led, "some-enforcer", "BS.24.2").closing[0] == (
        "Now a penalty lies against Y (the right to call a suit), but nobody may exact it (BS.24.1 and BS.24.2a)."
    )


def test_a_penalty_on_a_lone_player_is_told() -> None:
    """B, alone, has led out of turn, and wins the next trick: both are said, and who may exact what."""
    error = [WitnessAct("lead", "B", ("9H",)), WitnessAct("draw attention", "Y"), WitnessAct("take a card back", "B")]
    ruffed = [WitnessAct("play", p, (c,)) for p, c in (("Y", "3C"), ("B", "8H"), ("Z", "4H"))]
    acts = *error, WitnessAct("lead", "A", ("2C",)), *ruffed
    ended = solo(play_of(*acts, leader="A", trumps="hearts", sides=(("B",), ("A", "Y", "Z"))), "lone-player-immune", "")
    assert ended.closing[:2] == ("B plays alone.", "All the same, Y may call a suit from B (BS.24.1 and BS.24.2a).")


def test_a_hostage_is_told() -> None:
    """The player to act has no lawful card, which clause bars each, and who would have to speak."""
    code = law("duplicate-whist", "whist")
    acts = (WitnessAct("lead", "A", ("AH",)), WitnessAct("draw attention", "Y"), WitnessAct("take a card back", "A"))
    ended = tell(play_of(*acts), code, "whist", "no-hostage").closing
    assert ended[0] == (
        "It is B’s turn, and he has no card that he may lawfully lead: "
        "AW.VIII.2.2a bars the nine of hearts and the eight of hearts."
    )
    assert ended[2:4] == (
        "Play goes on only if somebody speaks, which nobody is bound to do.",
        "Y may call a suit from B (AW.VIII.2.1).",
    )


def test_an_end_that_shows_nothing_is_not_called_a_failure() -> None:
    """Where the table does not show it, the story says whose word it is, and does not claim that the property fails."""
    ended = whist(play_of(FACED), "no-deadlock", "").closing
    assert ended[-1] == "The checker finds that the property fails here; the table alone does not show why."
    assert not any("not true" in sentence for sentence in ended)


def test_the_end_of_an_example_of_something_proved() -> None:
    """A play that meets the premise of a proved property is not told as a failure."""
    story = tell(play_of(FACED), law("whist-family", "whist"), "whist", "one-enforcer", "BS.20.0", Verdict.PROVED)
    assert story.closing == ("So the question does arise in play. That it never goes wrong is what has been proved.",)


def test_under_readings_is_said_of_what_depends() -> None:
    """A play against a property that depends on readings speaks of these readings only."""
    story = tell(play_of(FACED), law("whist-family", "whist"), "whist", "one-enforcer", "BS.20.0", Verdict.DEPENDS)
    assert story.closing[1].startswith("Under these readings it is not true that ")


def test_the_text_is_the_whole_story() -> None:
    """The story as text has a paragraph for the deal, one an act, and one for the end."""
    story = whist(play_of(FACED, WitnessAct("name a card", "B", ("8H",))))
    first, one, two, last = story.text.split("\n")
    assert first.startswith("A and B play together")
    assert one.startswith("1. B lays")
    assert two.startswith("2. B says that he holds the eight of hearts. This breaks PLAY.hidden.")
    assert last.endswith(PROPERTIES["one-enforcer"].failure)


# plays that do not fit ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("witness", "message"),
    [
        (play_of(WitnessAct("lead", "B", ("AH",))), "act 1: B does not hold AH"),
        (play_of(FACED, WitnessAct("leed", "B", ("9H",))), "act 2: no kind of act is called 'leed'; nearest: 'lead'"),
        (play_of(WitnessAct("lead", "Q", ("9H",))), "the play does not fit the table"),
        (play_of(WitnessAct("lead", "B", ("1H",))), "'1H' is no card"),
        (play_of(WitnessAct("show cards", "B", ("9H",), "", "", "nobody")), "does not say who sees a card"),
        (play_of(FACED, deal={**TWO_EACH, "A": ("9H", "2C")}), "no card to two"),
        (play_of(FACED, sides=(("A", "Q"), ("Y", "Z"))), "the play does not fit the table"),
    ],
)
def test_a_play_that_does_not_fit_is_refused(witness: Witness, message: str) -> None:
    """The act, and what is wrong with it, are named."""
    with pytest.raises(CaseError, match=re.escape(message)):
        whist(witness)


def test_a_reading_that_is_gone_is_refused() -> None:
    """A play found under a reading that the code no longer has is not told."""
    with pytest.raises(UnknownName, match="RS99"):
        whist(play_of(FACED, readings={"RS99": "passes"}))


# whatever is played ------------------------------------------------------------------------------------------------


def random_acts(play: Play, chance: random.Random) -> Iterator[WitnessAct]:
    """Acts of every kind, most of which cannot be done."""
    kinds = [k for k in play.machine.kinds.values() if k.do is not Do.WAIT]
    while True:
        actor, seat = chance.sample(play.players, 2)
        kind = chance.choice(kinds)
        concerned = play.last.position.hands[seat if kind.do is Do.DEMAND else actor]
        count = 2 if kind.do in (Do.THROW, Do.SHOW) else 1
        cards = tuple(chance.sample(concerned, min(count, len(concerned))))
        yield WitnessAct(kind.name, actor, cards, chance.choice(SUIT_NAMES), seat, chance.choice(list(SEEN)))


def random_play(code: Code, game: str, seed: int, length: int) -> Witness:
    """A play of random acts, three cards each."""
    chance = random.Random(seed)
    pack = chance.sample([FULL.name(i) for i in range(FULL.size)], 12)
    deal = {name: tuple(pack[3 * i : 3 * i + 3]) for i, name in enumerate("AYBZ")}
    sides = OPPOSITE if game == "whist" else chance.choice([(("A",), ("Y", "B", "Z")), (("A", "B", "Z"), ("Y",))])
    witness = Witness(deal, "A", sides, "hearts", {}, ())
    play = Play(witness, code, game)
    acts: list[WitnessAct] = []
    for act in random_acts(play, chance):
        try:
            play.add(act)
        except CaseError:
            continue
        acts.append(act)
        if len(acts) == length:
            break
    return replace(witness, acts=tuple(acts))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("name", "game"), [("whist-family", "whist"), ("whist-family", "boston"), ("duplicate-whist", "whist")]
)
def test_whatever_is_played_can_be_told(name: str, game: str, seed: int) -> None:
    """Of any play, for any property, each sentence is a sentence, and every clause cited exists."""
    code = law(name, game)
    witness = random_play(code, game, seed, 14)
    known = {clause.id for clause in code.clauses}
    for property_id in (*PROPERTIES, "a property to come"):
        story = tell(witness, code, game, property_id)
        cited = set(re.findall(r"\b(?:PLAY|BS|AW)\.[A-Za-z0-9.]*[A-Za-z0-9]", story.text))
        assert cited <= known
        assert cited, "so many acts break some clause"
        sentences = [
            *story.opening,
            *story.closing,
            *(s for x in story.scenes for s in (x.sentence, *x.was, *x.follows)),
        ]
        for sentence in sentences:
            assert re.fullmatch(r"[A-Z].*(\.|\.”)", sentence)
            assert not re.search(r"\b[2-9TJQKA][CDHS]\b|\bthat card\b(?! is)|  |\.\.|\{|\}", sentence.split("“")[0]), (
                sentence
            )


# conditions and drawings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("RS7 = passes", [[["RS7 passes"]]]),
        (
            "RS1 = first-decision or turn-order and RS2 = lapses; or RS3 = any-one",
            [[["RS1 first-decision turn-order", "RS2 lapses"], ["RS3 any-one"]]],
        ),
        ("(RS7 = passes) and (RS2 = lapses; or RS4 = stands)", [[["RS7 passes"]], [["RS2 lapses"], ["RS4 stands"]]]),
        ("RS7 = sometimes", []),
        ("", []),
        ("RS7 = passes or worse", []),
    ],
)
def test_conditions_are_read(text: str, found: list[list[list[str]]]) -> None:
    """Choices of one reading, several readings, several cases, several parts; nothing where it is not understood."""
    condition = parse_condition(text, law("whist-family", "whist").head.readings)
    told = [[[" ".join((a.key, *(n for n, _ in a.choices))) for a in case] for case in group] for group in condition]
    assert told == found


def test_a_drawing_shows_and_says_the_same() -> None:
    """Seats in order around the table, marks on the cards, whose turn it is, and all of it in words."""
    story = whist(play_of(FACED, WitnessAct("lead", "B", ("8H",))))
    scene = story.scenes[1]
    drawing = draw(scene.position, OPPOSITE, scene.changed)
    assert [(s.name, s.place, s.partners) for s in drawing.seats] == [
        ("A", "south", "with B"), ("Y", "west", "with Z"), ("B", "north", "with A"), ("Z", "east", "with Y"),
    ]  # fmt: skip
    b = drawing.seats[2]
    assert [(c.rank, c.marks) for c in b.open] == [("9", ("liable",)), ("8", ("liable",))]
    assert b.due == "to lead"
    assert drawing.words.endswith("Liable to be called: the nine of hearts and the eight of hearts. B is to lead.")


def test_a_drawing_of_a_trick_tells_who_led() -> None:
    """The card led is marked, and the cards of the trick are told in the order of play."""
    scene = whist(play_of(*trick()[:2])).scenes[1]
    drawing = draw(scene.position, OPPOSITE)
    assert [c.marks for s in drawing.seats for c in s.trick] == [("led",), ()]
    assert "In the trick lie the nine of hearts from B and the four of hearts from Z. A is to play." in drawing.words

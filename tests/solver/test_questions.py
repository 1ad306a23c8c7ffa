"""A committee's own questions: read with places, decided like properties, answered as they are put."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tricklaw.model.errors import LawErrors, TricklawError, UnknownName
from tricklaw.solver.questions import Asked, builtin_questions, decide, load_question
from tricklaw.solver.verdicts import Verdict

HEAD = "question: T1\nasks: Is it so?\ncode: skat:grand\n"

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a question and gives its path."""

    def written(text: str) -> Path:
        path = tmp_path / f"T{len(list(tmp_path.iterdir()))}.yaml"
        path.write_text(HEAD + text, encoding="utf-8")
        return path

    return written


def numbered(write: Write, law: str, texts: Sequence[str]) -> list[Asked]:
    """Questions T0, T1 ... about a law, read."""
    paths = [write(text) for text in texts]
    for number, path in enumerate(paths):
        text = path.read_text().replace("question: T1", f"question: T{number}")
        path.write_text(text.replace("code: skat:grand\n", law))
    return [load_question(path) for path in paths]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "exactly one of"),
        ("never: always\ncan: always\n", "exactly one of"),
        ("never: he is to led\n", "nothing can be said like 'he is to led'; nearest: 'he is to lead'"),
        ("never: SK.46.9 has fixed his result\nwhen: a player gives upp\n", "unknown phrase for event"),
        ("never: nobody may exact SK.47.9 from him\n", "no clause of the code is called 'SK.47.9'"),
        ("same as: no-such\n", "unknown property 'no-such'"),
        ("same as: no-opposed-results/SK.1 and SK.2\n", "no part is called"),
        ("never: 'there: always'\n", "speaks of a second law; name it under `beside`"),
        ("never: 'there: always'\nbeside: auction-bridge\n", "cannot be played in step: the table differs in"),
        ("never: always\nbeside: duplicate-whisk\n", "duplicate-whist"),
        ("never: the act is lawfull\nwhen: anything is done\n", "nearest: 'the act is lawful'"),
        ("perhaps: always\n", "unknown key 'perhaps'"),
        ("never: always\nwithout: SK.99\n", "unknown clause 'SK.99'"),
        ("never: always\nreadings: {RS11: all}\n", "unknown choice 'all' of reading RS11"),
    ],
)
def test_what_is_wrong_with_a_question_is_told(write: Write, text: str, message: str) -> None:
    """Before anything is decided, with what to write instead."""
    with pytest.raises(TricklawError) as caught:
        load_question(write(text))
    told = " ".join(str(e) for e in getattr(caught.value, "errors", (caught.value,)))
    assert message in told


def test_a_code_of_several_games_needs_one_named(write: Write) -> None:
    """The games are told."""
    with pytest.raises(LawErrors, match="has several games; write skat:tournee or"):
        load_question(write("never: always\n"), "skat")
    with pytest.raises(UnknownName):
        load_question(write("never: always\n"), "skat:bridge")


def test_questions_about_one_law_are_answered_together(write: Write) -> None:
    """What can be is shown by a play, what never is is proved, and each answer is that of the question as it is put."""
    asked = [
        "can: [SK.46.3b has fixed his result, 'not: he is a player with a wrong number of cards']\n",
        "can: [SK.46.2 has fixed his result, he has a partner]\n",
        "never: [SK.46.2 has fixed his result, he has a partner]\n",
        "whenever: the right SK.47.1 is open against him\nthen: he has no partner\n",
        "when: a player gives up and lays his cards open\nwhenever: he has no partner\nthen: SK.51.1a is set off\n",
        "when: a player gives up and lays his cards open\nthen: SK.51.1a is set off\n",
    ]
    answers = list(decide(numbered(write, "code: skat:grand\n", asked), 2))
    assert [a.verdict for a in answers] == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.PROVED,
        Verdict.PROVED,
        Verdict.DEPENDS,
        Verdict.REFUTED,
    ]
    assert [a.witness is not None for a in answers] == [True, False, False, False, True, True]
    assert answers[4].condition == "RS12 = not-for-good"


@pytest.mark.parametrize("path", builtin_questions(), ids=lambda path: path.stem)
def test_the_questions_that_come_with_it_can_be_asked(path: Path) -> None:
    """Each says what the law files know, under its own number."""
    asked = load_question(path)
    assert asked.statement.question == path.stem


def test_what_is_said_of_an_act_may_stand_before_and_after_it(write: Write) -> None:
    """Whatever is done, nobody ends a right of the adversaries in words but he who has it; a waiver of his may."""
    law = "code: duplicate-whist\nwithout: context\n"
    texts = [
        "when: anything is done\nwhenever: [AW.VIII.2.1 is let go in words, he acts]\nthen: the act is lawful\n",
        "when: a player is called on under AW.VIII.2.1\nwhenever: he acts\nthen: the act is lawful\n",
        "when: anything is done\n"
        "whenever: [the right AW.IX.2.1 is open against him, the act is done by one who may exact AW.IX.2.1 from him]\n"
        "never: AW.IX.2.1 is let go in words\n",
    ]
    asked = numbered(write, law, texts)
    answers = {a.asked.statement.question: a.verdict for a in decide(asked, 2)}
    assert answers == {"T0": Verdict.PROVED, "T1": Verdict.VACUOUS, "T2": Verdict.REFUTED}


def test_two_laws_are_asked_over_one_play(write: Write) -> None:
    """Who may call a liable card differs after one card is faced; the card itself is liable under both, or under neither."""
    law = "code: whist-family:whist\nbeside: duplicate-whist\n"
    texts = [
        "whenever: [he holds a liable card, 'there: he holds a liable card', he is to lead]\n"
        "then: the same players may exact BS.20.0 and AW.VII.4.1 from him\n",
        "can: [the right BS.20.0 is open against him, 'there: the right AW.VII.4.1 is open against him']\n",
    ]
    asked = numbered(write, law, texts)
    answers = {a.asked.statement.question: a for a in decide(asked, 2)}
    assert {name: a.verdict for name, a in answers.items()} == {"T0": Verdict.REFUTED, "T1": Verdict.PROVED}
    assert all(a.witness and len(a.witness.acts) == 1 for a in answers.values())

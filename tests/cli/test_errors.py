"""What is said of a user's mistakes: one message a mistake, its place, the nearest right word, and exit code 2."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from tricklaw import cli
from tricklaw.cli import main
from tricklaw.model.codes import resolve
from tricklaw.model.errors import LawError, LawErrors, Place, TricklawError

RUN = "import sys; from tricklaw.cli import main; sys.argv[0] = 'tricklaw'; main()"

CODE = """\
code: mine
title: My code
uses: regular-play
games:
  pairs:
    says: Two against two.
    sides: [partners opposite]
  solo:
    says: A player alone.
    sides: one against the rest
"""
LAW = """\
layer: law
clauses:
  - id: M.1
    says: A liable card may be called.
    right: call a liable card
    against: a holder of a liable card
    by: [either adversary]
    demands: play that card
  - id: M.2
    says: An offender pays.
    games: solo
    right: call a suit
    against: the offender
    arises: a lead out of turn
    while: [he is to lead]
    demands:
      - lead that suit
  - id: M.3
    says: He waits.
    games: solo
    duty: everybody
    must not: lead
    while:
      - he is to lead
      - the right M.2 is open
"""

Mistake = Callable[..., list[str]]


@pytest.fixture
def mistake(capfd: pytest.CaptureFixture[str]) -> Mistake:
    """The lines that a command which fails says on standard error; exit code 2, no traceback, nothing else printed."""

    def told(*arguments: str) -> list[str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfd.readouterr()
        assert (end.value.code, out) == (2, "")
        assert "Traceback" not in err
        return err.splitlines()

    return told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's law folder without mistakes."""
    (tmp_path / "code.yaml").write_text(CODE, encoding="utf-8")
    (tmp_path / "law.yaml").write_text(LAW.replace("[either adversary]", "either adversary"), encoding="utf-8")
    return tmp_path


def edit(folder: Path, before: str, after: str) -> None:
    """Change a text that stands in one file of a folder once."""
    (file,) = [file for file in folder.iterdir() if before in file.read_text(encoding="utf-8")]
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_the_folder_is_right_before_it_is_spoilt(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The folder that the tests below spoil is itself accepted."""
    with pytest.raises(SystemExit) as end:
        main(["codes", str(folder)])
    assert end.value.code == 0
    assert capfd.readouterr().err == ""


# names on the command line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["codes", "whist-famly"],
            "'whist-famly' is neither a built-in code nor a folder; nearest: 'whist-family'",
        ),
        (
            ["codes", "whist-family:bostn"],
            "the code 'whist-family' has no game 'bostn'; nearest: 'boston'",
        ),
        (["properties", "no-hostige"], "unknown property 'no-hostige'; nearest: 'no-hostage', 'no-gap'"),
        (["phrases", "conditions"], "unknown sort of phrase 'conditions'; nearest: 'condition'"),
        (
            ["phrases", "xyz"],
            "unknown sort of phrase 'xyz'; known: 'seats', 'condition', 'event', 'cards', 'acts', 'must', 'demand',"
            " 'effect', 'sides'",
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else " ".join(x),
)
def test_an_unknown_name_is_told_with_the_nearest(mistake: Mistake, arguments: list[str], message: str) -> None:
    """A misspelt name brings one line: what is unknown, and what is near it."""
    assert mistake(*arguments) == [f"error: {message}"]


def test_a_file_that_cannot_be_written_is_told(mistake: Mistake, tmp_path: Path) -> None:
    """`--json` into a folder that is not there says so and prints nothing."""
    file = tmp_path / "none" / "file.json"
    assert mistake("codes", "--json", str(file)) == [f"error: {file}: cannot be written: No such file or directory"]


def test_the_schema_is_of_all_sorts(mistake: Mistake) -> None:
    """`--schema` with a sort is an error of usage."""
    assert mistake("phrases", "seats", "--schema")[-1].endswith("the schema is of all sorts; leave out SORT")


# law folders ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "place", "message"),
    [
        (
            "    against: a holder of a liable card\n",
            "    against: a holder of liable cards\n",
            "law.yaml:6:14",
            "unknown phrase for seats: 'a holder of liable cards'; nearest: 'a holder of a liable card', ",
        ),
        (
            "- the right M.2 is open",
            "- he is to led",
            "law.yaml:25:9",
            "unknown phrase for condition: 'he is to led'; nearest: 'he is to lead', ",
        ),
        (
            "must not: lead",
            "must not: xyz",
            "law.yaml:22:15",
            "unknown phrase for acts: 'xyz'; `tricklaw phrases acts`",
        ),
        (
            "arises: a lead out of turn",
            "arises: either adversary",
            "law.yaml:14:13",
            "unknown phrase for event: 'either adversary'; it is a phrase for seats",
        ),
        (
            "while: [he is to lead]",
            "while: [always, he has no card that complies]",
            "law.yaml:15:21",
            "'he has no card that complies' says nothing under `while:`; it goes under `excused:`",
        ),
        (
            "the right M.2 is open",
            "the right M.22 is open",
            "law.yaml:25:9",
            "'the right M.22 is open' names 'M.22', but no clause has this id; nearest: 'M.2'",
        ),
        (
            "the right M.2 is open",
            "the right M.3 is open",
            "law.yaml:25:9",
            "'the right M.3 is open' names 'M.3', which is no right; name a right; nearest: 'M.",
        ),
        (
            "arises: a lead out of turn",
            "arises: M.1 is broken",
            "law.yaml:14:13",
            "'M.1 is broken' names 'M.1', which is no duty; name a duty; nearest: 'M.3'",
        ),
        (
            "the right M.2 is open",
            "the right {clause} is open",
            "law.yaml:25:9",
            "'the right {clause} is open' is the form of a phrase; write the id of a clause for what stands in braces",
        ),
        (
            "says: He waits.\n    games: solo",
            "says: He waits.\n",
            "law.yaml:25:9",
            "'the right M.2 is open' names a clause of solo only, but applies in pairs too; add `games: [solo]`",
        ),
        (
            "while: [he is to lead]",
            "while: [he is to lead, the right M.2 is open]",
            "law.yaml:15:28",
            "by this condition it depends on itself whether the right 'M.2' is open; leave it out",
        ),
        (
            "    against: a holder of a liable card\n",
            "    against: the offender\n",
            "law.yaml:6:14",
            "'the offender' needs an offence, and this right arises from none; write `arises:`",
        ),
        (
            "    against: a holder of a liable card\n",
            "",
            "law.yaml:3:5",
            "a right lies against somebody; write `against:`",
        ),
        (
            "[partners opposite]",
            "[partners opposite, partners oposite]",
            "code.yaml:7:32",
            "unknown phrase for sides: 'partners oposite'; nearest: 'partners opposite', ",
        ),
        (
            "uses: regular-play",
            "uses: regular-play\nseats: 3",
            "code.yaml:8:13",
            "3 players cannot sit as 'partners opposite'; write one of: ",
        ),
    ],
)
def test_a_wrong_phrase_is_told_with_its_place(
    folder: Path, mistake: Mistake, before: str, after: str, place: str, message: str
) -> None:
    """A phrase that is unknown or out of place brings one line with file, line, column and what to write instead."""
    edit(folder, before, after)
    (line,) = mistake("codes", str(folder))
    assert line.startswith(f"error: {folder}/{place}: {message}")


def test_rights_in_a_circle_are_told(folder: Path, mistake: Mistake) -> None:
    """Two rights, each open only while the other is, are told at both conditions."""
    edit(
        folder,
        "    demands: play that card",
        "    demands: play that card\n    while: the right M.2 is open\n    games: solo",
    )
    edit(folder, "while: [he is to lead]", "while: a penalty for an offence is open against him")
    edit(
        folder,
        "arises: a lead out of turn",
        "unless: the right M.1 is open against him\n    arises: a lead out of turn",
    )
    places = [line.split(": ")[1].rpartition("/")[2] for line in mistake("codes", str(folder))]
    assert places == ["law.yaml:9:12", "law.yaml:16:13", "law.yaml:18:12"]


def test_clauses_that_override_each_other_are_told(folder: Path, mistake: Mistake) -> None:
    """Two clauses, each of which overrides the other, are told at both; a clause that overrides one of them is right."""
    edit(folder, "says: A liable card may be called.", "says: A liable card may be called.\n    overrides: [M.2, M.3]")
    edit(folder, "says: He waits.", "says: He waits.\n    overrides: M.1")
    lines = mistake("codes", str(folder))
    assert [line.removeprefix(f"error: {folder}/") for line in lines] == [
        "law.yaml:5:22: 'M.3' overrides this clause in its turn; let one of them yield to the other",
        "law.yaml:21:16: 'M.1' overrides this clause in its turn; let one of them yield to the other",
    ]


def test_all_mistakes_are_told_in_order(folder: Path, mistake: Mistake) -> None:
    """Every mistake of a folder has its line, in the order of the files, whatever found it."""
    edit(folder, "sides: one against the rest", "sides: one against all")
    edit(folder, "must not: lead", "must not: laed")
    edit(folder, "says: He waits.", "says: He waits.\n    overrides: M.9")
    lines = mistake("codes", str(folder))
    assert [line.removeprefix(f"error: {folder}/").split(" ")[0] for line in lines] == [
        "code.yaml:10:12:",
        "law.yaml:20:16:",
        "law.yaml:23:15:",
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("he is to lead\n", "he is to led\n", "law.yaml:24:9: unknown phrase for condition: 'he is to led'; nearest: "),
        ("title: My code", "titel: My code", "code.yaml:1:1: the key 'title' is missing"),
        ("layer: law", "layer: [", "law.yaml:"),
    ],
)
def test_a_process_fails_like_that(folder: Path, before: str, after: str, said: str) -> None:
    """The same in a process of its own: exit code 2, the message on standard error, no traceback."""
    edit(folder, before, after)
    done = subprocess.run(
        [sys.executable, "-c", RUN, "codes", str(folder)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {folder}/{said}")
    assert "Traceback" not in done.stderr


def test_built_in_codes_pass() -> None:
    """What comes with tricklaw has no mistake that the check of phrases finds."""
    assert [resolve(name)[0].id for name in ("duplicate-whist", "whist-family")] == ["duplicate-whist", "whist-family"]


# the handler ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (TricklawError("no such thing"), 2, "error: no such thing\n"),
        (LawError("wrong", Place("a.yaml", 3, 5)), 2, "error: a.yaml:3:5: wrong\n"),
        (
            LawErrors([LawError("one", Place("a.yaml", 1, 2)), LawError("two")]),
            2,
            "error: a.yaml:1:2: one\nerror: two\n",
        ),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=repr,
)
def test_what_a_command_raises_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: BaseException, code: int, said: str
) -> None:
    """Whatever command raises it, a user's mistake is told in a line each, and an interruption in none."""
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "app", app)
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == code
    assert capfd.readouterr() == ("", said)


def test_a_fault_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that is no user's mistake passes through."""
    monkeypatch.setattr("tricklaw.reports.listings.codes", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["codes"])


def test_an_interrupted_process_is_quiet() -> None:
    """Ctrl-C while a command runs ends it with exit code 130 and no traceback."""
    wait = "lambda *_: (print('on', flush=True), time.sleep(60))"
    heed = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # one started in the background would ignore it
    code = f"import signal, time; {heed}; from tricklaw.reports import listings; listings.codes = {wait}; {RUN}"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "codes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "on\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip() in ("", "Aborted!")

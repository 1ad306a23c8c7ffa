"""`tricklaw rule`: what it prints, what it writes, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tricklaw.reports.rulings import rule

CASES = Path(__file__).parents[1] / "cases"
RUN = "import sys; from tricklaw.cli import main; sys.argv[0] = 'tricklaw'; main()"

P04 = """\
P04  An exposed card, and the right-hand adversary plays in silence
Laws of Duplicate Whist, whist: A B against Y Z, no trumps, A to lead
A: 3C 2D 2H   Y: 4C 3D 3H   B: 4D QH 9H   Z: 5C 5D 4H
  1 A leads 2H   lawful
    turn      Y: 3H   (4C 3D barred by PLAY.follow)
  2 B faces 9H   unlawful
    breaks    PLAY.hidden  Cards are kept from the other players, and not spoken of, until they are led or played.
    sets off  AW.VII.1.1a  A card so placed on the table that its face shows is liable to be called.
    liable    B: 9H
    opens     AW.VII.4.1  call a liable card, from B, by Y: play that card
    turn      Y: 3H   (4C 3D barred by PLAY.follow)
  3 Y plays 3H   lawful
    closes    AW.VII.4.1 against B
    turn      B: QH 9H   (4D barred by PLAY.follow)
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `tricklaw rule` in a process of its own."""
    command = [sys.executable, "-c", RUN, "rule", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A case one of whose expectations does not hold."""
    path = tmp_path / "wrong.yaml"
    path.write_text((CASES / "P04.yaml").read_text(encoding="utf-8").replace("turn: Y", "turn: Z"), encoding="utf-8")
    return path


def test_a_case_is_told_act_by_act(capsys: pytest.CaptureFixture[str]) -> None:
    """Plain text without colours where the output is no terminal; only what has changed is told of each state."""
    assert rule([CASES / "P04.yaml"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(P04)
    assert told.endswith("all 17 expectations hold\n\n")


def test_demands_and_waivers_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """What is exacted, let go, in force and excused."""
    rule([CASES / "P01.yaml", CASES / "P05.yaml", CASES / "C13.yaml"])
    told = capsys.readouterr().out
    for line in (
        "exacts    AW.VIII.2.1",
        "binds     AW.VIII.2.1  B: lead spades",
        "lets go   BS.20.0",
        "binds     AW.VIII.2.1  B: lead diamonds, but he is excused",
        "back      A may take the card back",
        "turn      B: QS   (9H barred by AW.VIII.2.1)",
    ):
        assert line in told


def test_a_difference_is_told_and_fails(wrong: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and the line of what was expected and what was found."""
    assert rule([CASES / "P04.yaml", wrong]) == 1
    told = capsys.readouterr().out
    assert "    differs   turn: expected Z, found Y\n" in told
    assert "1 of 17 expectations differ\n" in told


def test_bad_input_is_told_with_its_place(wrong: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 on the error stream; the other cases are ruled on all the same."""
    bad = tmp_path / "bad.yaml"
    bad.write_text(
        (CASES / "P04.yaml").read_text(encoding="utf-8").replace("A leads 2H", "A leads 9H"), encoding="utf-8"
    )
    assert rule([bad, wrong]) == 2
    told = capsys.readouterr()
    assert f"error: {bad}:8:5: A leads 9H: A does not hold 9H; he holds 3C 2D 2H" in told.err
    assert "1 of 17 expectations differ" in told.out


def test_rulings_are_written_as_json(wrong: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same as data, cards and players by name; a file that cannot be written is bad input."""
    file = tmp_path / "rulings.json"
    assert rule([CASES / "P01.yaml", wrong], file) == 1
    first, second = json.loads(file.read_text(encoding="utf-8"))
    assert (first["case"], first["code"], first["game"], first["holds"]) == ("P01", "duplicate-whist", "whist", True)
    act = first["rulings"][3]
    assert (act["text"], act["lawful"], act["kind"]) == (
        "Y calls spades from B",
        True,
        "demand AW.VIII.2.1: lead that suit",
    )
    assert act["after"]["may"] == {"B": ["QS"]}
    assert act["after"]["demands"][0] == {
        "right": "AW.VIII.2.1",
        "against": "B",
        "demand": "lead spades",
        "complies": ["QS"],
        "excused": False,
    }
    assert second["holds"] is False
    assert second["rulings"][1]["differences"] == ["turn: expected Z, found Y"]
    assert rule([CASES / "P01.yaml"], tmp_path) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_command_line() -> None:
    """The exit code is that of the rulings; without a case it is an error of usage; `--acts` lists all forms."""
    done = run(CASES / "P04.yaml")
    assert (done.returncode, done.stdout[: len(P04)], done.stderr) == (0, P04, "")
    assert run("missing.yaml").returncode == 2
    usage = run()
    assert usage.returncode == 2
    assert "give a case file, or --acts" in usage.stderr
    acts = run("--acts")
    assert acts.returncode == 0
    assert "A calls 9H from B [under CLAUSE]" in acts.stdout

"""The listings of codes, properties and phrases: what is told, as tables and as JSON."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from tricklaw.cli import main
from tricklaw.model.codes import builtins, resolve
from tricklaw.model.lawfiles import schema
from tricklaw.model.phrases import PHRASES, Sort
from tricklaw.model.phrases.check import phrases_of_keys
from tricklaw.model.table import ARRANGEMENTS
from tricklaw.properties import PROPERTIES

RUN = "import sys; from tricklaw.cli import main; sys.argv[0] = 'tricklaw'; main()"

Tell = Callable[..., str]


@pytest.fixture
def tell(capfd: pytest.CaptureFixture[str]) -> Tell:
    """What a command that succeeds prints on standard output; it prints nothing else."""

    def told(*arguments: str) -> str:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfd.readouterr()
        assert (end.value.code, err) == (0, "")
        return out

    return told


def words(text: str) -> str:
    """The text on one line, with single spaces."""
    return " ".join(text.split())


# codes ---------------------------------------------------------------------------------------------------------------


def test_the_codes_are_listed(tell: Tell) -> None:
    """`codes` names every built-in code with its title, games and edition."""
    rows = tell("codes").splitlines()
    assert rows[0].split() == ["code", "title", "games", "edition"]
    for code in builtins():
        (row,) = [row for row in rows if row.startswith(f"{code.id} ")]
        assert ", ".join(code.head.games) in row
    listed = {entry["code"]: entry for entry in json.loads(tell("codes", "--json", "-"))}
    assert listed.keys() == {code.id for code in builtins()}
    for code in builtins():
        assert listed[code.id]["title"] == code.head.title
        assert listed[code.id]["edition"] == code.head.edition
        assert {n: g["sides"] for n, g in listed[code.id]["games"].items()} == {
            name: list(game.sides) for name, game in code.head.games.items()
        }


def test_listing_the_codes_needs_no_solver() -> None:
    """`codes` does not load Z3, which takes longer than all the rest."""
    code = f"{RUN.replace('main()', '')}\ntry: main()\nfinally: print('z3' in sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, "codes"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "False\n")


@pytest.mark.parametrize("code", [code.id for code in builtins()])
def test_a_code_is_told_clause_by_clause(tell: Tell, code: str) -> None:
    """`codes CODE` tells every clause under its layer with kind, sentence, readings and overrides."""
    clauses, text = resolve(code)[0].clauses, tell("codes", code)
    assert clauses
    for clause in clauses:
        section = text.split(f"\n{clause.layer}  ")[1].split("\n\n")[0]
        (start,) = re.findall(rf"^{re.escape(clause.id)} .*(?:\n .*)*", section, re.MULTILINE)
        told = set(words(start).split())
        assert {*str(clause.kind).split(), *clause.says.split(), *clause.games, *clause.overrides} <= {
            *told,
            *(word.rstrip(",") for word in told),
        }
        assert {f"{reading}: {choice}" for reading, choice in clause.under.items()} <= set(
            re.findall(r"\S+: \S+", start)
        )


def test_a_code_is_told_with_its_readings(tell: Tell) -> None:
    """`codes CODE` tells what each reading asks, its choices, and which of them is the default."""
    code, _ = resolve("whist-family")
    text = words(tell("codes", "whist-family").split("\nreadings  ")[1])
    for name, reading in code.head.readings.items():
        assert f"{name} {reading.asks}" in text
        for choice, says in reading.choices.items():
            assert f"{choice} {says}{' (default)' if choice == reading.default else ''}" in text
    assert text.count("(default)") == len(code.head.readings)


def test_a_code_is_told_as_json(tell: Tell) -> None:
    """The JSON has every clause with the place where it stands, and every reading."""
    code, _ = resolve("whist-family")
    told = json.loads(tell("codes", "whist-family", "--json", "-"))
    assert told["game"] is None
    assert [c["id"] for c in told["clauses"]] == [c.id for c in code.clauses]
    for clause, entry in zip(code.clauses, told["clauses"], strict=True):
        assert (entry["layer"], entry["kind"], entry["says"]) == (clause.layer, clause.kind, clause.says)
        assert (entry["under"], tuple(entry["overrides"])) == (clause.under, clause.overrides)
        file, line, _ = entry["place"].rsplit(":", 2)
        assert clause.id in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert told["readings"].keys() == code.head.readings.keys()


def test_a_code_is_told_for_one_game(tell: Tell) -> None:
    """`codes CODE:GAME` leaves out the clauses and the readings of other games."""
    told = json.loads(tell("codes", "whist-family:whist", "--json", "-"))
    assert told["game"] == "whist"
    assert {c["id"] for c in told["clauses"]} == {c.id for c in resolve("whist-family")[0].restrict("whist").clauses}
    assert "RS5" not in told["readings"]
    assert "boston" not in tell("codes", "whist-family:whist")


def test_a_folder_is_told_as_a_code_is(tell: Tell, tmp_path: Path) -> None:
    """`codes PATH` tells a user's own code."""
    (tmp_path / "code.yaml").write_text("code: mine\ntitle: My own [bold]code[/bold]\n", encoding="utf-8")
    assert tell("codes", str(tmp_path)).startswith("mine  My own [bold]code[/bold]\n")


# properties ----------------------------------------------------------------------------------------------------------


def test_the_properties_are_listed(tell: Tell) -> None:
    """`properties` tells each with its plain sentence, under its theme."""
    text = tell("properties")
    for p in PROPERTIES.values():
        section = next(part for part in text.split("\n\n") if part.startswith(f"{p.theme}\n"))
        assert f"{p.id} {p.says}" in words(section)
    assert json.loads(tell("properties", "--json", "-")) == [
        {key: getattr(p, key) for key in ("id", "says", "formal", "failure", "theme")} for p in PROPERTIES.values()
    ]


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_is_told(tell: Tell, name: str) -> None:
    """`properties ID` tells the formal statement, what its failure means, and the theme."""
    p = PROPERTIES[name]
    assert words(tell("properties", name)) == (
        f"{p.id} {p.says} statement {p.formal} failure {p.failure} theme {p.theme}"
    )


# phrases -------------------------------------------------------------------------------------------------------------


def test_every_phrase_is_listed(tell: Tell) -> None:
    """`phrases` tells each phrase, never broken, with its meaning, under its sort; arrangements of sides as well."""
    text = tell("phrases")
    sections = {part.split()[0]: part for part in text.split("\n\n")}
    assert list(sections) == [*Sort, "sides"]
    for phrase in PHRASES.values():
        lines = sections[phrase.sort].splitlines()
        at = lines.index(f"  {phrase.text}")
        assert words(" ".join(lines[at + 1 : at + 4])).startswith(phrase.doc)
    for phrase_, (_, says) in ARRANGEMENTS.items():
        assert f"  {phrase_}\n      {says.capitalize()}." in sections["sides"]


@pytest.mark.parametrize("name", ["condition", "while", "unless"])
def test_phrases_of_one_sort_are_listed(tell: Tell, name: str) -> None:
    """`phrases SORT` tells that sort only, with the keys that take it; a key is as good as the sort."""
    assert tell("phrases", name).startswith("condition  what holds in a state; under `while`, `unless`, ")
    told = json.loads(tell("phrases", name, "--json", "-"))
    assert list(told) == ["condition"]
    assert [p["phrase"] for p in told["condition"]["phrases"]] == [t for s, t in PHRASES if s is Sort.CONDITION]


def test_a_phrase_tells_where_it_may_stand(tell: Tell) -> None:
    """A phrase that speaks of a demand is listed with the only key of its sort under which there is one."""
    told = json.loads(tell("phrases", "condition", "--json", "-"))["condition"]["phrases"]
    only = {p["phrase"]: p["only under"] for p in told if "only under" in p}
    assert only["he cannot comply without revoking"] == ["excused"]
    assert "always" not in only
    assert "Only under `excused`." in tell("phrases", "condition")


def test_the_schema_takes_phrases_only(tell: Tell, tmp_path: Path) -> None:
    """`phrases --schema` writes the schema of law files, on standard output or to a file."""
    told = json.loads(tell("phrases", "--schema"))
    assert told == json.loads(json.dumps(schema(phrases_of_keys())))
    file = tmp_path / "schema.json"
    assert tell("phrases", "--schema", "--json", str(file)) == ""
    assert json.loads(file.read_text(encoding="utf-8")) == told


def allowed(told: dict[str, Any], kind: str, key: str) -> list[dict[str, str]]:
    """What the schema takes under a key: texts and patterns."""
    entry = told["$defs"][kind]["properties"][key]
    one = entry["anyOf"][0] if entry["anyOf"][-1].get("type") == "array" else entry
    return list(one["anyOf"])


def test_the_schema_knows_every_text_of_the_codes(tell: Tell) -> None:
    """Whatever the built-in codes write under a key of phrases, the schema takes there; a misprint it does not."""
    told = json.loads(tell("phrases", "--schema"))

    def takes(kind: str, key: str, text: str) -> bool:
        return any(
            a.get("const") == text or ("pattern" in a and re.search(a["pattern"], text))
            for a in allowed(told, kind, key)
        )

    for code in builtins():
        assert all(takes("Game", "sides", text) for game in code.head.games.values() for text in game.sides)
        for clause in code.clauses:
            written = clause.model_dump(by_alias=True, exclude_defaults=True)
            for key in written.keys() & {"while", "unless", "when", "lost", "duty", "must not", "demands", "lost to"}:
                texts = [written[key]] if isinstance(written[key], str) else written[key]
                assert all(takes("Clause", key, text) for text in texts), (clause.id, key, texts)
    assert takes("Clause", "while", "the right AW.VIII.2.1 is open")
    for wrong in ("the right aw is open", "the right AW.1 is open or so", "he is to led", "the right {clause} is open"):
        assert not takes("Clause", "while", wrong)
    assert not takes("Clause", "while", "he has no card that complies")
    assert takes("Clause", "excused", "he has no card that complies")


# as text -------------------------------------------------------------------------------------------------------------

LISTINGS = [("codes",), ("codes", "whist-family"), ("properties",), ("properties", "no-hostage"), ("phrases",)]


@pytest.mark.parametrize("command", LISTINGS, ids=" ".join)
def test_json_goes_to_a_file_as_well(tell: Tell, tmp_path: Path, command: tuple[str, ...]) -> None:
    """With `--json FILE` the listing is printed as without it, and the file has what `--json -` prints."""
    file = tmp_path / "told.json"
    assert tell(*command, "--json", str(file)) == tell(*command)
    assert file.read_text(encoding="utf-8") == tell(*command, "--json", "-")


@pytest.mark.parametrize("command", LISTINGS, ids=" ".join)
@pytest.mark.parametrize("columns", ["20", "80", "200"])
def test_a_pipe_gets_plain_whole_words(
    tell: Tell, monkeypatch: pytest.MonkeyPatch, columns: str, command: tuple[str, ...]
) -> None:
    """Where the output is no terminal, lines have a fixed width, no word is cut, and there are no colours."""
    monkeypatch.setenv("COLUMNS", columns)
    text = tell(*command)
    assert "\x1b" not in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 120
    assert all(line == line.rstrip() for line in text.splitlines())
    sentences = {
        "codes": [clause.says for clause in resolve("whist-family")[0].clauses] if len(command) > 1 else [],
        "properties": [p.says for p in PROPERTIES.values()] if len(command) == 1 else [],
        "phrases": [p.doc for p in PHRASES.values()],
    }[command[0]]
    told = set(text.split())
    assert {word for sentence in sentences for word in sentence.split()} <= told


@pytest.mark.parametrize("columns", ["40", "100"])
def test_a_terminal_gets_colours_and_its_own_width(tell: Tell, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    """On a terminal names stand out, and lines are as wide as it is."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    text = tell("codes", "whist-family")
    assert "\x1b[1mwhist-family\x1b[0m" in text
    assert max(len(line) for line in Text.from_ansi(text).plain.splitlines()) <= int(columns)


def test_a_closed_pipe_is_no_error() -> None:
    """When the reader of a pipe goes away, the command stops without a word."""
    for command in (["phrases"], ["codes", "whist-family", "--json", "-"]):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            done = subprocess.run(
                [sys.executable, "-c", RUN, *command], stdout=pipe, stderr=subprocess.PIPE, check=False
            )
        assert done.stderr == b""

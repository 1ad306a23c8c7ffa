"""Law files: what a good code becomes, and what is said of a bad one."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tricklaw.model.errors import LawError, LawErrors, Place, UnknownName
from tricklaw.model.law import Code, Kind, Layer
from tricklaw.model.lawfiles import BUILTIN, builtin_codes, find_code, load_code, schema

CODE = """\
code: small
title: A small code
uses: regular
games:
  pairs:
    says: Two against two.
    sides: [partners opposite, partners adjacent]
readings:
  R1:
    asks: Who is first?
    choices:
      left: The left.
      right: The right.
    default: left
"""
LAW = """\
layer: law
clauses:
  - id: S.1
    says: A right.
    right: call a card
    against: the holder
    by: either adversary
    demands: [play that card, do not play it]
  - id: S.2
    says: It can be lost.
    of: S.1
    lost to:
      - whoever has played
      - the dummy
    games: pairs
    under: {R1: left}
  - id: S.3
    layer: insertion
    says: A duty.
    duty: everybody
    must not: lead
    overrides: [U.1]
"""
EXPECT = """\
expect:
  pairs:
    no-deadlock: refuted
"""
USED = {
    "code.yaml": "code: regular\ntitle: What all have\n",
    "play.yaml": "layer: play\nclauses:\n- id: U.1\n  says: A duty.\n  duty: everybody\n  must: follow suit\n",
}

Write = Callable[..., Path]


def write(folder: Path, **files: str | bytes) -> Path:
    """Write a folder of files, named without their `.yaml`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        (folder / f"{name}.yaml").write_bytes(data)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of built-in codes, with one to use and one to play."""
    write(tmp_path / "codes" / "regular", **{name.removesuffix(".yaml"): text for name, text in USED.items()})
    write(tmp_path / "codes" / "small", code=CODE, law=LAW, expect=EXPECT)
    return tmp_path / "codes"


def load(root: Path, name: str = "small") -> Code:
    """Load a code of the root."""
    return load_code(root / name, codes_root=root)


def problems(root: Path, name: str = "small") -> list[str]:
    """What is said of a code, each with the file's name only."""
    with pytest.raises(LawErrors) as caught:
        load(root, name)
    assert str(caught.value) == "\n".join(map(str, caught.value.errors))
    return [str(error).replace(f"{root / name}/", "") for error in caught.value.errors]


def test_a_good_code_is_its_used_clauses_and_then_its_own(root: Path) -> None:
    """Clauses come with their layer, the file's own unless they name one."""
    code = load(root)
    assert [(clause.id, clause.layer, clause.kind) for clause in code.clauses] == [
        ("U.1", Layer.PLAY, Kind.DUTY),
        ("S.1", Layer.LAW, Kind.RIGHT),
        ("S.2", Layer.LAW, Kind.TERMS),
        ("S.3", Layer.INSERTION, Kind.DUTY),
    ]
    assert code.clause("S.2").lost_to == ("whoever has played", "the dummy")
    assert code.clause("S.2").under == {"R1": "left"}
    assert code.expect == {"pairs": {"no-deadlock": "refuted"}}
    assert (code.id, code.folder) == ("small", str(root / "small"))


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (("S.2",), "small/law.yaml:9:5"),
        (("S.2", "of"), "small/law.yaml:11:9"),
        (("S.2", "of", 0), "small/law.yaml:11:9"),
        (("S.2", "lost to", 1), "small/law.yaml:14:9"),
        (("S.2", "lost_to", 0), "small/law.yaml:13:9"),
        (("S.2", "under", "R1"), "small/law.yaml:16:17"),
        (("S.1", "demands", 1), "small/law.yaml:8:31"),
        (("S.1", "when"), "small/law.yaml:3:5"),
        (("U.1", "must"), "regular/play.yaml:6:9"),
        (("game pairs",), "small/code.yaml:5:3"),
        (("game pairs", "sides", 1), "small/code.yaml:7:32"),
        (("reading R1", "choices", "right"), "small/code.yaml:13:14"),
        (("S.9", "when"), "small"),
    ],
)
def test_every_phrase_has_a_place(root: Path, address: tuple[str, ...], place: str) -> None:
    """A later phase can point at each phrase; at what encloses it where it has no place of its own."""
    code = load(root)
    assert str(code.where(*address)) == f"{root}/{place}"
    assert str(code.restrict("pairs", without=["S.3"]).where(*address)) == f"{root}/{place}"


def test_a_copy_elsewhere_loads_the_same(root: Path, tmp_path: Path) -> None:
    """Nothing depends on where the folder lies."""
    copy = shutil.copytree(root / "small", tmp_path / "my laws" / "other name")
    one, two = load(root), load_code(copy, codes_root=root)
    assert (one.head, one.clauses, one.expect) == (two.head, two.clauses, two.expect)
    moved = {key: str(place).replace(str(root / "small"), str(copy)) for key, place in one.places.items()}
    assert moved == {key: str(place) for key, place in two.places.items()}


def test_a_code_inherits_readings_and_may_change_them(root: Path) -> None:
    """A clause of a used code keeps its readings; the using code may choose another default."""
    reading = "readings:\n  {}:\n    asks: Which?\n    choices: {{a: A., b: B.}}\n    default: {}\n"
    write(root / "regular", code=USED["code.yaml"] + reading.format("R0", "a"))
    assert load(root).head.readings["R0"].default == "a"
    write(root / "small", code=CODE + reading.format("R0", "b").removeprefix("readings:\n"))
    assert load(root).head.readings["R0"].default == "b"


def test_plain_values_are_text_as_written(root: Path) -> None:
    """Numbers, dates and `no` need no quotation marks."""
    write(root / "small", code=CODE.replace("left", "no") + "edition: 1928\n", law=LAW.replace("R1: left", "R1: no"))
    code = load(root)
    assert code.head.edition == "1928"
    assert code.clause("S.2").under == {"R1": "no"}


def test_a_code_used_twice_is_read_once(root: Path) -> None:
    """Two used codes may use the same third one."""
    write(root / "more", code="code: more\ntitle: More\nuses: regular\n")
    write(root / "small", code=CODE.replace("uses: regular", "uses: [regular, more, regular]"))
    assert [clause.id for clause in load(root).clauses] == ["U.1", "S.1", "S.2", "S.3"]


KNOWN_LAYERS = "'play', 'law', 'insertion' or 'context'"
LEADERS = "right, of, duty, permission, liable, immunity, consequence, result, embodied, not modelled"

MISTAKES = {
    "unknown key": (
        "    against:",
        "    agianst:",
        ["law.yaml:6:5: unknown key 'agianst'; nearest: 'against', 'lost', 'must'"],
    ),
    "field name for key": (
        "lost to:",
        "lost_to:",
        ["law.yaml:12:5: unknown key 'lost_to'; nearest: 'lost to', 'lost', 'of'"],
    ),
    "unknown key of a file": (
        "layer: law\n",
        "layer: law\nzzz: x\n",
        ["law.yaml:2:1: unknown key 'zzz'; known: 'layer', 'sentences', 'clauses'"],
    ),
    "missing key": (
        "    says: A duty.\n",
        "",
        ["law.yaml:17:5: the key 'says' is missing; write `says: ...` (the clause in our own words)"],
    ),
    "missing clauses": (
        LAW,
        "layer: law\n",
        ["law.yaml:1:1: the key 'clauses' is missing; write `clauses: ...`"],
    ),
    "list for text": ("says: A right.", "says: [A, right]", ["law.yaml:4:11: 'says' is a list of 2; write text"]),
    "mapping for text": ("says: A right.", "says: {a: b}", ["law.yaml:4:11: 'says' is a mapping of 1; write text"]),
    "nothing for text": ("says: A right.", "says:", ["law.yaml:4:5: 'says' is empty; write text"]),
    "short text": ("says: A right.", "says: A", ["law.yaml:4:11: 'says' is 'A'; write at least 3 characters"]),
    "nothing for a list": (
        "overrides: [U.1]",
        "overrides:",
        ["law.yaml:22:5: 'overrides' is empty; write one, or a list of them"],
    ),
    "mapping in a list": (
        "overrides: [U.1]",
        "overrides: [U.1, {a: b}]",
        ["law.yaml:22:22: item 2 of 'overrides' is a mapping of 1; write text"],
    ),
    "clauses no list": (LAW, "layer: law\nclauses: all\n", ["law.yaml:2:10: 'clauses' is 'all'; write a list"]),
    "clause no mapping": (
        LAW,
        "layer: law\nclauses:\n- all\n",
        ["law.yaml:3:3: item 1 of 'clauses' is 'all'; write `key: value` lines"],
    ),
    "unknown layer": (
        "layer: law",
        "layer: lew",
        [f"law.yaml:1:8: 'layer' is 'lew'; write {KNOWN_LAYERS}"],
    ),
    "bad id": (
        "id: S.3",
        "id: s.3",
        ["law.yaml:17:9: 'id' is 's.3'; write it like 'AW.VIII.1.2'"],
    ),
    "two leading keys": (
        "    must not: lead\n",
        "    liable: that card\n",
        [f"law.yaml:21:5: a clause has exactly one of: {LEADERS}; found duty and liable"],
    ),
    "no leading key": (
        "    duty: everybody\n    must not: lead\n",
        "",
        [f"law.yaml:17:5: a clause has exactly one of: {LEADERS}; found none"],
    ),
    "an event in a duty": (
        "must not: lead",
        "must not: lead\n    when: a card is named by its holder",
        [
            "law.yaml:22:5: the key 'when' says nothing in a clause of the kind duty; "
            "it goes with the kind consequence or embodied or liability or result; leave it out"
        ],
    ),
    "key of another kind": (
        "must not: lead",
        "must not: lead\n    demands: play",
        [
            "law.yaml:22:5: the key 'demands' says nothing in a clause of the kind duty; "
            "it goes with the kind right; leave it out"
        ],
    ),
    "duty to nothing": (
        "    must not: lead\n",
        "",
        ["law.yaml:17:5: a duty says what must or must not be done; write `must:` or `must not:`"],
    ),
    "permission of nothing": (
        "    duty: everybody\n    must not: lead\n",
        "    permission: everybody\n",
        ["law.yaml:17:5: a permission says what may be done; write `may:`"],
    ),
    "override of nothing": (
        "[U.1]",
        "[U.1, S.22]",
        [
            "law.yaml:22:22: 'overrides' names 'S.22', but no clause has this id; this is an override of nothing"
            "; nearest: 'S.2'"
        ],
    ),
    "override of itself": (
        "[U.1]",
        "[U.1, S.3]",
        ["law.yaml:22:22: 'S.3' overrides itself; name the clause that yields to it"],
    ),
    "terms of nothing": (
        "of: S.1",
        "of: [S.1, S.11]",
        ["law.yaml:11:15: 'of' names 'S.11', but no clause has this id; nearest: 'S.1'"],
    ),
    "terms of a duty": (
        "of: S.1",
        "of: S.3",
        ["law.yaml:11:9: 'of' names 'S.3', which is no right; name a right, or 'every penalty'; nearest: 'S.1'"],
    ),
    "immunity from nothing": (
        "    duty: everybody\n    must not: lead\n    overrides: [U.1]\n",
        "    immunity: everybody\n    from: U.2\n",
        ["law.yaml:21:11: 'from' names 'U.2', but no clause has this id; nearest: 'U.1', 'S.2'"],
    ),
    "unknown reading": (
        "{R1: left}",
        "{R11: left}",
        ["law.yaml:16:13: 'under' names the reading 'R11', which the code does not have; nearest: 'R1'"],
    ),
    "unknown choice": (
        "{R1: left}",
        "{R1: lift}",
        ["law.yaml:16:17: 'lift' is no choice of the reading 'R1'; nearest: 'left'"],
    ),
    "unknown game of a clause": (
        "games: pairs",
        "games: [pairs, pears]",
        ["law.yaml:15:20: 'games' names 'pears', which the code does not have; nearest: 'pairs'"],
    ),
    "duplicate id": (
        "id: S.3",
        "id: S.2",
        [
            "law.yaml:17:9: the clause id 'S.2' is taken, by law.yaml:9:9; give this clause another id, "
            "and let it override that one if it shall take its place"
        ],
    ),
    "duplicate key": (
        "    right: call a card\n",
        "    rihgt: call a card\n    rihgt: again\n",
        ["law.yaml:6:5: the key 'rihgt' is here twice, first in line 5; keep one"],
    ),
    "reference to a clause with a mistake": (
        "    right: call a card\n",
        "    rihgt: call a card\n",
        ["law.yaml:5:5: unknown key 'rihgt'; nearest: 'right'"],
    ),
}

HEAD_MISTAKES = {
    "unknown key": ("title:", "titel:", ["the key 'title' is missing", "2:1: unknown key 'titel'; nearest: 'title'"]),
    "bad id": ("code: small", "code: Small", ["1:7: 'code' is 'Small'; write it like 'duplicate-whist'"]),
    "unknown key of a game": (
        "    says: Two",
        "    sayz: Two",
        ["says' is missing", "6:5: unknown key 'sayz'; nearest"],
    ),
    "no number": ("uses:", "seats: four\nuses:", ["3:8: 'seats' is 'four'; write a whole number"]),
    "too many seats": ("uses:", "seats: 5\nuses:", ["3:8: 'seats' is '5'; write 4 or less"]),
    "too few seats": ("uses:", "seats: 2\nuses:", ["3:8: 'seats' is '2'; write 3 or more"]),
    "one choice": ("      right: The right.\n", "", ["12:7: 'choices' is a mapping of 1; write at least 2"]),
    "no sides": ("[partners opposite, partners adjacent]", "[]", ["7:12: 'sides' is a list of 0; write at least 1"]),
    "default is no choice": (
        "default: left",
        "default: lefty",
        ["14:14: the default 'lefty' is no choice of the reading 'R1'; nearest: 'left'"],
    ),
    "bad name": (
        "  pairs:",
        "  a:b:",
        ["5:3: the name 'a:b' holds a sign no name may hold; leave out ':', '=', '/' and line breaks"],
    ),
    "unknown code used": (
        "uses: regular",
        "uses: [regular, regluar]",
        ["3:17: 'uses' names 'regluar', which is no built-in code; nearest: 'regular'"],
    ),
    "path used": ("uses: regular", "uses: ../codes/regular", ["3:7: 'uses' names '../codes/regular', which is no"]),
    "code that uses itself": ("uses: regular", "uses: small", ["3:7: 'small' uses itself, directly or through"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_clause_is_told_with_its_place_and_what_to_write(root: Path, mistake: str) -> None:
    """One mistake, one message: file, line, column, what is wrong, and the nearest right thing."""
    right, wrong, told = MISTAKES[mistake]
    assert right in LAW
    write(root / "small", law=LAW.replace(right, wrong, 1))
    assert problems(root) == told


@pytest.mark.parametrize("mistake", HEAD_MISTAKES)
def test_a_mistake_in_the_head_is_told_with_its_place_and_what_to_write(root: Path, mistake: str) -> None:
    """The same for `code.yaml`, with what follows from it left out."""
    right, wrong, told = HEAD_MISTAKES[mistake]
    assert right in CODE
    (root / "small" / "expect.yaml").unlink()
    write(root / "small", code=CODE.replace(right, wrong, 1), law="layer: law\nclauses: []\n")
    found = problems(root)
    assert len(found) == len(told)
    for message, part in zip(found, told, strict=True):
        assert message.startswith("code.yaml:")
        assert part in message


def test_an_expectation_of_an_unknown_game_is_told(root: Path) -> None:
    """`expect.yaml` is checked against the games of the code."""
    write(root / "small", expect=EXPECT.replace("pairs", "pears"))
    told = "expect.yaml:2:3: 'expect' names the game 'pears', which the code does not have; nearest: 'pairs'"
    assert problems(root) == [told]


def test_all_problems_are_told_in_the_order_of_the_files(root: Path) -> None:
    """Own files first, head first, then by line; used codes last."""
    write(root / "small", code=CODE.replace("default: left", "default: x"), law=LAW.replace("R1: left", "R2: left"))
    write(
        root / "small",
        extra=LAW.replace("S.", "T.").replace("T.1\n    lost", "S.7\n    lost").replace("says", "sais", 1),
    )
    write(root / "regular", play=USED["play.yaml"] + "  unless: [[]]\n")
    starts = [re.match(r".*?([a-z]+\.yaml:\d+:\d+)", line) for line in problems(root)]
    places = [start.group(1) for start in starts if start]
    assert places == [
        "code.yaml:14:14",
        "extra.yaml:3:5",
        "extra.yaml:4:5",
        "extra.yaml:11:9",
        "law.yaml:16:13",
        "play.yaml:7:12",
    ]


def test_one_problem_is_the_whole_message(root: Path) -> None:
    """A single problem gives its own message and place to the error."""
    write(root / "small", law=LAW.replace("R1: left", "R1: lift"))
    with pytest.raises(LawErrors) as caught:
        load(root)
    assert caught.value.place == Place(str(root / "small" / "law.yaml"), 16, 17)
    assert caught.value.message == "'lift' is no choice of the reading 'R1'; nearest: 'left'"


def test_an_unreadable_file_hides_no_other_problem_and_makes_none(root: Path) -> None:
    """The clauses of a broken file are not reported as missing where others name them."""
    more = LAW.replace("S.", "T.").replace("of: T.1", "of: S.1").replace("says: A right.", "says: []")
    write(root / "small", law=LAW.replace("[U.1]", "[U.1"), more=more)
    assert problems(root) == [
        "law.yaml:22:16: not YAML: expected ',' or ']', but got '<stream end>'; put text with special signs in "
        "quotation marks, and close every bracket and quotation mark",
        "more.yaml:4:11: 'says' is a list of 0; write text",
    ]


def test_a_folder_without_a_head_is_told(root: Path, tmp_path: Path) -> None:
    """No `code.yaml`, no folder, a file in its stead."""
    (root / "small" / "code.yaml").unlink()
    assert problems(root) == ["code.yaml: the code has no code.yaml; write one with the keys code, title and games"]
    gone = tmp_path / "gone"
    for path, why in ((gone, "No such file or directory"), (root / "small" / "law.yaml", "Not a directory")):
        with pytest.raises(LawErrors, match=re.escape(f"{path}: no folder that can be read ({why}); give the folder")):
            load_code(path, codes_root=root)


def test_a_file_that_ends_in_yml_is_told(root: Path) -> None:
    """A law that would silently not be in force is an error; hidden files and others are not law files."""
    (root / "small" / "more.yml").write_text("x")
    (root / "small" / ".#law.yaml").write_text("x")
    (root / "small" / "notes.txt").write_text("x")
    assert problems(root) == ["more.yml: the names of law files end in .yaml; rename the file"]


def test_more_clauses_than_allowed_are_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one folder, and with those it uses."""
    monkeypatch.setattr("tricklaw.model.lawfolder.MOST_CLAUSES", 2)
    told = "with this file the code has more than 2 clauses; divide it into several codes"
    assert problems(root) == [f"law.yaml: {told}"]
    monkeypatch.setattr("tricklaw.model.lawfolder.MOST_CLAUSES", 3)
    monkeypatch.setattr("tricklaw.model.lawfiles.MOST_CLAUSES", 3)
    assert problems(root) == [
        f"{root / 'small'}: the code has 4 clauses with those it uses, more than 3; divide it into several codes"
    ]


def test_a_further_check_is_asked_and_its_places_are_told(root: Path) -> None:
    """The check sees the whole code; what it finds is told with the rest."""

    def check(code: Code) -> list[LawError]:
        return [LawError("unknown phrase", code.where("S.2", "lost to", 0))]

    with pytest.raises(LawErrors) as caught:
        load_code(root / "small", codes_root=root, check=check)
    assert str(caught.value) == f"{root}/small/law.yaml:13:9: unknown phrase"
    assert load_code(root / "small", codes_root=root, check=lambda code: []).clauses == load(root).clauses


def test_codes_with_games_are_listed(root: Path) -> None:
    """A code that is only there to be used is not listed; one that cannot be read is."""
    assert builtin_codes(root) == {"small": root / "small"}
    write(root / "odd", code="a: [")
    assert list(builtin_codes(root)) == ["odd", "small"]
    assert builtin_codes(root / "gone") == {}


def test_a_command_line_names_a_code_and_perhaps_a_game(root: Path, tmp_path: Path) -> None:
    """By name or by path, each with or without a game."""
    path = shutil.copytree(root / "small", tmp_path / "a:b")
    for text, game in (("small", None), ("small:pairs", "pairs"), (str(path), None), (f"{path}:pairs", "pairs")):
        code, found = find_code(text, codes_root=root)
        assert (code.id, found) == ("small", game)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("smal", "'smal' is neither a built-in code nor a folder; nearest: 'small'"),
        ("smal:pairs", "'smal:pairs' is neither a built-in code nor a folder; nearest: 'small'"),
        ("small:pears", "the code 'small' has no game 'pears'; nearest: 'pairs'"),
        ("small:", "the code 'small' has no game ''; known: 'pairs'"),
        ("", "'' is neither a built-in code nor a folder; known: 'small'"),
        ("a\0b", r"'a\x00b' is neither a built-in code nor a folder; known: 'small'"),
    ],
)
def test_an_unknown_code_or_game_is_told_with_the_nearest(root: Path, text: str, told: str) -> None:
    """Whatever the command line holds."""
    with pytest.raises(UnknownName) as caught:
        find_code(text, codes_root=root)
    assert str(caught.value) == told
    with pytest.raises(UnknownName):
        find_code("x" * 5000, codes_root=root)


def test_the_codes_that_come_with_tricklaw_load() -> None:
    """Every built-in code is sound, and lies in a folder of its own name."""
    for name, folder in builtin_codes().items():
        assert load_code(folder).id == name
    assert BUILTIN.name == "codes"


def test_the_schema_takes_phrases_where_phrases_stand() -> None:
    """Literal phrases become constants and regular expressions patterns, alone or in lists as the key allows."""
    found = schema(
        {"duty": ["everybody", "^the right of .*$"], "lost_to": ["the dummy"], "sides": ["partners opposite"]}
    )
    clause = found["$defs"]["Clause"]["properties"]
    one = {"const": "the dummy"}
    assert clause["duty"]["anyOf"] == [{"const": "everybody"}, {"pattern": "^the right of .*$", "type": "string"}]
    assert clause["lost to"]["anyOf"] == [{"anyOf": [one]}, {"type": "array", "items": {"anyOf": [one]}}]
    assert "partners opposite" in str(found["$defs"]["Game"]["properties"]["sides"])
    assert clause["when"]["anyOf"] == [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    assert [choice["$ref"] for choice in found["anyOf"]] == [
        f"#/$defs/{m}" for m in ("ClauseFile", "CodeHead", "Expectation")
    ]
    assert schema({"when": []}) == schema()
    assert {"required": ["not modelled"]} in found["$defs"]["Clause"]["oneOf"]


# sentences -----------------------------------------------------------------------------------------------------------

SENTENCES = {"whist-family": 40, "duplicate-whist": 15, "skat": 16, "auction-bridge": 14}
"""The sentences of the excerpts, by code."""


def test_every_sentence_of_the_excerpts_is_accounted_for() -> None:
    """85 of them, of which the model has all but those with a reason."""
    codes = {name: load_code(BUILTIN / name) for name in SENTENCES}
    assert {name: len(code.sentences) for name, code in codes.items()} == SENTENCES
    left = [s.id for c in codes.values() for s in c.sentences.values() if all(x.not_modelled for x in c.clauses_of(s))]
    assert sum(SENTENCES.values()) == 85
    assert left == ["AB.82.1", "AB.82.2"]


def test_a_sentence_without_a_clause_and_a_clause_without_a_sentence_are_told(root: Path) -> None:
    """Each with its place; a letter after the number, or `sentence:`, makes a clause a piece of a sentence."""
    listed = "layer: law\nsentences:\n  S.1.1: One thing.\n  S.1.2: Another thing.\nclauses:\n"
    one = "  - {id: S.1.1a, says: One thing., duty: everybody, must not: lead}\n"
    write(root / "small", law=listed + one + "  - {id: S.2.9, says: A third., duty: everybody, must not: play}\n")
    assert problems(root) == [
        "law.yaml:4:3: the sentence 'S.1.2' has no clause; write one, if only `not modelled:` with the reason",
        "law.yaml:7:10: the clause 'S.2.9' comes from none of the sentences; write `sentence:` with the number of its own; "
        "nearest: 'S.1.1', 'S.1.2'",
    ]
    write(
        root / "small",
        law=listed + one + "  - {id: S.2.9, sentence: S.1.2, says: A third., duty: everybody, must not: play}\n",
    )
    assert set(load_code(root / "small", codes_root=root).sentences) == {"S.1.1", "S.1.2"}

"""YAML files with places: what is read, what is refused and where, and that no input whatever gives a traceback."""

import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tricklaw.model.errors import LawError, LawErrors, Place, TricklawError
from tricklaw.model.law import Clause, Code
from tricklaw.model.lawfiles import load_code
from tricklaw.model.sheets import DEEPEST, LONGEST_LINE, MOST_BYTES, Sheet, read_sheet


def sheet(folder: Path, content: str | bytes) -> Sheet:
    """The sheet of a file with that content."""
    path = folder / "a.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_sheet(path)


def problems(folder: Path, content: str | bytes) -> list[str]:
    """What is said of a file with that content, without the folder."""
    with pytest.raises(LawErrors) as caught:
        sheet(folder, content)
    return [str(error).replace(f"{folder}/", "") for error in caught.value.errors]


def test_a_file_becomes_data_with_places(tmp_path: Path) -> None:
    """Mappings, lists and text, each with the place of its key and of its value."""
    found = sheet(tmp_path, "a: 1\nb:\n  - no\n  - {c: '', d: }\ne: |\n  two\n  lines\n")
    assert found.data == {"a": "1", "b": ["no", {"c": "", "d": None}], "e": "two\nlines\n"}
    file = str(tmp_path / "a.yaml")
    assert found.key_place(("b",)) == Place(file, 2, 1)
    assert found.place(("b", 1, "c")) == Place(file, 4, 9)
    assert found.place(("b", 1, "d")) == Place(file, 4, 13)
    assert found.place(("b", 0, "x", 7)) == found.place(("b", 0)) == Place(file, 3, 5)
    assert found.place(("z",)) == Place(file, 1, 1)


def test_a_byte_order_mark_and_foreign_line_ends_move_no_place(tmp_path: Path) -> None:
    """Files written on other systems are read alike."""
    found = sheet(tmp_path, b"\xef\xbb\xbfa: 1\r\nb: \xc3\xa9 \xe2\x99\xa0\r\n")
    assert found.data == {"a": "1", "b": "é ♠"}
    assert found.key_place(("a",)) == Place(str(tmp_path / "a.yaml"), 1, 1)
    assert found.key_place(("b",)) == Place(str(tmp_path / "a.yaml"), 2, 1)


QUOTE = "put text with special signs in quotation marks, and close every bracket and quotation mark"
NOT_ALLOWED = "is not allowed in a law file;"

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "a.yaml: the file is empty; write `key: value` lines, or remove it"),
    "only comments": ("# a\n", "a.yaml: the file is empty; write `key: value` lines, or remove it"),
    "list": ("- a\n", "a.yaml:1:1: the file holds no mapping; write `key: value` lines"),
    "text": ("\n  a\n", "a.yaml:2:3: the file holds no mapping; write `key: value` lines"),
    "not UTF-8": (b"a: 1\nb: \xc3\xa9\xff", "a.yaml:2:5: not UTF-8: found the byte 0xff; save the file as UTF-8"),
    "UTF-16": ("a: 1".encode("utf-16"), "a.yaml:1:1: not UTF-8: found the byte 0xff; save the file as UTF-8"),
    "control character": ("a: 1\nb: \x01", "a.yaml:2:4: the character U+0001 is not allowed; remove it"),
    "zero character": ("a: 1\nb: \x00", "a.yaml:2:4: the character U+0000 is not allowed; remove it"),
    "surrogate": (
        'a: "\\ud800"',
        "a.yaml:1:4: the text holds half of a surrogate pair, which is no character; remove the escape",
    ),
    "duplicate key": ("a: 1\nb:\n  c: 1\n  c: 2\n", "a.yaml:4:3: the key 'c' is here twice, first in line 3; keep one"),
    "colon in text": (
        "says: if he leads: stop",
        'a.yaml:1:18: not YAML: mapping values are not allowed here; put text that holds ": " in quotation marks',
    ),
    "tab": (
        "a:\n\tb: 1",
        "a.yaml:2:1: not YAML: found character '\\t' that cannot start any token; indent with spaces",
    ),
    "no space after colon": (
        "a: 1\nb:2\nc: 3\n",
        "a.yaml:3:1: not YAML: could not find expected ':'; write `key: value`, with a space after the colon",
    ),
    "indentation": (
        "a: 1\n b: 2\n",
        'a.yaml:2:3: not YAML: mapping values are not allowed here; put text that holds ": " in quotation marks',
    ),
    "dash": (
        "a:\n  - b\n c\n",
        "a.yaml:3:2: not YAML: expected <block end>, but found '<scalar>'; line up the keys of a mapping, "
        "and the dashes of a list, one below the other",
    ),
    "open bracket": ("a: 1\nb: [c, d\n", f"a.yaml:2:4: not YAML: expected ',' or ']', but got '<stream end>'; {QUOTE}"),
    "open quotation": ("a: 1\nb: 'c\n", f"a.yaml:2:4: not YAML: found unexpected end of stream; {QUOTE}"),
    "reserved sign": ("a: @b", f"a.yaml:1:4: not YAML: found character '@' that cannot start any token; {QUOTE}"),
    "impossible escape": (
        'a: "\\UFFFFFFFF"',
        "a.yaml:1:5: not YAML: \\UFFFFFFFF is no character; write the character itself",
    ),
    "second document": (
        "a: 1\n---\nb: 2\n",
        "a.yaml:2:1: a second document begins here; keep one document a file, without `---`",
    ),
    "anchor": ("a: &x [1]\nb: 2\n", f"a.yaml:1:4: the anchor &x {NOT_ALLOWED} leave it out"),
    "alias": ("a: 1\nb: *x\n", f"a.yaml:2:4: the alias *x {NOT_ALLOWED} write the value out"),
    "tag": ("a: !!int 1\n", f"a.yaml:1:4: the tag tag:yaml.org,2002:int {NOT_ALLOWED} leave it out"),
    "tag of a list": ("a: !x [1]\n", f"a.yaml:1:4: the tag !x {NOT_ALLOWED} leave it out"),
    "key no text": ("? [a]\n: b\n", "a.yaml:1:3: a list or mapping stands as a key; write text before the colon"),
    "no key": ("a: 1\n: b\n", "a.yaml:2:1: a key is missing before the colon; write `key: value`"),
    "deep brackets": (
        "a: " + "[" * 5000,
        f"a.yaml:1:{DEEPEST + 3}: nested deeper than {DEEPEST} levels; a law file needs no more than five",
    ),
    "deep dashes": (
        "a:\n " + "- " * 4000,
        f"a.yaml:2:{2 * DEEPEST}: nested deeper than {DEEPEST} levels; a law file needs no more than five",
    ),
    "long line": (
        "a: 1\nb: " + "c" * LONGEST_LINE,
        f"a.yaml:2:{LONGEST_LINE + 1}: the line is longer than 10,000 characters; break it",
    ),
    "large file": (
        "#" * MOST_BYTES + "\n",
        "a.yaml: the file is larger than 1,048,576 bytes; split it into several files",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read_is_told_with_its_place_and_what_to_write(tmp_path: Path, what: str) -> None:
    """One message, with the line and column where a reader would put his finger."""
    content, told = REFUSED[what]
    assert problems(tmp_path, content) == [told]


def test_as_deep_and_as_long_as_allowed_is_read(tmp_path: Path) -> None:
    """The limits themselves are within the limits."""
    deep = "a: " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    assert list(sheet(tmp_path, deep).data) == ["a"]
    assert len(sheet(tmp_path, "a: " + "b" * (LONGEST_LINE - 3)).data["a"]) == LONGEST_LINE - 3
    large = ("#" * 63 + "\n") * (MOST_BYTES // 64 - 1) + "a: " + "b" * 61
    assert len(large) == MOST_BYTES
    assert list(sheet(tmp_path, large).data) == ["a"]


def test_an_alias_bomb_is_refused_at_its_first_anchor(tmp_path: Path) -> None:
    """Nothing is expanded."""
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    assert problems(tmp_path, bomb) == [f"a.yaml:1:5: the anchor &a0 {NOT_ALLOWED} leave it out"]


def test_every_duplicate_key_is_told_up_to_a_limit(tmp_path: Path) -> None:
    """All of them at once; a file of nothing else is given up."""
    found = problems(tmp_path, "a: 1\na: 2\nb: 3\na: 4\n")
    assert [line.split()[0] for line in found] == ["a.yaml:2:1:", "a.yaml:4:1:"]
    found = problems(tmp_path, "a: 1\n" * 300)
    assert len(found) == 101
    assert found[-1] == "a.yaml:101:1: too many problems; the rest of the file is not read"


def test_more_values_than_allowed_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their number is limited, so that a file is read in seconds."""
    monkeypatch.setattr("tricklaw.model.sheets.MOST_VALUES", 4)
    assert sheet(tmp_path, "a: [b, c]\n").data == {"a": ["b", "c"]}
    assert problems(tmp_path, "a: [b, c, d]\n") == [
        "a.yaml:1:11: more than 4 values in one file; split it into several files"
    ]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The system's reason, with the file."""
    with pytest.raises(LawErrors) as caught:
        read_sheet(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path}/none.yaml: cannot be read: No such file or directory"


def test_errors_travel_between_processes() -> None:
    """Several problems, pickled and back, say the same."""
    errors = LawErrors([LawError("one", Place("a", 1, 2)), LawError("two", Place("b"))])
    assert str(pickle.loads(pickle.dumps(errors))) == str(errors) == "a:1:2: one\nb: two"


HEAD = "code: odd\ntitle: Odd\n"
KEYS = [info.alias or name for name, info in Clause.model_fields.items()]
words = (
    st.sampled_from(["A.1", "A.2", "every penalty", "R", "a", "law", "play", "at each trick", "pairs", "4"]) | st.text()
)
keys = (
    st.sampled_from([*KEYS, "clauses", "code", "title", "games", "sides", "readings", "choices", "uses", "default"])
    | words
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | words
trees = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=20)
clauses = st.lists(st.dictionaries(st.sampled_from(KEYS), trees) | trees, max_size=4)
yaml_like = st.lists(
    st.sampled_from(
        [*KEYS, *"[]{}-:,&*!|>'\"%@`#?~\n\t \\", ": ", "- ", "\n  ", "\n- ", "---\n", "...\n", "<<", "é", "\ufeff"]
    )
).map("".join)


def load_any(folder: Path, **files: bytes) -> None:
    """Load whatever is given: a code, or an error of ours that can be printed."""
    for name, content in files.items():
        (folder / f"{name}.yaml").write_bytes(content)
    try:
        code: Code | None = load_code(folder, codes_root=folder.parent)
    except TricklawError as error:
        code, told = None, str(error).encode()
    assert code or told


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose files are written anew for each example."""
    return tmp_path_factory.mktemp("root")


@settings(deadline=None, max_examples=60)
@given(
    content=st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")) | yaml_like.map(str.encode)
)
def test_any_text_or_bytes_is_a_code_or_an_error_of_ours(folder: Path, content: bytes) -> None:
    """As the head, as a file of clauses, and as the expectations."""
    good = b"layer: law\nclauses: []\n"
    load_any(folder, code=content, law=good, expect=b"expect: {}")
    load_any(folder, code=HEAD.encode(), law=content, expect=content)


@settings(deadline=None, max_examples=60)
@given(clauses=clauses, head=st.dictionaries(keys, trees), expect=trees)
def test_any_structure_is_a_code_or_an_error_of_ours(
    folder: Path, clauses: object, head: dict[str, object], expect: object
) -> None:
    """JSON is YAML, so any tree can be written down; keys are mostly those that mean something."""
    law = json.dumps({"layer": "law", "clauses": clauses}).encode()
    load_any(folder, code=json.dumps({"code": "odd", "title": "Odd"} | head).encode(), law=law, expect=b"expect: {}")
    load_any(folder, code=HEAD.encode(), law=law, expect=json.dumps({"expect": expect}).encode())

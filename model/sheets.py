"""One YAML file as plain data, with the place of every key and every value.

A law file needs little of YAML: mappings, lists and text. A plain value is text as it is written (the failsafe schema
of YAML 1.2, section 10.1), so that `edition: 1928` or a choice called `no` need no quotation marks; an empty value is
None. Anchors, aliases, tags and several documents are refused. The file is built straight from the parser's events,
without recursion, and everything has a limit, so that no file can exhaust the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from tricklaw.model.errors import LawError, LawErrors, Place

MOST_BYTES = 1 << 20
MOST_VALUES = 100_000
MOST_PROBLEMS = 100
LONGEST_LINE = 10_000
DEEPEST = 50

Keys = tuple[str | int, ...]
"""The keys and positions that lead to a value from the top of its file."""


@dataclass(frozen=True)
class Sheet:
    """A file's data (mappings, lists, text and None), the places of its keys and the places of its values."""

    file: str
    data: dict[str, Any]
    keys: dict[Keys, Place] = field(default_factory=dict)
    values: dict[Keys, Place] = field(default_factory=dict)

    def place(self, path: Keys) -> Place:
        """Where the value stands; where there is none, the nearest value that encloses it."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Place(self.file))

    def key_place(self, path: Keys) -> Place:
        """Where the key of the value stands; where it has none, the value."""
        return self.keys.get(path) or self.place(path)


def read_sheet(path: Path) -> Sheet:
    """Read a YAML file that holds a mapping.

    Raises:
        LawErrors: it cannot be read, is not UTF-8, is not YAML, is no mapping, or passes a limit.
    """
    builder = _Builder(str(path))
    for event in _events(_text(path), str(path)):
        builder.take(event)
    data = builder.data
    if builder.documents == 0:
        builder.stop("the file is empty; write `key: value` lines, or remove it", Place(str(path)))
    if not isinstance(data, dict):
        builder.stop("the file holds no mapping; write `key: value` lines", builder.values[()])
    if builder.problems:
        raise LawErrors(builder.problems)
    return Sheet(str(path), data, builder.keys, builder.values)


def _text(path: Path) -> str:
    """The file's text, without a byte order mark."""
    place = Place(str(path))
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise _only(f"cannot be read: {error.strerror or error}", place) from None
    if len(raw) > MOST_BYTES:
        raise _only(f"the file is larger than {MOST_BYTES:,} bytes; split it into several files", place)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        what = f"not UTF-8: found the byte 0x{error.object[error.start]:02x}; save the file as UTF-8"
        raise _only(what, _after(before, str(path))) from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            what = f"the line is longer than {LONGEST_LINE:,} characters; break it"
            raise _only(what, Place(str(path), number, LONGEST_LINE + 1))
    return text


def _events(text: str, file: str) -> Iterator[Event]:
    """The parser's events; what the parser finds wrong is a LawErrors."""
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except ReaderError as error:
        what = f"the character U+{ord(text[error.position]):04X} is not allowed; remove it"
        raise _only(what, _after(text[: error.position], file)) from None
    except MarkedYAMLError as error:
        problem = str(error.problem or error.context).partition("\n")[0]
        mark = error.problem_mark or error.context_mark
        if "end of stream" in problem or "stream end" in problem:
            mark = error.context_mark or mark  # where the bracket or quotation mark was opened
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        raise _only(f"not YAML: {problem}; {_remedy(problem)}", place) from None
    except (YAMLError, ValueError, OverflowError) as error:
        escape = _NO_CHARACTER.search(text)  # what the parser itself does not expect
        problem = f"{escape.group()} is no character" if escape else str(error).partition("\n")[0]
        place = _after(text[: escape.start()], file) if escape else Place(file)
        raise _only(f"not YAML: {problem}; {_remedy(problem)}", place) from None


_NO_CHARACTER = re.compile(r"\\U(?!0010|000)[0-9A-Fa-f]{8}")
"""An escape beyond the last character, U+10FFFF."""


def _remedy(problem: str) -> str:
    """What to write instead, for what the parser says."""
    if "mapping values are not allowed" in problem:
        return 'put text that holds ": " in quotation marks'
    if problem.endswith("is no character"):
        return "write the character itself"
    if "\\t" in problem:
        return "indent with spaces"
    if "could not find expected ':'" in problem:
        return "write `key: value`, with a space after the colon"
    if "<block end>" in problem:
        return "line up the keys of a mapping, and the dashes of a list, one below the other"
    return "put text with special signs in quotation marks, and close every bracket and quotation mark"


def _after(before: str, file: str) -> Place:
    """The place that follows a text."""
    return Place(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def _only(message: str, place: Place) -> LawErrors:
    return LawErrors([LawError(message, place)])


@dataclass
class _Level:
    """A mapping or list that is being filled, and the key that waits for its value."""

    path: Keys
    container: dict[str, Any] | list[Any]
    key: str | None = None


class _Builder:
    """Takes the parser's events one by one."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.data: object = None
        self.documents = 0
        self.keys: dict[Keys, Place] = {}
        self.values: dict[Keys, Place] = {}
        self.problems: list[LawError] = []
        self.levels: list[_Level] = []

    def stop(self, message: str, place: Place) -> NoReturn:
        """Give the file up."""
        raise LawErrors([*self.problems, LawError(message, place)])

    def take(self, event: Event) -> None:
        """Build one event in."""
        place = Place(self.file, event.start_mark.line + 1, event.start_mark.column + 1)
        match event:
            case DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    self.stop("a second document begins here; keep one document a file, without `---`", place)
            case CollectionEndEvent():
                self.levels.pop()
            case NodeEvent():
                self._refuse(event, place)
                self._node(event, place)

    def _refuse(self, event: NodeEvent, place: Place) -> None:
        """What YAML has and law files have no need of."""
        if isinstance(event, AliasEvent):
            self.stop(f"the alias *{event.anchor} is not allowed in a law file; write the value out", place)
        if event.anchor is not None:
            self.stop(f"the anchor &{event.anchor} is not allowed in a law file; leave it out", place)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.stop(f"the tag {tag} is not allowed in a law file; leave it out", place)
        if len(self.values) >= MOST_VALUES:
            self.stop(f"more than {MOST_VALUES:,} values in one file; split it into several files", place)

    def _node(self, event: NodeEvent, place: Place) -> None:
        match event:
            case MappingStartEvent():
                self._open({}, place)
            case SequenceStartEvent():
                self._open([], place)
            case ScalarEvent():
                self._scalar(event, place)

    def _open(self, container: dict[str, Any] | list[Any], place: Place) -> None:
        if len(self.levels) >= DEEPEST:
            self.stop(f"nested deeper than {DEEPEST} levels; a law file needs no more than five", place)
        self.levels.append(_Level(self._put(container, place), container))

    def _scalar(self, event: ScalarEvent, place: Place) -> None:
        text: str = event.value
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            self.stop("the text holds half of a surrogate pair, which is no character; remove the escape", place)
        level = self.levels[-1] if self.levels else None
        if level and isinstance(level.container, dict) and level.key is None:
            self._key(level, level.container, text, place)
        elif event.style is None and text in {"", "~", "null"}:
            self._put(None, self.keys[(*level.path, level.key)] if level and level.key is not None else place)
        else:
            self._put(text, place)

    def _key(self, level: _Level, mapping: dict[str, Any], key: str, place: Place) -> None:
        if not key:
            self.stop("a key is missing before the colon; write `key: value`", place)
        path = (*level.path, key)
        if key in mapping:
            first = self.keys[path].line
            self.problems.append(LawError(f"the key {key!r} is here twice, first in line {first}; keep one", place))
            if len(self.problems) >= MOST_PROBLEMS:
                self.stop("too many problems; the rest of the file is not read", place)
        else:
            self.keys[path] = place
        level.key = key

    def _put(self, value: object, place: Place) -> Keys:
        """Put a value where it belongs, and tell its path."""
        path: Keys = ()
        if not self.levels:
            self.data = value
        else:
            level = self.levels[-1]
            if isinstance(level.container, list):
                path = (*level.path, len(level.container))
                level.container.append(value)
            else:
                if level.key is None:
                    self.stop("a list or mapping stands as a key; write text before the colon", place)
                path = (*level.path, level.key)
                level.container[level.key] = value
                level.key = None
        self.values[path] = place
        return path

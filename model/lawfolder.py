"""One folder of law files, read as far as it can be, with all that is wrong in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tricklaw.model.errors import LawError, LawErrors, Place
from tricklaw.model.law import Clause, ClauseFile, CodeHead, Expectation, Layer, Sentence
from tricklaw.model.lawchecks import Located, expectation_problems, fit, head_problems, kind_problems, sentence_problems
from tricklaw.model.sheets import Sheet, read_sheet

HEAD = "code.yaml"
EXPECT = "expect.yaml"
MOST_CLAUSES = 5_000


@dataclass
class Part:
    """What one folder holds, and all that is wrong with it."""

    folder: Path
    head: CodeHead | None = None
    sheet: Sheet | None = None
    """The file of the head."""
    clauses: list[Located] = field(default_factory=list)
    sentences: dict[str, Sentence] = field(default_factory=dict)
    expect: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """The ids of clauses with problems of their own, so far as they have ids."""
    whole: bool = True
    """Nothing was left out but such clauses."""
    size: int = 0
    """How many clauses there are, broken ones included."""
    problems: list[LawError] = field(default_factory=list)

    def report(self, *problems: LawError) -> None:
        """Add problems by which more than single clauses is left out."""
        self.problems += problems
        self.whole = self.whole and not problems

    def read(self, path: Path) -> Sheet | None:
        """Read one file, or report what is wrong with it."""
        self.files.append(str(path))
        try:
            return read_sheet(path)
        except LawErrors as errors:
            self.report(*errors.errors)
            return None


def read_part(folder: Path) -> Part:
    """Read a folder's own files, those of clauses in the order of their names."""
    part = Part(folder)
    try:
        found = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.is_file())
    except (OSError, ValueError) as error:
        what = f"no folder that can be read ({getattr(error, 'strerror', error)}); give the folder of a code"
        part.report(LawError(what, Place(str(folder))))
        return part
    _read_head(part)
    for path in found:
        if path.suffix == ".yaml" and path.name not in {HEAD, EXPECT}:
            _read_clauses(part, path)
        elif path.suffix != ".yaml" and path.suffix.lower() in {".yaml", ".yml"}:
            part.report(LawError("the names of law files end in .yaml; rename the file", Place(str(path))))
    part.problems += sentence_problems(part.sentences, part.clauses) if part.whole else []
    if folder / EXPECT in found:
        _read_expectations(part)
    return part


def _read_head(part: Part) -> None:
    path = part.folder / HEAD
    if not path.is_file():
        what = f"the code has no {HEAD}; write one with the keys code, title and games"
        part.report(LawError(what, Place(str(path))))
        return
    part.sheet = part.read(path)
    if part.sheet:
        part.head, problems = fit(CodeHead, part.sheet.data, part.sheet)
        part.report(*problems)
        if part.head:
            part.problems += head_problems(part.head, part.sheet)


def _read_expectations(part: Part) -> None:
    sheet = part.read(part.folder / EXPECT)
    if sheet:
        expectation, problems = fit(Expectation, sheet.data, sheet)
        part.report(*problems)
        if expectation and part.head:
            part.expect = expectation.expect
            part.problems += expectation_problems(part.expect, part.head.games, sheet)


def _read_clauses(part: Part, path: Path) -> None:
    if part.size > MOST_CLAUSES:  # told already
        return
    sheet = part.read(path)
    if not sheet:
        return
    listed = sheet.data.get("clauses")
    clauses = listed if isinstance(listed, list) else []
    file, problems = fit(ClauseFile, {**sheet.data, "clauses": []} if isinstance(listed, list) else sheet.data, sheet)
    part.report(*problems)
    for name, says in file.sentences.items() if file else ():
        part.sentences[name] = Sentence(
            name, says, file.layer if file else Layer.LAW, sheet.key_place(("sentences", name))
        )
    part.size += len(clauses)
    if part.size > MOST_CLAUSES:
        what = f"with this file the code has more than {MOST_CLAUSES:,} clauses; divide it into several codes"
        part.report(LawError(what, Place(str(path))))
        return
    for index, data in enumerate(clauses):
        _read_clause(part, sheet, index, data, file.layer if file else None)


def _read_clause(part: Part, sheet: Sheet, index: int, data: object, layer: Layer | None) -> None:
    path = ("clauses", index)
    clause, problems = fit(Clause, data, sheet, path)
    if clause:
        at = Located(clause.model_copy(update={"layer": clause.layer or layer}), sheet, path)
        part.clauses.append(at)
        problems = kind_problems(at)
    if problems:
        part.broken.add(str(data.get("id")) if isinstance(data, dict) else "")
        part.problems += problems

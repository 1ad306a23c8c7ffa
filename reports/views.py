"""What a report shows of results, as plain data for the template: verdicts, clauses cited, plays as stories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from tricklaw.model.errors import TricklawError
from tricklaw.model.law import Clause, Code, Layer
from tricklaw.model.system import System
from tricklaw.properties import PROPERTIES
from tricklaw.reports.conditions import Condition, of_choices, parse_condition
from tricklaw.reports.drawings import Drawing, draw
from tricklaw.reports.scenes import Scene
from tricklaw.reports.stories import Story, tell
from tricklaw.reports.wording import listed
from tricklaw.reports.wording import sides as sides_in_words
from tricklaw.solver.verdicts import PartResult, Result, Verdict, Witness

MEANINGS = {
    Verdict.PROVED: ("✓", "It holds in every play that the scope covers."),
    Verdict.REFUTED: ("✗", "It fails: a play from the deal shows how."),
    Verdict.DEPENDS: ("◐", "It holds under some readings of the law and fails under others."),
    Verdict.VACUOUS: ("∅", "What it speaks of can never come about, so it says nothing of this code."),
    Verdict.UNKNOWN: ("?", "It is neither proved nor refuted."),
}
"""For each verdict its sign and what it means."""

OF_PLAYS = MEANINGS | {
    Verdict.PROVED: ("✓", "It is so: for each part there is a play that shows it."),
    Verdict.REFUTED: ("✗", "It fails: of some part it is proved that no play can show it."),
}
"""The same where the property says that something is there."""

LAYERS = {
    Layer.LAW: "the numbered law",
    Layer.INSERTION: "what an editor has inserted",
    Layer.CONTEXT: "other laws that these refer to",
    Layer.PLAY: "the regular course of play",
}
"""The layers in words."""


_TITLES = {Verdict.PROVED: "A play in which the question arises", Verdict.REFUTED: "A play in which it fails"}

MOST_SHOWN = 12
"""Of how many parts that plays show these are told as stories; of more, only their acts."""


class Citer:
    """Turns clause numbers and readings in a text into links, and keeps what has been cited."""

    def __init__(self, code: Code) -> None:
        self.clauses = {clause.id: clause for clause in code.clauses}
        self.readings = code.head.readings
        self.cited: set[str] = set()
        names = sorted((*self.clauses, *self.readings), key=len, reverse=True)
        self._names = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?!\w|\.\w)" if names else r"(?!)")

    def __call__(self, text: str) -> Markup:
        """The text with its clause numbers as links to where the clause is given in full."""
        parts, end = [], 0
        for match in self._names.finditer(text):
            parts += [escape(text[end : match.start()]), self._link(match[0])]
            end = match.end()
        return Markup("").join([*parts, escape(text[end:])])

    def _link(self, name: str) -> Markup:
        if name in self.readings:
            return Markup('<a class="cite" href="#reading-{0}">{0}</a>').format(name)
        self.cited.add(name)
        says = self.clauses[name].says
        return Markup('<a class="cite" href="#clause-{0}" title="{1}">{0}</a>').format(name, says)

    def all(self) -> list[Clause]:
        """The clauses cited, in the order of the law files."""
        return [clause for clause in self.clauses.values() if clause.id in self.cited]


@dataclass(frozen=True)
class Shown:
    """An act as it is shown: the scene with its links, and the table after it."""

    scene: Scene
    was: tuple[Markup, ...]
    follows: tuple[Markup, ...]
    drawing: Drawing


@dataclass(frozen=True)
class Example:
    """A play that shows a verdict: as a story, or why it cannot be told."""

    title: Markup
    opening: tuple[Markup, ...] = ()
    drawing: Drawing | None = None
    acts: tuple[Shown, ...] = ()
    closing: tuple[Markup, ...] = ()
    problem: str = ""
    written: tuple[str, ...] = ()


@dataclass(frozen=True)
class PartView:
    """A part of a property: what right it is about, the verdict, and a remark."""

    about: Markup
    verdict: Verdict
    remark: Markup


@dataclass(frozen=True)
class Entry:
    """A property with its result."""

    result: Result
    anchor: str
    says: str
    meaning: str
    formal: str
    failure: str
    remark: Markup
    condition: Condition
    scope: tuple[tuple[str, str], ...]
    clauses: tuple[tuple[Markup, str], ...]
    parts: tuple[PartView, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class GameView:
    """A game with its results.

    Attributes:
        name: the game.
        says: what it is.
        sides: who may sit with whom.
        layers: each layer in words, with how many of its clauses are in force.
        counts: how many properties have each verdict.
        entries: the properties.
    """

    name: str
    says: str
    sides: tuple[str, ...]
    layers: tuple[tuple[str, int], ...]
    counts: tuple[tuple[Verdict, int], ...]
    entries: tuple[Entry, ...]


@dataclass
class Viewer:
    """Makes the views of one code's results.

    Attributes:
        code: the code with all its games.
        cite: keeps the clauses cited.
        problems: the plays that do not fit the code as it stands, in a line each.
    """

    code: Code
    cite: Citer = field(init=False)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cite = Citer(self.code)

    def games(self, results: Sequence[Result]) -> list[GameView]:
        """The games that have results, in the order of the code."""
        by_game = {name: [r for r in results if r.game == name] for name in self.code.head.games}
        return [self._game(name, found) for name, found in by_game.items() if found]

    def _game(self, name: str, results: Sequence[Result]) -> GameView:
        code = self.code.restrict(name, *_left_out(results))
        order = list(PROPERTIES)
        ranked = sorted(results, key=lambda r: order.index(r.property) if r.property in order else len(order))
        verdicts, layers = Counter(r.verdict for r in results), Counter(c.layer for c in code.clauses)
        maker = _Entries(self, code, name)
        return GameView(
            name=name,
            says=self.code.head.games[name].says,
            sides=self.code.head.games[name].sides,
            layers=tuple((words, layers[layer]) for layer, words in LAYERS.items() if layers[layer]),
            counts=tuple((v, verdicts[v]) for v in MEANINGS if verdicts[v]),
            entries=tuple(maker.entry(r) for r in ranked),
        )


def _left_out(results: Iterable[Result]) -> tuple[list[str], list[str]]:
    """The layers and clauses that the scope of the results says have been left out."""
    names = [name for r in results for name in r.scope.get("without", ())]
    return names, names


class _Entries:
    """Makes the entries of one game."""

    def __init__(self, viewer: Viewer, code: Code, game: str) -> None:
        self.viewer, self.code, self.game, self.cite = viewer, code, game, viewer.cite
        self.rights = System(code, game).rights
        self.readings = code.head.readings

    def entry(self, r: Result) -> Entry:
        known = PROPERTIES.get(r.property)
        return Entry(
            result=r,
            anchor=f"{r.game}-{r.property}",
            says=known.says if known else r.property,
            meaning=(OF_PLAYS if r.by_plays else MEANINGS)[r.verdict][1],
            formal=known.formal if known else "",
            failure=known.failure if known else "",
            remark=self.cite(self._remark(r)),
            condition=parse_condition(r.condition, self.readings),
            scope=tuple(self._scope(r.scope)),
            clauses=tuple((self.cite(name), self._says(name)) for name in r.clauses),
            parts=tuple(self._part(p, r.by_plays) for p in r.parts if p.right),
            examples=tuple(self._examples(r)),
        )

    def _says(self, name: str) -> str:
        clause = self.cite.clauses.get(name)
        return clause.says if clause else "(not a clause of these law files)"

    def _remark(self, r: Result) -> str:
        """What the summary adds to a verdict."""
        if r.verdict is Verdict.REFUTED:
            failing, depending = _rights(r, Verdict.REFUTED), _rights(r, Verdict.DEPENDS)
            also = f"; depends on readings for {listed(depending)}" if depending else ""
            return f"fails for {listed(failing)}{also}" if failing else ""
        if r.verdict is Verdict.DEPENDS:
            return f"holds exactly when {r.condition}" if r.condition else ""
        return r.reason

    # parts ---------------------------------------------------------------------------------------------------------

    def about(self, cited: str) -> str:
        """The right that a part is about, in words."""
        names = [f"the right to {r.name}" for r in self.rights.values() if cited in (r.cited, r.id)]
        found = [r.id for r in self.rights.values() if cited == r.cited]
        where = f"{cited}; {listed(found)}" if cited not in self.cite.clauses and found else cited
        return f"{listed(names)} ({where})" if names else cited

    def _part(self, p: PartResult, by_plays: bool) -> PartView:
        remark = f"holds exactly when {p.condition}" if p.verdict is Verdict.DEPENDS and p.condition else ""
        if p.verdict in (Verdict.PROVED, Verdict.VACUOUS, Verdict.UNKNOWN) or (by_plays and not p.witness):
            remark = p.reason
        if by_plays and p.witness:
            remark = f"shown by: {'; '.join(act.text for act in p.witness.acts)}"
        return PartView(self.cite(self.about(p.right)), p.verdict, self.cite(remark))

    # scope ---------------------------------------------------------------------------------------------------------

    def _scope(self, scope: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for key, value in scope.items():
            if key == "arrangements":
                yield "Who sits with whom", " ".join(dict.fromkeys(sides_in_words(groups) for groups in value))
            elif key == "readings":
                yield from self._readings(value)
            elif isinstance(value, (list, tuple)):
                yield key.capitalize(), listed(map(str, value)) or "nothing"
            else:
                yield key.capitalize(), str(value)

    def _readings(self, readings: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
        every = [key for key, choices in readings.items() if len(choices) > 1]
        if every:
            yield "Readings", f"every combination of the choices of {listed(every)}"
        for key, choices in readings.items():
            if len(choices) == 1:
                words = "".join(f"{a.asks} {a.choices[0][1]}" for a in of_choices({key: choices[0]}, self.readings))
                yield f"Only with {key} = {choices[0]}", words

    # plays ---------------------------------------------------------------------------------------------------------

    def _examples(self, r: Result) -> Iterator[Example]:
        shown: list[Witness] = []
        if r.by_plays and len(r.parts) > MOST_SHOWN:
            return
        for p in r.parts:
            if p.witness:
                shown.append(p.witness)
                yield self._example(r, p.witness, p.right, p.verdict)
        if r.witness and r.witness not in shown:
            yield self._example(r, r.witness, "", r.verdict)

    def _example(self, r: Result, witness: Witness, right: str, verdict: Verdict) -> Example:
        what = _TITLES.get(verdict, "A play in which it fails, under some readings")
        what = "A play that shows it" if r.by_plays else what
        title = self.cite(f"{what}: {self.about(right)}" if right else what)
        try:
            return self._told(title, witness, tell(witness, self.code, self.game, r.property, right, verdict))
        except TricklawError as error:
            self.viewer.problems.append(f"{r.key}: a play does not fit the law files as they stand: {error}")
            return Example(title, problem=str(error), written=tuple(act.text or act.act for act in witness.acts))

    def _told(self, title: Markup, witness: Witness, story: Story) -> Example:
        def cited(texts: Iterable[str]) -> tuple[Markup, ...]:
            return tuple(self.cite(text) for text in texts)

        acts = tuple(
            Shown(s, cited(s.was), cited(s.follows), draw(s.position, witness.sides, s.changed)) for s in story.scenes
        )
        return Example(title, cited(story.opening), draw(story.position, witness.sides), acts, cited(story.closing))


def _rights(r: Result, verdict: Verdict) -> list[str]:
    return [p.right for p in r.parts if p.verdict is verdict and p.right]

"""What is said of a property: verdicts, plays that show them, and their form as JSON. No solver is needed to read it."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

FORMAT = "tricklaw.verdicts/1"
"""The format of `tricklaw check --json`."""


class Verdict(StrEnum):
    """What was found out. `proved` and `refuted` are never guesses."""

    PROVED = "proved"
    REFUTED = "refuted"
    DEPENDS = "depends"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class WitnessAct:
    """One act of a play: its kind, who did it, the cards, suit and player concerned, and the act in words."""

    act: str
    actor: str
    cards: tuple[str, ...] = ()
    suit: str = ""
    seat: str = ""
    seen: str = ""
    text: str = ""


@dataclass(frozen=True)
class Witness:
    """A play from the deal that shows a verdict, replayed by the referee on the full pack.

    `deal` maps seats to cards; `completed` tells whether it is a deal of the whole pack, 13 cards each.
    `readings` are the choices under which it was found; `holds_under` counts the assignments of readings under which the
    same play shows the same, out of `of_readings`.
    """

    deal: Mapping[str, tuple[str, ...]]
    leader: str
    sides: tuple[tuple[str, ...], ...]
    trumps: str
    readings: Mapping[str, str]
    acts: tuple[WitnessAct, ...]
    completed: bool = False
    replayed: bool = False
    holds_under: int = 0
    of_readings: int = 0
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What else the deal says: who has a card too many or too few, what has been taken already."""


@dataclass(frozen=True)
class PartResult:
    """The verdict on one part of a property."""

    right: str
    verdict: Verdict
    condition: str = ""
    witness: Witness | None = None
    reason: str = ""
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """The verdict on a property for one game of a code."""

    code: str
    game: str
    property: str
    verdict: Verdict
    condition: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    clauses: tuple[str, ...] = ()
    confirmed_by: tuple[str, ...] = ()
    seconds: float = 0.0
    witness: Witness | None = None
    parts: tuple[PartResult, ...] = ()
    reason: str = ""

    @builtins.property
    def by_plays(self) -> bool:
        """Whether it says that something is there, and plays are what shows it."""
        none_shown = self.verdict is Verdict.REFUTED and self.method == "induction"
        return none_shown or any(p.verdict is Verdict.PROVED and p.witness for p in self.parts)

    @builtins.property
    def key(self) -> str:
        """`code:game/property`."""
        return f"{self.code}:{self.game}/{self.property}"


def overall(parts: Iterable[PartResult]) -> Verdict:
    """The verdict on a property from those on its parts: the worst news first."""
    found = [p.verdict for p in parts]
    for worst in (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.DEPENDS):
        if worst in found:
            return worst
    return Verdict.PROVED if Verdict.PROVED in found else Verdict.VACUOUS


def to_json(results: Iterable[Result]) -> dict[str, Any]:
    """The results in the format `tricklaw.verdicts/1`."""
    return {"format": FORMAT, "results": [asdict(r) for r in results]}


def from_json(data: Mapping[str, Any]) -> list[Result]:
    """The results that `to_json` wrote.

    Raises:
        ValueError: another format.
    """
    if data.get("format") != FORMAT:
        raise ValueError(f"the format is {data.get('format')!r}; expected {FORMAT!r}")
    return [_result(r) for r in data["results"]]


def _result(r: Mapping[str, Any]) -> Result:
    parts = tuple(
        PartResult(
            p["right"], Verdict(p["verdict"]), p["condition"], _witness(p["witness"]), p["reason"], tuple(p["clauses"])
        )
        for p in r["parts"]
    )
    known = dict(r) | {
        "verdict": Verdict(r["verdict"]),
        "clauses": tuple(r["clauses"]),
        "confirmed_by": tuple(r["confirmed_by"]),
        "witness": _witness(r["witness"]),
        "parts": parts,
    }
    return Result(**known)


def _witness(w: Mapping[str, Any] | None) -> Witness | None:
    if w is None:
        return None
    acts = tuple(WitnessAct(**(a | {"cards": tuple(a["cards"])})) for a in w["acts"])
    deal = {s: tuple(c) for s, c in w["deal"].items()}
    marks = {name: tuple(words) for name, words in w["marks"].items()}
    sides = tuple(tuple(s) for s in w["sides"])
    return Witness(**(dict(w) | {"acts": acts, "deal": deal, "sides": sides, "marks": marks}))

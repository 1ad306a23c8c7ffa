"""What is known of the clauses of a code from its verdicts: whether each does something, and what rests on it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from tricklaw.model.law import Code, Kind, Sentence
from tricklaw.reports.verdict_table import progress
from tricklaw.solver.session import Question, games_of, remembered, run
from tricklaw.solver.verdicts import Result, Verdict

LIVENESS = "no-dead-clause"
"""The property whose parts tell whether a clause does something."""


@dataclass
class Standing:
    """What verdicts say of clauses.

    Attributes:
        live: for each clause and game of which it is known, whether it does something there.
        rests: for each clause the properties with a verdict that rests on it.
    """

    live: dict[str, dict[str, bool]] = field(default_factory=dict)
    rests: dict[str, list[str]] = field(default_factory=dict)

    def add(self, results: Iterable[Result]) -> None:
        """Take in what some results say."""
        for result in results:
            for part in result.parts:
                if result.property == LIVENESS and part.verdict in (Verdict.PROVED, Verdict.REFUTED):
                    self.live.setdefault(part.right, {})[result.game] = part.verdict is Verdict.PROVED
                for clause in part.clauses if result.property != LIVENESS else ():
                    properties = self.rests.setdefault(clause, [])
                    if result.property not in properties:
                        properties.append(result.property)

    def dead_in(self, clause: str) -> list[str]:
        """The games in which the clause is known to do nothing."""
        return [game for game, live in self.live.get(clause, {}).items() if not live]

    def of_clause(self, clause: str) -> bool | None:
        """Whether the clause does something in some game; nothing where it is not known."""
        known = self.live.get(clause)
        return any(known.values()) if known else None

    def of_sentence(self, code: Code, sentence: Sentence) -> bool | None:
        """Whether a clause of the sentence does something, or is how the machine is made; nothing where it is not known."""
        clauses = [c for c in code.clauses_of(sentence) if c.kind is not Kind.NOT_MODELLED]
        known = [True if c.kind is Kind.EMBODIED else self.of_clause(c.id) for c in clauses]
        if True in known and self.live:
            return True
        return None if None in known or not known or not self.live else False

    def resting(self, code: Code, sentence: Sentence) -> list[str]:
        """The properties with a verdict that rests on a clause of the sentence."""
        return list(dict.fromkeys(p for c in code.clauses_of(sentence) for p in self.rests.get(c.id, ())))


def standing(code: Code, game: str | None, decide: bool) -> Standing:
    """What was found when the code was checked, as far as that is remembered.

    Parameters:
        decide: decide whether the clauses do something where it is not.
    """
    found, games = Standing(), games_of([(code, game)])
    found.add(remembered(Question(games)))
    known = {name for of_clause in found.live.values() for name in of_clause}
    alone = Question(tuple(one for one in games if one[1] not in known), (LIVENESS,), jobs=os.cpu_count() or 1)
    if not decide:
        found.add(remembered(alone))
    elif alone.games:
        with progress() as tell:
            found.add(run(alone, tell))
    return found

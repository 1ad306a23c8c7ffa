"""A witness told in plain English, for a rule committee: the deal, each act and what follows, and what it shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tricklaw.model.law import Code
from tricklaw.model.state import CALLED_BY, NEEDS_MORE, TAKEN, TOO_FEW, TOO_MANY
from tricklaw.reports import wording
from tricklaw.reports.closings import closing
from tricklaw.reports.replays import Play, Position
from tricklaw.reports.scenes import Scene, scenes
from tricklaw.solver.verdicts import Verdict, Witness


@dataclass(frozen=True)
class Story:
    """A witness in sentences.

    Attributes:
        opening: the deal, and who plays with whom.
        position: the table before the first act.
        scenes: the acts.
        closing: what it shows.
    """

    opening: tuple[str, ...]
    position: Position
    scenes: tuple[Scene, ...]
    closing: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole story, a paragraph an act."""
        acts = (f"{s.number}. {' '.join((s.sentence, *s.was, *s.follows))}" for s in self.scenes)
        return "\n".join((" ".join(self.opening), *acts, " ".join(self.closing)))


def tell(
    witness: Witness, code: Code, game: str, property_id: str, right: str = "", verdict: Verdict = Verdict.REFUTED
) -> Story:
    """The story of a witness.

    Parameters:
        witness: the play.
        code: the code, restricted to the game.
        game: the game.
        property_id: the property of which it shows something.
        right: the part of the property that it is about; empty for the whole.
        verdict: what was found out about that part.

    Raises:
        TricklawError: the play does not fit the code as it stands now.
    """
    play = Play(witness, code, game)
    end = tuple(closing(play, property_id, right, verdict))
    return Story(tuple(_opening(play)), play.first.position, tuple(scenes(play)), end)


# the deal ----------------------------------------------------------------------------------------------------------


def _opening(play: Play) -> Iterator[str]:
    w = play.witness
    yield wording.sides(w.sides)
    yield f"{w.trumps.capitalize()} are trumps." if w.trumps not in ("", "none") else "There are no trumps."
    for player in play.players:
        yield f"{player} holds {wording.hand(w.deal[player])}."
    yield from _marked(w)
    yield _length(w)
    yield f"{w.leader} has the right to lead."
    yield from _readings(play)
    if w.of_readings > 1:
        under = "every one" if w.holds_under == w.of_readings else f"{w.holds_under}"
        yield f"The same play shows the same under {under} of the {w.of_readings} combinations of readings."


def _marked(w: Witness) -> Iterator[str]:
    """What else the deal says."""
    for player in w.marks.get(TOO_MANY, ()):
        yield f"{player} holds a card too many."
    for player in w.marks.get(TOO_FEW, ()):
        yield f"{player} holds a card too few."
    together = all(len(side) > 1 for side in w.sides)  # else it is the lone player who has called, whatever is dealt
    for player in w.marks.get(CALLED_BY, ()) if together else ():
        yield f"{player} has called the game."
    if taken := w.marks.get(TAKEN, ()):
        yield f"The lone player has laid away, or taken already, {wording.hand(taken)}."
    if w.marks.get(NEEDS_MORE):
        yield "His bid needs three quarters of the points."


def _length(w: Witness) -> str:
    each = min(map(len, w.deal.values()))
    if w.completed:
        return f"The whole pack is dealt, {each} cards to each."
    short = f"Each has {each} card{'s' * (each > 1)}, as at the end of a hand"
    return f"{short}; no deal of the whole pack was found in which the same acts show the same."


def _readings(play: Play) -> Iterator[str]:
    """The readings that are not read as recommended; nothing where the code has none."""
    known, chosen = play.code.head.readings, play.witness.readings
    others = {key: choice for key, choice in chosen.items() if choice != known[key].default}
    if chosen and not others:
        yield "Every ambiguous clause is read as recommended."
    for key, choice in others.items():
        yield f"On the question {key}, “{known[key].asks}”, the answer here is: “{known[key].choices[choice]}”"
    if others and len(others) < len(chosen):
        yield "The other ambiguous clauses are read as recommended."

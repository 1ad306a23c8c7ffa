"""The acts of a play in sentences: what is done, what it is in law, and what follows from it.

Whether an act is lawful, what it sets off and who may exact what comes from the referee; here it is put into words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tricklaw.model.acts import ActKind, Do
from tricklaw.model.law import Kind, Layer
from tricklaw.model.referee import Citation, InForce, OpenRight, Ruling, Standing
from tricklaw.model.results import RESULTS
from tricklaw.reports import wording
from tricklaw.reports.replays import Moment, Move, Play, Position
from tricklaw.reports.wording import cards, exaction, listed, third_person
from tricklaw.solver.verdicts import WitnessAct


@dataclass(frozen=True)
class Scene:
    """One act, or several that are alike and have no consequence.

    Attributes:
        number: which act of the play, such as `3` or `5 to 8`.
        sentence: what is done.
        lawful: it breaks no duty.
        was: what it was in law.
        follows: what follows from it.
        position: the table after it.
        changed: the cards that lie elsewhere now, or otherwise.
    """

    number: str
    sentence: str
    lawful: bool
    was: tuple[str, ...]
    follows: tuple[str, ...]
    position: Position
    changed: frozenset[str]


def scenes(play: Play) -> Iterator[Scene]:
    """The acts of the play in their order."""
    teller = _Teller(play)
    return _quits_together(map(teller.scene, play.moves))


def _quits_together(told: Iterable[Scene]) -> Iterator[Scene]:
    """Cards turned and quitted one after the other are told at once, as far as nothing follows from it."""
    kept: list[Scene] = []
    for scene in told:
        quits = scene.lawful and scene.sentence.endswith(_QUITS)
        if kept and (not quits or kept[-1].follows):
            yield _merged(kept)
            kept = []
        if quits:
            kept.append(scene)
        else:
            yield scene
    if kept:
        yield _merged(kept)


def _merged(scenes: list[Scene]) -> Scene:
    first, last = scenes[0], scenes[-1]
    if first is last:
        return first
    who = listed(scene.sentence.partition(" ")[0] for scene in scenes)
    changed = frozenset[str]().union(*(scene.changed for scene in scenes))
    number, sentence = f"{first.number} to {last.number}", f"{who} turn and quit their cards."
    return Scene(number, sentence, True, first.was, last.follows, last.position, changed)


# acts --------------------------------------------------------------------------------------------------------------

_FEW = 3

_QUITS = " turns and quits his card."

_ACTS = {
    Do.LEAD: "{he} leads {cards}.",
    Do.PLAY: "{he} plays {cards}.",
    Do.AGAIN: "{he} lays down {cards} as well.",
    Do.THROW: "{he} throws {cards} on the table together.",
    Do.FACE: "{he} lays {cards} face up on the table, otherwise than in play.",
    Do.PICK_UP: "{he} takes {cards} up into his hand again.",
    Do.SHOW: "{he} lets {who} see {cards} in his hand.",
    Do.NAME: "{he} says that he holds {cards}.",
    Do.BOAST: "{he} says that the rest of the tricks are his.",
    Do.ATTENTION: "{he} remarks that the lead on the table was out of turn.",
    Do.TAKE_BACK: "{he} takes back {taken}.",
    Do.QUIT: f"{{he}}{_QUITS}",
    Do.FIND: "{he} points out that {seat} has a wrong number of cards.",
    Do.LAY_OPEN: "{he} lays his whole hand face up on the table.",
    Do.CLAIM: "{he} announces that the game is his.",
    Do.GIVE_UP: "{he} gives the game up as lost.",
    Do.OMIT: "{he} omits to play: the trick is complete without a card of his.",
    Do.ADD: "{he} adds {cards} to the trick that he omitted to play to.",
    Do.WAIT: "{he} lets a reasonable time pass, and nobody speaks.",
    Do.WAIVE: "{he} lets {seat} off: he waives the right to {right}.",
}

_WATCHERS = {
    "partner": "his partner",
    "both adversaries": "both adversaries",
    "everybody": "his partner and both adversaries",
}


def act_sentence(play: Play, kind: ActKind, act: WitnessAct, lying: Sequence[str]) -> str:
    """What is done, as a sentence.

    Parameters:
        play: the play, for the names of rights.
        kind: the kind of act.
        act: the act.
        lying: the actor's cards in the trick before it.
    """
    if kind.do is Do.DEMAND:
        return f"{act.actor} {third_person(exaction(kind.option, act.seat, act.cards, act.suit))}."
    right = play.right(kind.right).name if kind.right else ""
    shown, taken, who = cards(act.cards), cards(lying) or "his card", _WATCHERS.get(act.seen, "")
    return _ACTS[kind.do].format(he=act.actor, cards=shown, seat=act.seat, right=right, taken=taken, who=who)


# what an act is and what follows -----------------------------------------------------------------------------------


class _Teller:
    """Tells a play act by act; the words of a clause are given where it is cited first."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.told: set[str] = set()

    def scene(self, move: Move) -> Scene:
        """One act."""
        lying = move.before.position.trick.get(move.act.actor, ())
        return Scene(
            number=str(move.number),
            sentence=act_sentence(self.play, move.kind, move.act, lying),
            lawful=move.ruling.lawful,
            was=tuple(self._was(move.ruling, move.kind)),
            follows=tuple(self._follows(move)),
            position=move.after.position,
            changed=move.after.position.changed_from(move.before.position),
        )

    def cite(self, clause_id: str) -> str:
        """The clause's number, with its words the first time."""
        if clause_id in self.told:
            return clause_id
        self.told.add(clause_id)
        return f"{clause_id}: “{self.play.code.clause(clause_id).says.rstrip('.')}”"

    def _was(self, ruling: Ruling, kind: ActKind) -> Iterator[str]:
        if ruling.lawful:
            his = kind.right in (clause.id for clause in ruling.fired)
            words = "The right is his" if kind.do is Do.WAIVE else "He is entitled to it"
            yield f"{words} under {self.cite(kind.right)}." if his else "This is lawful."
        for clause in ruling.broken:
            yield self._breach(clause)

    def _breach(self, clause: Citation) -> str:
        if clause.demand:
            return f"This disobeys the demand in force under {self.cite(clause.id)}."
        return f"This breaks {self.cite(clause.id)}."

    def _follows(self, move: Move) -> Iterator[str]:
        before, after = move.before, move.after
        yield from self._fired(move)
        yield from self._liable(before.position, after.position)
        yield from self._rights(move)
        yield from self._demands(before.standing, after.standing)
        for now in after.standing.results:
            if now not in before.standing.results:
                yield f"The result for {now.player} is fixed: {RESULTS[now.result]} ({now.clause})."
        if len(after.position.turning) > len(before.position.turning):
            lead = "".join(f", and {he} is to lead to the next one" for he in after.position.turn)
            yield f"The trick is complete{lead}."
        yield from self._turn(before.standing, after)

    def _fired(self, move: Move) -> Iterator[str]:
        for clause in move.ruling.fired:
            if clause.id == move.kind.right:
                continue
            is_right = self.play.code.clause(clause.id).kind is Kind.RIGHT
            yield self._moved(move, clause.id) if is_right else f"This sets off {self.cite(clause.id)}."

    def _moved(self, move: Move, clause_id: str) -> str:
        """That a right arises, or is lost, as its register says; a place that was taken stays as it was."""
        right, read = self.play.right(clause_id), self.play.machine.read
        if clause_id in self._lost(move):
            return f"The right to {right.name} is lost ({self.cite(clause_id)})."
        if read(move.after.state, right.pending) & ~read(move.before.state, right.pending):
            return f"A penalty arises under {self.cite(clause_id)}."
        return f"This comes under {self.cite(clause_id)}; but such a penalty is outstanding already."

    def _lost(self, move: Move) -> set[str]:
        """The rights that this act ends otherwise than by exacting or waiving them."""
        read = self.play.machine.read
        fired = {clause.id for clause in move.ruling.fired} - {move.kind.right}
        rights = [r for r in self.play.machine.system.rights.values() if r.id in fired]
        return {
            r.id
            for r in rights
            if r.standing or read(move.before.state, r.pending) & ~read(move.after.state, r.pending)
        }

    def _liable(self, before: Position, after: Position) -> Iterator[str]:
        for names, what in (
            (after.liable - before.liable, "now liable to be called"),
            (before.liable - after.liable, "no longer liable to be called"),
        ):
            for player in self.play.players:
                mine = wording.ordered(names & set(self.play.witness.deal[player]))
                if len(mine) > _FEW:
                    yield f"These cards of {player} are {what}: {wording.hand(mine)}."
                elif mine:
                    yield f"{player}’s {cards(mine).removeprefix('the ')} {'is' if len(mine) == 1 else 'are'} {what}."

    def _rights(self, move: Move) -> Iterator[str]:
        before, after = move.before.standing, move.after.standing
        known = {(r.id, r.against): r for r in before.rights}
        now = {(r.id, r.against): r for r in after.rights}
        for key, right in now.items():
            if key not in known or known[key].by != right.by:
                yield self._open(move.after, right)
        exacted = (move.kind.right, move.act.seat) if move.kind.do is Do.DEMAND and move.ruling.lawful else None
        for key, right in known.items():
            if key not in now and key != exacted and right.id not in self._lost(move):
                name = self.play.right(right.id).name
                yield f"Nobody can use the right to {name} against {right.against} now ({right.id})."

    def _open(self, moment: Moment, right: OpenRight) -> str:
        what = wording.exactions(right.demands, right.against, self.play.nameable(moment, right))
        givers = " and ".join(self.cite(c) for c in self.play.givers(self.play.right(right.id)))
        if not right.by:
            return f"A penalty is open against {right.against}, but nobody may exact it ({givers})."
        each = " each" if len(right.by) > 1 else ""
        return f"{listed(right.by)} may{each} {what} ({givers})."

    def _demands(self, before: Standing, after: Standing) -> Iterator[str]:
        for demand in after.demands:
            if demand not in before.demands:
                yield f"{wording.bound(demand)}{self._excuse(demand)} ({demand.right})."
        still = {(d.right, d.against) for d in after.demands}
        for demand in before.demands:
            if (demand.right, demand.against) not in still:
                yield f"The demand on {demand.against} under {demand.right} is at an end."

    def _excuse(self, demand: InForce) -> str:
        if not demand.excused:
            return ""
        excuses = [t.id for t in self.play.right(demand.right).terms if t.excused]
        return f", but he is excused ({listed(excuses, 'or')})" if excuses else ", but he is excused"

    def _turn(self, before: Standing, after: Moment) -> Iterator[str]:
        now = after.standing
        if now.over and not before.over:
            yield "The hand is over."
        for he in now.turn:
            bars = [bar for bar in now.bars if bar.demand or self._special(bar.id)]
            told = [bar for bar in before.bars if bar.demand or self._special(bar.id)]
            stuck = not (now.may.get(he) or now.quits)
            if (bars, stuck) != (told, False):
                yield self._free(he, after)
                yield from (self._bar(bar, after.position.hands[he]) for bar in (now.bars if stuck else bars))

    def _special(self, clause_id: str) -> bool:
        """Whether the clause is more than the regular course of play, which needs no telling at every card."""
        return self.play.code.clause(clause_id).layer is not Layer.PLAY

    def _free(self, he: str, after: Moment) -> str:
        verb = "play" if after.standing.trick else "lead"
        may, held = after.standing.may.get(he, ()), after.position.hands[he]
        if not may:
            return f"It is {he}’s turn, but there is no card that he may lawfully {verb}."
        return f"It is {he}’s turn, and he may {verb} {_some(may, held, 'or')}."

    def _bar(self, bar: Citation, held: Collection[str]) -> str:
        by = "the demand under " if bar.demand else ""
        return f"From {_some(bar.cards, held, 'and')} he is kept by {by}{self.cite(bar.id)}."


def _some(named: Sequence[str], held: Collection[str], word: str) -> str:
    """Some of the cards held: all, a few one by one, more of them by suits."""
    if set(named) == set(held) and len(held) > 1:
        return "any card"
    return cards(named, word) if len(named) <= _FEW else wording.hand(named)

"""The end of a story: the concrete situation in which a property fails, and what would be bad about that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sized
from itertools import combinations

from tricklaw.model.referee import OpenRight
from tricklaw.model.results import RESULTS
from tricklaw.properties import PROPERTIES
from tricklaw.reports import wording
from tricklaw.reports.replays import Play
from tricklaw.reports.wording import bound, cards, hand, listed, ordered
from tricklaw.solver.verdicts import Verdict

Situation = Callable[[Play, str], Iterator[str]]
"""(the play, the law that the part of the property is cited by) -> what is wrong at the end of the play."""

_SITUATIONS: dict[str, Situation] = {}


def closing(play: Play, property_id: str, right: str, verdict: Verdict) -> Iterator[str]:
    """What the play shows of a property.

    Parameters:
        play: the play, replayed.
        property_id: the property; one that is not known is spoken of in general words.
        right: the law by which the part is cited; empty for the whole.
        verdict: what was found out about that part.
    """
    if verdict is Verdict.PROVED and property_id in _SHOWN:
        yield _SHOWN[property_id].format(right)
        return
    if verdict is Verdict.PROVED:
        yield "So the question does arise in play. That it never goes wrong is what has been proved."
        return
    situation = _SITUATIONS.get(property_id, _general)
    found = list(situation(play, right))
    yield from found or _general(play, right)
    if not found and situation is not _general:
        yield "The checker finds that the property fails here; the table alone does not show why."
    elif known := PROPERTIES.get(property_id):
        under = "So it" if verdict is Verdict.REFUTED else "Under these readings it"
        yield f"{under} is not true that {known.says[0].lower()}{known.says[1:]}"
        yield known.failure


_SHOWN = {
    "no-dead-clause": "Here {} does something: struck out, the law would say otherwise of the last act.",
    "no-idle-precedence": "Here the two meet, and it matters that it is {}.",
}
"""What a play is told to show of a property that says that something is there; with the part's name."""


def _of(*property_ids: str) -> Callable[[Situation], Situation]:
    def register(situation: Situation) -> Situation:
        _SITUATIONS.update(dict.fromkeys(property_ids, situation))
        return situation

    return register


def _open(play: Play, about: str) -> list[OpenRight]:
    """The rights open at the end that the part is about."""
    wanted = {right.id for right in play.rights_cited(about)}
    return [right for right in play.last.standing.rights if right.id in wanted]


def _may(play: Play, right: OpenRight, word: str = "Now ") -> str:
    """Who may exact the right: `Now both Y and Z may call the nine of hearts from B (BS.20.0).`"""
    what = wording.exactions(right.demands, right.against, play.nameable(play.last, right))
    givers = listed(play.givers(play.right(right.id)))
    both = {0: "", 1: "", 2: "both "}.get(len(right.by), "each of ")
    who = listed(right.by) or "nobody"
    text = f"{word}{both}{who} may {what} ({givers})."
    return text[0].upper() + text[1:]


def _general(play: Play, about: str) -> Iterator[str]:
    """Any situation: the penalties and demands at the end of the play."""
    yield from (_may(play, right) for right in _open(play, about))
    yield from (f"{bound(d)}{', but he is excused' * d.excused} ({d.right})." for d in play.last.standing.demands)


# silence and contradiction ------------------------------------------------------------------------------------------


@_of("no-gap")
def _unanswered(play: Play, about: str) -> Iterator[str]:
    duty, _, what = about.partition(", ")
    if not what:
        return
    yield f"The last act breaks {duty} ({what}), and no clause of this law says what follows from it."


@_of("no-conflict")
def _contradicted(play: Play, about: str) -> Iterator[str]:
    first, _, forbids = about.partition(" and ")
    if not forbids:
        return
    clause = play.code.clause(first)
    against = "he cannot obey" if clause.duty else "an act that it permits is forbidden by"
    for he in play.last.standing.turn or ("the player concerned",):
        yield f"{first} says to {he}: “{clause.says.rstrip('.')}”; but {against} {forbids}{' as well' if clause.duty else ''}."


@_of("no-opposed-results")
def _opposed(play: Play, about: str) -> Iterator[str]:
    clauses = about.split(" and ")
    for now in play.last.standing.results:
        if now.clause in clauses:
            yield f"By {now.clause} the result for {now.player} is this: {RESULTS[now.result]}."


# who may exact ------------------------------------------------------------------------------------------------------


@_of("one-enforcer", "some-enforcer")
def _wrong_number(play: Play, about: str) -> Iterator[str]:
    for right in _open(play, about):
        if not right.by:
            he, name = right.against, play.right(right.id).name
            givers = listed(play.givers(play.right(right.id)))
            yield f"Now a penalty lies against {he} (the right to {name}), but nobody may exact it ({givers})."
        elif len(right.by) > 1:
            yield _may(play, right)


@_of("enforcer-is-adversary")
def _wrong_side(play: Play, about: str) -> Iterator[str]:
    for right in _open(play, about):
        friends = [p for p in right.by if p == right.against or p in play.partners(right.against)]
        if friends:
            yield _may(play, right)
            yield f"Yet {listed(friends)} {'is' if len(friends) == 1 else 'are'} on {right.against}’s own side."


@_of("innocent-side-untouched")
def _innocent(play: Play, about: str) -> Iterator[str]:
    for right in _open(play, about):
        side = (right.against, *play.partners(right.against))
        if not set(side) & set(play.erred):
            yield _may(play, right)
            yield f"Yet {listed(side)} {'have' if len(side) > 1 else 'has'} done nothing unlawful."


@_of("lone-player-immune")
def _lone(play: Play, about: str) -> Iterator[str]:
    for right in _open(play, about):
        if not play.partners(right.against):
            yield f"{right.against} plays alone."
            yield _may(play, right, "All the same, ")


# what is demanded ---------------------------------------------------------------------------------------------------


@_of("no-clashing-demands")
def _clash(play: Play, _: str) -> Iterator[str]:
    for one, other in combinations([d for d in play.last.standing.demands if not d.excused], 2):
        if one.against == other.against and not set(one.complies) & set(other.complies):
            yield f"Now {bound(one)} ({one.right}); and {bound(other)} ({other.right})."
            yield f"{one.against} holds no card that does both."


@_of("obeyable-or-excused")
def _impossible(play: Play, _: str) -> Iterator[str]:
    for demand in play.last.standing.demands:
        if not demand.complies and not demand.excused:
            yield f"Now {bound(demand)} ({demand.right})."
            yield f"He holds {hand(play.last.position.hands[demand.against])}: no card of his complies."
            yield "No clause excuses him."


@_of("no-forced-revoke")
def _revoke(play: Play, _: str) -> Iterator[str]:
    order = play.last.position.order
    for demand in (d for d in play.last.standing.demands if order and not d.excused):
        follows = [c for c in play.last.position.hands[demand.against] if c[1] == order[0][1]]
        if follows and not set(follows) & set(demand.complies):
            yield f"Now {bound(demand)} ({demand.right})."
            yield f"Yet he holds {cards(follows)} of the suit led, and must follow suit."


# how penalties go on and end ----------------------------------------------------------------------------------------


@_of("discharged-on-play")
def _undischarged(play: Play, _: str) -> Iterator[str]:
    gone = ordered(play.last.position.liable - _held(play))
    if gone:
        are = _is(gone)
        yield f"Now {cards(gone)} {are} in nobody’s hand any more, and {are} still liable to be called."


@_of("call-repeatable")
def _spent(play: Play, about: str) -> Iterator[str]:
    names = listed(f"the right to {r.name} ({r.id})" for r in play.rights_cited(about) if r.standing)
    liable = ordered(play.last.position.liable)
    if liable:
        yield f"The trick is complete, and {cards(liable)} {_is(liable)} still liable; but {names} is used up, or shut."


@_of("single-penalty")
def _twice(play: Play, about: str) -> Iterator[str]:
    for move in play.moves[-1:]:
        liable = ordered(move.after.position.liable - move.before.position.liable)
        if liable:
            names = listed(f"the right to {r.name} ({r.id})" for r in play.rights_cited(about))
            what = f"{cards(liable)} {_is(liable)} now liable to be called, and {names} arises"
            yield f"By this one act of {move.act.actor} {what}."
        else:
            yield f"{move.act.actor} has exacted a penalty for the offence, and another for the same offence goes on."
            yield from _general(play, "")


@_of("take-back-free")
def _not_free(play: Play, _: str) -> Iterator[str]:
    for move in play.moves[-1:]:
        position = move.after.position
        taken = ordered(position.changed_from(move.before.position) & position.liable)
        if taken:
            yield f"Now {cards(taken)}, taken back from a lead out of turn, {_is(taken)} liable to be called."


@_of("liable-stays-liable")
def _freed(play: Play, _: str) -> Iterator[str]:
    for move in play.moves[-1:]:
        freed = ordered((move.before.position.liable - move.after.position.liable) & _held(play))
        if freed:
            was = "was" if len(freed) == 1 else "were"
            yield f"Before this act {cards(freed)} {was} liable to be called, and then no longer, though still in hand."


def _held(play: Play) -> set[str]:
    return {card for hand in play.last.position.hands.values() for card in hand}


def _is(names: Sized) -> str:
    return "is" if len(names) == 1 else "are"


@_of("every-penalty-ends", "no-dormant-penalty")
def _endless(play: Play, about: str) -> Iterator[str]:
    if not play.last.standing.over:
        return
    yield "All cards are played and the hand is over."
    yield from _general(play, about)
    for right in (r for r in play.rights_cited(about) if not r.standing):
        offenders = play.machine.seats(play.machine.read(play.last.state, right.pending))
        if offenders:
            yield f"The right to {right.name} ({right.id}), for what {listed(offenders)} did, has never been decided."


# whether play goes on -----------------------------------------------------------------------------------------------


@_of("no-deadlock", "no-hostage")
def _stuck(play: Play, _: str) -> Iterator[str]:
    standing = play.last.standing
    if any(standing.may.get(he) for he in standing.turn) or standing.takes_back or standing.quits or standing.over:
        return
    yield from (_no_card(play, he) for he in standing.turn)
    yield "Nobody may take a card back, and there is no trick to turn and quit."
    if standing.rights:
        yield "Play goes on only if somebody speaks, which nobody is bound to do."
        yield from (_may(play, right, "") for right in standing.rights)
    else:
        yield "There is no penalty that anybody could exact or waive to end this."


def _no_card(play: Play, he: str) -> str:
    """That the player to act has no lawful card, and what keeps him from each."""
    standing = play.last.standing
    verb = "play" if standing.trick else "lead"
    bars = [f"{'the demand under ' if bar.demand else ''}{bar.id} bars {cards(bar.cards)}" for bar in standing.bars]
    why = f": {listed(bars)}" if bars else ""
    return f"It is {he}’s turn, and he has no card that he may lawfully {verb}{why}."

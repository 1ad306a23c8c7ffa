"""From a sentence to an act: which right a demand means, and, where an act cannot be done, why not."""

from __future__ import annotations

from collections.abc import Iterable

from tricklaw.model.acts import ADVERSARIES_SEE, PARTNER_SEES, ActKind, Do
from tricklaw.model.cards import Deck
from tricklaw.model.errors import CaseError
from tricklaw.model.judgement import Judgement, RightNow
from tricklaw.model.machine import Deed, Machine, Rigid, State
from tricklaw.model.sentences import Sentence, names_of, sentence_of

Target = tuple[str, int]
"""A right and the index of the player addressed."""


def meaning(sentence: Sentence, machine: Machine, judgement: Judgement) -> tuple[ActKind, Deed]:
    """The kind of act and its parameters. A demand or waiver that names no right means one that is open.

    Raises:
        CaseError: no right can be meant, or several.
    """
    actor = machine.seat(sentence.actor)
    if not sentence.form.about_right:
        seat = machine.seat(sentence.seat) if sentence.seat else 0
        return ActKind(sentence.do), Deed(actor, sentence.cards, 0, seat, sentence.seen)
    right, seat = _target(sentence, machine, judgement)
    kind = ActKind(Do.WAIVE, right)
    if sentence.do is Do.DEMAND:
        option = next(o for o in machine.system.rights[right].options if o.text == sentence.option)
        kind = ActKind(Do.DEMAND, right, option.text, option.param)
    return kind, Deed(actor, sentence.cards, sentence.suit, 1 << seat)


def _target(sentence: Sentence, machine: Machine, judgement: Judgement) -> Target:
    """The right meant: of those that he may exact now, else those that another may, else all; only if it is one."""
    actor = machine.seat(sentence.actor)
    now = [r for r in judgement.open_rights() if _fits(sentence, machine, (r.right, r.seat))]
    mine = [r for r in now if r.enforcers & actor]
    tiers = [_targets(mine), _targets(now), list(_anything(sentence, machine))]
    found = next((tier for tier in tiers if tier), [])
    if len(found) == 1:
        return found[0]
    raise CaseError(_unclear(sentence, machine, found))


def _targets(rights: Iterable[RightNow]) -> list[Target]:
    return [(r.right, r.seat) for r in rights]


def _fits(sentence: Sentence, machine: Machine, target: Target) -> bool:
    """Whether the sentence may mean that right against that player."""
    right, seat = target
    options = [o.text for o in machine.system.rights[right].options]
    return (
        sentence.under in ("", right)
        and sentence.seat in ("", machine.names[seat])
        and (sentence.do is Do.WAIVE or sentence.option in options)
    )


def _anything(sentence: Sentence, machine: Machine) -> Iterable[Target]:
    """Rights that are not open; a waiver must name its right, or it means none."""
    if not sentence.seat or (sentence.do is Do.WAIVE and not sentence.under):
        return
    for right in machine.system.rights:
        target = right, machine.names.index(sentence.seat)
        if _fits(sentence, machine, target):
            yield target


def _unclear(sentence: Sentence, machine: Machine, found: list[Target]) -> str:
    if not found:
        under = f" under {sentence.under}" if sentence.under else ""
        what = f"no right{under} is open that this can mean"
        return f"{str(sentence)!r}: {what}; write `under CLAUSE` to name one all the same"
    names = " or ".join(f"{right} against {machine.names[seat]}" for right, seat in found)
    against = "name the player, and " if len({seat for _, seat in found}) > 1 else ""
    return f"{str(sentence)!r} may mean {names}; {against}write `under {found[0][0]}`, for instance"


def written(kind: ActKind, deed: Deed, machine: Machine) -> Sentence:
    """The sentence for an act: the inverse of `meaning`."""
    actor, seat = ("".join(machine.seats(s)) for s in (deed.actor, deed.seat))
    return sentence_of(kind, actor, seat, deed.cards, deed.suit, deed.seen, machine.deck)


# why not -----------------------------------------------------------------------------------------------------------


def why_not(kind: ActKind, deed: Deed, machine: Machine, state: State, rigid: Rigid) -> str:
    """Why an act cannot physically be done in that state, and what to write instead."""
    return _Table(kind, deed, machine, state, rigid).reason()


class _Table:
    """A state as one sees it at the table, for messages only."""

    def __init__(self, kind: ActKind, deed: Deed, machine: Machine, state: State, rigid: Rigid) -> None:
        self.kind, self.deed, self.machine = kind, deed, machine
        self.fields = machine.fields(state) | {
            slot.name: value for slot, value in zip(machine.system.rigid_slots, rigid, strict=True)
        }
        self.actor = machine.seats(deed.actor)[0]
        self.hand = self._hand(self.actor)
        self.deck: Deck = machine.deck

    def _hand(self, name: str) -> int:
        return self.fields[f"own.{name}"] & ~(self.fields["trick"] | self.fields["prev"])

    def _cards(self, cards: int) -> str:
        return " ".join(self.deck.names(cards)) or "no card"

    @property
    def has_played(self) -> bool:
        return bool(self.fields[f"own.{self.actor}"] & self.fields["trick"])

    def reason(self) -> str:
        he, card = self.actor, self._cards(self.deed.cards)
        match self.kind.do:
            case Do.LEAD if self.fields["trick"]:
                return f"a card has been led already; write `{he} plays {card}`"
            case Do.PLAY if not self.fields["trick"]:
                return f"nothing has been led; write `{he} leads {card}`"
            case Do.PLAY if self.has_played:
                return f"{he} has played to this trick already; write `{he} lays down {card} as well`"
            case Do.AGAIN if not self.has_played:
                return f"{he} has no card in the trick; write `{he} plays {card}`, or `{he} faces {card}`"
            case Do.THROW if self.has_played:
                return f"{he} has a card in the trick already; write `{he} lays down ... as well`, a card at a time"
            case Do.SHOW if self.deed.seen & PARTNER_SEES and not self.fields[f"mates.{he}"]:
                return f"{he} has no partner to see his cards"
            case Do.SHOW if self.deed.seen & ADVERSARIES_SEE and self._foes().bit_count() < 2:
                return f"{he} has no two adversaries to see his cards"
            case Do.DEMAND | Do.WAIVE:
                return self._about_another()
            case Do.FIND if self.deed.seat & self.fields["found"]:
                return f"the number of {self.machine.seats(self.deed.seat)[0]}'s cards has been pointed out already"
            case Do.FIND:
                return f"{self.machine.seats(self.deed.seat)[0]} holds as many cards as is proper"
            case Do.CLAIM | Do.GIVE_UP | Do.LAY_OPEN:
                return f"{he} has done so already, or holds no card"
            case Do.BOAST:
                return f"{he} holds no card"
            case Do.OMIT | Do.ADD:
                return self._of_an_omission(card)
            case Do.ATTENTION | Do.TAKE_BACK | Do.QUIT | Do.WAIT:
                return self._wordless()
        return self._of_the_hand(card)

    def _of_an_omission(self, card: str) -> str:
        he, fields = self.actor, self.fields
        omitted = fields["omitted"] | fields["missed"]
        if self.kind.do is Do.ADD:
            if not fields["omitted"] & self.deed.actor:
                return f"{he} has omitted to play to no trick that he could still add a card to"
            if fields["trick"] or not fields["prev"]:
                return f"the trick that {he} omitted to play to can be reached no longer"
            return self._of_the_hand(card)
        if omitted & self.deed.actor:
            return f"{he} has omitted to play to a trick already; the model has no second"
        if self.has_played:
            return f"{he} has played to this trick already"
        return f"only the last to play, not having led, can omit to; it is not that {he} alone has still to play"

    def _foes(self) -> int:
        return (1 << len(self.machine.names)) - 1 & ~(self.deed.actor | self.fields[f"mates.{self.actor}"])

    def _of_the_hand(self, card: str) -> str:
        he = self.actor
        if missing := self.deed.cards & ~self.hand:
            return f"{he} does not hold {self._cards(missing)}; he holds {self._cards(self.hand)}"
        if self.kind.do is Do.THROW and self.deed.cards.bit_count() < 2:
            return f"one card is not thrown together with another; write `{he} plays {card}`"
        if self.kind.do is Do.THROW:
            return f"{he} has thrown cards already; let him lead or play one of them first"
        if self.kind.do is Do.PICK_UP:
            return f"{card} does not lie face up; write `{he} faces {card}` before"
        return f"{card} lies face up already"

    def _about_another(self) -> str:
        if self.deed.seat == self.deed.actor:
            return f"{self.actor} cannot demand anything of himself; name another player"
        he = self.machine.seats(self.deed.seat)[0]
        card, hand = self._cards(self.deed.cards), self._cards(self._hand(he))
        return f"{he} does not hold {card}; he holds {hand}"

    def _wordless(self) -> str:
        he, fields = self.actor, self.fields
        match self.kind.do:
            case Do.ATTENTION if not fields["trick"] or fields["leader"] == fields["turn"]:
                return "no lead out of turn lies on the table"
            case Do.ATTENTION:
                return "attention has been drawn to it already"
            case Do.TAKE_BACK:
                return f"{he} has no card on the table that he could take back"
            case Do.QUIT if fields["prev"] & fields[f"own.{he}"]:
                return f"{he} has turned and quitted his card already"
            case Do.QUIT:
                return f"{he} has no card of a complete trick that is not yet quitted"
        turn = names_of(self.machine.seats(self.turn()))
        return f"only the player whose turn it is can let time pass; it is the turn of {turn}"

    def turn(self) -> int:
        """Whose turn it is."""
        state = self.machine.pack({s.name: self.fields[s.name] for s in self.machine.system.slots})
        rigid = tuple(self.fields[s.name] for s in self.machine.system.rigid_slots)
        return self.machine.judge(state, rigid).to_act

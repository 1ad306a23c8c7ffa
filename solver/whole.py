"""A play found on a short deal, completed to a deal of the whole pack in which the same acts show the same.

The cards that are added are drawn at random. Nobody is given a suit that is led in the play and that he does not hold:
having to follow suit, he would break a further duty. A completion counts only where the play is replayed on it, violates
the part still, and has no more unlawful acts than before.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tricklaw.model.acts import Do
from tricklaw.model.cards import Deck
from tricklaw.model.deals import proper
from tricklaw.model.state import TAKEN
from tricklaw.model.table import CLAIMS
from tricklaw.solver.compiled import UNLAWFUL
from tricklaw.solver.plays import Play, Player

TRIES = 60
"""How many deals are tried, at most."""


def whole(player: Player, play: Play, part: str) -> Play | None:
    """The play from a deal of the whole pack; None where none was found.

    Parameters:
        player: replays on the full pack.
        play: violates the part under its own readings.
    """
    deck, source = player.system.deck, random.Random(part)
    before = player.irregular(play, UNLAWFUL)
    closed = [_closed(deck, play, hand) for hand in play.hands]
    for _ in range(TRIES):
        trial = _filled(deck, play, closed, source, CLAIMS in player.system.table.covers)
        if trial is None:
            continue
        if player.violates(trial, part) and player.irregular(trial, UNLAWFUL) <= before:
            return trial
    return None


def _closed(deck: Deck, play: Play, hand: int) -> int:
    """The cards of the suits that are led in the play and that are not in the hand."""
    led = [act["act.cards"] for kind, act in play.acts if kind.do is Do.LEAD]
    suits = deck.followers(play.trumps)
    return sum(suit for suit in suits if not suit & hand and any(suit & card for card in led))


def _filled(deck: Deck, play: Play, closed: list[int], source: random.Random, laid_away: bool) -> Play | None:
    """The play with all other cards of the pack dealt, as many to each as he should have; None where that does not come out.

    Cards that are left over are those that a lone player has laid away, and kept as such where the law speaks of it.
    """
    full, seats = list(play.hands), len(play.hands)
    surplus = [hand.bit_count() - right for hand, right in zip(full, proper(full, play.marks), strict=True)]
    each = [deck.size // seats + more for more in surplus]
    held = sum(full) | play.marks.get(TAKEN, 0)
    rest = [1 << i for i in range(deck.size) if not held >> i & 1]
    source.shuffle(rest)
    rest.sort(key=lambda card: sum(not card & c for c in closed))  # those that fewest players may be given come first
    away = play.marks.get(TAKEN, 0)
    for card in rest:
        may = [i for i, hand in enumerate(full) if hand.bit_count() < each[i] and not card & closed[i]]
        if may:
            full[source.choice(may)] |= card
        else:
            away |= card
    if [hand.bit_count() for hand in full] != each or away.bit_count() != deck.size - sum(each):
        return None
    return replace(play, hands=tuple(full), marks={**play.marks, TAKEN: away} if away and laid_away else play.marks)

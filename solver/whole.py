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
        hands = _filled(deck, play.hands, closed, source)
        if hands is None:
            continue
        trial = replace(play, hands=hands)
        if player.violates(trial, part) and player.irregular(trial, UNLAWFUL) <= before:
            return trial
    return None


def _closed(deck: Deck, play: Play, hand: int) -> int:
    """The cards of the suits that are led in the play and that are not in the hand."""
    led = [act["act.cards"] for kind, act in play.acts if kind.do is Do.LEAD]
    suits = deck.followers(play.trumps)
    return sum(suit for suit in suits if not suit & hand and any(suit & card for card in led))


def _filled(deck: Deck, hands: tuple[int, ...], closed: list[int], source: random.Random) -> tuple[int, ...] | None:
    """The hands with all other cards of the pack dealt among them, as many to each; None where that does not come out."""
    full, each = list(hands), deck.size // len(hands)
    held = sum(hands)
    rest = [1 << i for i in range(deck.size) if not held >> i & 1]
    source.shuffle(rest)
    rest.sort(key=lambda card: sum(not card & c for c in closed))  # those that fewest players may be given come first
    for card in rest:
        may = [i for i, hand in enumerate(full) if hand.bit_count() < each and not card & closed[i]]
        if not may:
            return None
        full[source.choice(may)] |= card
    return tuple(full)

"""Phrases about claims and giving up, and about the card points of a lone player."""

from __future__ import annotations

import z3

from tricklaw.model.acts import Do
from tricklaw.model.phrases.context import Context
from tricklaw.model.phrases.registry import Sort, phrase
from tricklaw.model.table import CLAIMS
from tricklaw.model.terms import Bits, Bool, bits, less, meet, none


@phrase(Sort.EVENT, "a player lays his cards open and announces his success", CLAIMS)
def claims(c: Context) -> Bits:
    """He has done both: laid his hand open, and announced that he has won or, as an adversary, defeated the game."""
    if c.doing(Do.LAY_OPEN):
        return meet(c.actor, c.view["claimed"])
    return c.actor_if(_open(c)) if c.doing(Do.CLAIM) else c.view.nobody


@phrase(Sort.EVENT, "a player gives up and lays his cards open", CLAIMS)
def gives_up_openly(c: Context) -> Bits:
    """He has done both: given the game up as lost, and laid his hand open."""
    if c.doing(Do.LAY_OPEN):
        return meet(c.actor, c.view["given up"])
    return c.actor_if(_open(c)) if c.doing(Do.GIVE_UP) else c.view.nobody


@phrase(Sort.EVENT, "a player gives up", CLAIMS)
def gives_up(c: Context) -> Bits:
    """He gives the game up as lost."""
    return c.actor if c.doing(Do.GIVE_UP) else c.view.nobody


def _open(c: Context) -> Bool:
    return none(less(c.view.hand(c.actor), c.view["faced"]))


@phrase(Sort.CONDITION, "he has not played to the second trick", CLAIMS)
def before_second(c: Context) -> Bool:
    """He has led or played to no trick after the first."""
    return none(meet(c.him, c.view["beyond"]))


@phrase(Sort.CONDITION, "the single player has not taken the points that he needs", CLAIMS)
def points_missing(c: Context) -> Bool:
    """The cards that a lone player has laid away and taken count less than half, or his bid needs more and has not that."""
    return z3.ULT(c.view.points_taken, c.view.points_needed)


@phrase(Sort.CONDITION, "the single player can still take the points that he needs", CLAIMS)
def points_left(c: Context) -> Bool:
    """What his adversaries have taken leaves him enough of the card points."""
    v = c.view
    return z3.ULE(v.points_needed, bits(v.deck.all_points, v.points_needed.size()) - v.points_lost)

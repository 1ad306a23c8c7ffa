"""Lawful play as an independent program has it: OpenSpiel's bridge and Skat, on many thousands of random positions.

Whose turn it is, which cards follow suit, who wins a trick and leads to the next are compared at every card.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tricklaw.model.codes import resolve
from tricklaw.model.machine import Deed, Machine, State
from tricklaw.model.referee import machine_of

pyspiel = pytest.importorskip("pyspiel")

BRIDGE, SKAT = 60, 60
"""How many deals of each game are played: 52, or up to 30, positions a deal."""

PASS, FIRST_BID = 52, 55
SUITS = "CDHS"


@dataclass(frozen=True)
class Dealt:
    """A deal of the other program: its state before the first lead, the hands, how its cards are called, who plays alone."""

    spiel: Any
    deal: Mapping[str, list[str]]
    leader: str
    trumps: int
    card: Callable[[int], str]
    alone: int = 0


def dealt_at_random(game: Any, chance: random.Random) -> Any:
    """A state in which all cards are dealt."""
    state = game.new_initial_state()
    while state.is_chance_node():
        actions, _ = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(chance.choice(actions))
    return state


def bridge_deal(chance: random.Random) -> Dealt:
    """A deal of bridge; one of the four bids something, and all others pass."""
    spiel = dealt_at_random(pyspiel.load_game("bridge(use_double_dummy_result=false)"), chance)
    hands: list[list[str]] = [[], [], [], []]
    for at, action in enumerate(spiel.history()):
        hands[at % 4].append(bridge_card(action))
    declarer, strain = chance.randrange(4), chance.randrange(5)
    for _ in range(declarer):
        spiel.apply_action(PASS)
    spiel.apply_action(FIRST_BID + strain)
    for _ in range(3):
        spiel.apply_action(PASS)
    deal = {name: hands[(declarer + i) % 4] for i, name in enumerate("AYBZ")}
    return Dealt(spiel, deal, "Y", 1 << strain if strain < 4 else 0, bridge_card)


def bridge_card(action: int) -> str:
    """The card of an action in bridge: ranks go before suits."""
    rank, suit = divmod(action, 4)
    return "23456789TJQKA"[rank] + SUITS[suit]


def skat_deal(game: str, trumps: int) -> Callable[[random.Random], Dealt]:
    """Deals of one of the games of Skat: one of the three takes the skat, plays it, and lays two cards away."""
    bids = {"nullo": NULL, "grand": GRAND}

    def deal(chance: random.Random) -> Dealt:
        spiel, player = dealt_at_random(pyspiel.load_game("skat"), chance), chance.randrange(3)
        for _ in range(player):
            spiel.apply_action(SKAT_PASS)
        spiel.apply_action(bids.get(game, SKAT_PASS + 1 + "DHSC".index(SUITS[trumps.bit_length() - 1])))
        while len(spiel.legal_actions()) > 10 or SKAT_PASS in spiel.legal_actions():
            left = [action for action in spiel.legal_actions() if action < SKAT_PASS]
            spiel.apply_action(chance.choice(left) if left else SKAT_PASS)
        held = {name: spiel.observation_tensor(i)[OWN : OWN + 32] for i, name in enumerate("VMH")}
        hands = {name: [skat_card(i) for i, has in enumerate(cards) if has] for name, cards in held.items()}
        return Dealt(spiel, hands, "V", trumps, skat_card, player)

    return deal


SKAT_PASS, GRAND, NULL, OWN = 32, 37, 38, 6
"""Actions of the other program's Skat, and where in its observation a player's own cards begin."""


def skat_card(action: int) -> str:
    """The card of an action in Skat: suits go before ranks."""
    suit, rank = divmod(action, 8)
    return "789QKTAJ"[rank] + "DHSC"[suit]


def positions(code: str, game: str, dealt: Dealt, chance: random.Random) -> Iterator[tuple[set[str], set[str]]]:
    """What each program holds to be lawful, position by position, as one of the lawful cards is played in both."""
    law, _ = resolve(code)
    machine = machine_of(law.restrict(game), game)
    groups = machine.system.arrangements[dealt.alone]
    rigid = machine.rigid(groups, dealt.trumps)
    deal = {name: machine.deck.parse(" ".join(cards)) for name, cards in dealt.deal.items()}
    state = machine.initial(deal, dealt.leader)
    while not dealt.spiel.is_terminal():
        state = quitted(machine, state, rigid)
        judged = machine.judge(state, rigid)
        seat = judged.to_act.bit_length() - 1
        theirs = {dealt.card(action): action for action in dealt.spiel.legal_actions()}
        yield set(machine.deck.names(judged.lays(seat))), set(theirs)
        name = chance.choice(sorted(theirs))
        kind = "play" if machine.read(state, "trick") else "lead"
        done = machine.step(state, rigid, kind, Deed(1 << seat, machine.deck.parse(name)))
        assert done.lawful, name
        state = done.state
        dealt.spiel.apply_action(theirs[name])


def quitted(machine: Machine, state: State, rigid: Any) -> State:
    """The state after the winner has gathered the trick, if one is complete."""
    if machine.read(state, "prev"):
        winner = machine.read(state, "turn")
        dummy = machine.system.table.dummy
        hand = winner if dummy is None or winner != 1 << dummy else 1 << (machine.system.table.declarer or 0)
        done = machine.step(state, rigid, "turn and quit", Deed(hand))
        assert done.lawful
        return done.state
    return state


GAMES = {
    "bridge": ("auction-bridge", "bridge", bridge_deal, BRIDGE),
    "grand": ("skat", "grand", skat_deal("grand", 0), SKAT),
    "nullo": ("skat", "nullo", skat_deal("nullo", 0), SKAT),
    "clubs": ("skat", "solo", skat_deal("solo", 1), SKAT),
    "diamonds": ("skat", "tournee", skat_deal("tournee", 2), SKAT),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_lawful_play_is_as_another_program_has_it(name: str) -> None:
    """The same cards are lawful at every turn, which is the same player's, up to the last trick."""
    code, game, deal, many = GAMES[name]
    chance, seen = random.Random(name), 0
    for _ in range(many):
        for ours, theirs in positions(code, game, deal(chance), chance):
            assert ours == theirs
            seen += 1
    assert seen >= many * 6  # a game of Nullo ends with the player's first trick

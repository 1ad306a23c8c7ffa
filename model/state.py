"""The state of a table as fields of bits, and what can be read off it: hands, turn, trick, renounces.

A card stays with its owner (`own`) until the trick that it lies in is turned and quitted by all; the current trick and
the one before it, not yet quitted, are sets of cards. Who has played what, and who holds what, follows from these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import z3

from tricklaw.model.cards import POINTS, Deck
from tricklaw.model.table import CALLER, CLAIMS, OMISSIONS, SEAT_NAMES, WRONG_NUMBERS, Table
from tricklaw.model.terms import (
    Bits,
    Bool,
    bit,
    bits,
    both,
    collect,
    either,
    gate,
    join,
    less,
    meet,
    meets,
    negate,
    none,
    select,
    some,
    union,
    when,
)


@dataclass(frozen=True)
class Slot:
    """A field of the state, of the rigid constants or of an act: its name, its width in bits, and what it is for."""

    name: str
    width: int
    says: str = ""

    def term(self, suffix: str = "") -> Bits:
        """The field as a Z3 constant."""
        return z3.BitVec(self.name + suffix, self.width)


def table_slots(deck: Deck, table: Table) -> list[Slot]:
    """The fields of the state that trick play itself needs; the rights register adds its own."""
    seats, names = table.seats, SEAT_NAMES[table.seats]
    return [
        *(Slot(f"own.{s}", deck.size, f"cards that {s} holds or has on the table, not yet quitted") for s in names),
        Slot("trick", deck.size, "cards lying in the current trick"),
        Slot("prev", deck.size, "cards of the preceding trick while it is not turned and quitted"),
        Slot("faced", deck.size, "cards that lie face up before their holder"),
        Slot("thrown", deck.size, "cards thrown together, of which none is yet indicated as played"),
        Slot("liable", deck.size, "cards liable to be called"),
        Slot("turn", seats, "who has the right to lead to the current trick"),
        Slot("leader", seats, "who led to the current trick"),
        Slot("prevleader", seats, "who led to the preceding trick, while it is not turned and quitted"),
        Slot("quitted", seats, "who has turned and quitted his card of the preceding trick"),
        Slot("renounced", seats, "who, able to follow suit, did not with his card in the current trick"),
        Slot("prevrenounced", seats, "the same of the preceding trick, while it is not turned and quitted"),
        Slot("erred", seats, "who has committed an infraction so far (history)"),
        Slot(
            "amending", seats, "who has taken back a card of the trick to correct a renounce and has not played again"
        ),
        Slot("noticed", 1, "attention has been drawn to the lead out of turn on the table"),
        Slot("begun", 1, "a trick has been completed"),
        *(
            [Slot(CALLED_BY, seats, "who has called the game, where two play together")]
            if CALLER in table.covers
            else ()
        ),
        *(_counting_slots(seats) if WRONG_NUMBERS in table.covers else ()),
        *(_claiming_slots(deck, seats) if CLAIMS in table.covers else ()),
        *(_omitting_slots(seats) if OMISSIONS in table.covers else ()),
    ]


def _counting_slots(seats: int) -> list[Slot]:
    return [
        Slot(TOO_MANY, seats, "who holds a card more than is proper"),
        Slot(TOO_FEW, seats, "who holds a card less than is proper"),
        Slot("found", seats, "whose wrong number of cards has been pointed out"),
    ]


def _claiming_slots(deck: Deck, seats: int) -> list[Slot]:
    return [
        Slot(TAKEN, deck.size, "the cards that a lone player has laid away or taken in tricks turned and quitted"),
        Slot(NEEDS_MORE, 1, "the lone player's bid needs three quarters of the points instead of half"),
        Slot("claimed", seats, "who has announced that he has won, or has defeated the game"),
        Slot("given up", seats, "who has given the game up as lost"),
        Slot("beyond", seats, "who has led or played to a trick after the first"),
    ]


def _omitting_slots(seats: int) -> list[Slot]:
    return [
        Slot(OMITTED[0], seats, "who has omitted to play to a trick and has neither corrected it nor played since"),
        Slot(OMITTED[1], seats, "who has played to the next trick after one that he omitted to play to"),
    ]


TOO_MANY, TOO_FEW, TAKEN, NEEDS_MORE, CALLED_BY = "too many", "too few", "taken", "needs more", "caller"

OMITTED = ("omitted", "missed")
"""The fields of omitted plays: such as can still be corrected, and others."""

MARKS = {CALLED_BY: CALLER, TOO_MANY: WRONG_NUMBERS, TOO_FEW: WRONG_NUMBERS, TAKEN: CLAIMS, NEEDS_MORE: CLAIMS}
"""The fields that a deal may fill beside the hands and who is to lead, and what the law must cover for that."""


def rigid_slots(deck: Deck, seats: int) -> list[Slot]:
    """The rigid constants of any game: partners and trumps."""
    names = SEAT_NAMES[seats]
    return [
        *(Slot(f"mates.{s}", seats, f"the partners of {s}") for s in names),
        Slot("trumps", deck.suits, "the trump suit, or none"),
    ]


class View:
    """A state read as a card table. Terms are built once and kept."""

    def __init__(self, deck: Deck, table: Table, state: Mapping[str, Bits], rigid: Mapping[str, Bits]) -> None:
        self.deck, self.table, self.state, self.rigid = deck, table, state, rigid
        self.seats = table.seats
        self.names = SEAT_NAMES[self.seats]

    def __getitem__(self, field: str) -> Bits:
        return self.state[field]

    # seats ---------------------------------------------------------------------------------------------------------

    @cached_property
    def everybody(self) -> Bits:
        """All seats."""
        return bits((1 << self.seats) - 1, self.seats)

    @property
    def nobody(self) -> Bits:
        """No seat."""
        return bits(0, self.seats)

    def seat(self, index: int) -> Bits:
        """The set of one seat."""
        return bits(1 << index, self.seats)

    def _turned(self, seats: Bits, steps: int) -> Bits:
        n, k = self.seats, steps % self.seats
        if z3.is_bv_value(seats):
            v = seats.as_long()
            return bits((v << k | v >> (n - k)) & ((1 << n) - 1), n)
        return z3.Concat(z3.Extract(n - k - 1, 0, seats), z3.Extract(n - 1, n - k, seats))

    def left_of(self, seats: Bits) -> Bits:
        """The seats next to play after the given ones."""
        return self._turned(seats, 1)

    def right_of(self, seats: Bits) -> Bits:
        """The seats that play immediately before the given ones."""
        return self._turned(seats, self.seats - 1)

    def opposite(self, seats: Bits) -> Bits:
        """The seats two places on: the third hand, seen from the leader."""
        return self._turned(seats, 2)

    @cached_property
    def mates(self) -> list[Bits]:
        """The partners of each seat."""
        return [self.rigid[f"mates.{s}"] for s in self.names]

    def partners(self, seats: Bits) -> Bits:
        """The partners of the given seats."""
        return select(seats, self.mates)

    def side(self, seats: Bits) -> Bits:
        """The given seats and their partners."""
        return join(seats, self.partners(seats))

    def adversaries(self, seats: Bits) -> Bits:
        """The adversaries of the given seats."""
        return select(seats, [less(self.everybody, join(self.seat(i), m)) for i, m in enumerate(self.mates)])

    @cached_property
    def alone(self) -> Bits:
        """The seats that have no partner."""
        return collect([none(m) for m in self.mates])

    @property
    def declarer(self) -> Bits:
        """The seat of the player who plays the dummy's cards too; nobody where there is no dummy."""
        return self.nobody if self.table.declarer is None else self.seat(self.table.declarer)

    @property
    def dummy(self) -> Bits:
        """The seat whose cards the declarer plays: what it does, it does by his hand."""
        return self.nobody if self.table.dummy is None else self.seat(self.table.dummy)

    @cached_property
    def turned(self) -> Bool:
        """Whether the preceding trick is out of the way: quitted by all, or gathered by somebody, rightly or not."""
        done = none(self["prev"])
        return either(done, some(self["quitted"])) if self.table.gathered else done

    # cards ---------------------------------------------------------------------------------------------------------

    @cached_property
    def own(self) -> list[Bits]:
        """The cards of each seat, held or on the table."""
        return [self.state[f"own.{s}"] for s in self.names]

    @cached_property
    def on_table(self) -> Bits:
        """Cards of the current and of the unquitted trick."""
        return join(self["trick"], self["prev"])

    @cached_property
    def hands(self) -> list[Bits]:
        """The cards that each seat holds, faced ones included."""
        return [less(o, self.on_table) for o in self.own]

    @cached_property
    def held(self) -> Bits:
        """The cards in all hands."""
        return less(union(self.own, self.deck.size), self.on_table)

    def hand(self, seats: Bits) -> Bits:
        """The cards that the given seats hold."""
        return less(select(seats, self.own), self.on_table)

    def cards(self, seats: Bits) -> Bits:
        """All cards of the given seats, held or on the table."""
        return select(seats, self.own)

    def holders(self, cards: Bits) -> Bits:
        """The seats that hold some of the cards."""
        return collect([meets(h, cards) for h in self.hands])

    @cached_property
    def with_cards(self) -> Bits:
        """The seats that still hold cards."""
        return collect([some(h) for h in self.hands])

    @cached_property
    def trumps(self) -> Bits:
        """The cards of the trump suit, and the jacks where they are trumps in any case."""
        return join(self.deck.cards_of(self.rigid["trumps"]), self.deck.own_jacks)

    # the trick -----------------------------------------------------------------------------------------------------

    @cached_property
    def empty_table(self) -> Bool:
        """Nothing lies in the current trick."""
        return none(self["trick"])

    @cached_property
    def played(self) -> Bits:
        """The seats that have a card in the current trick."""
        return collect([meets(o, self["trick"]) for o in self.own])

    @cached_property
    def card_led(self) -> Bits:
        """The card led to the current trick."""
        return meet(self.cards(self["leader"]), self["trick"])

    @cached_property
    def suit_led(self) -> Bits:
        """All cards of the suit led to the current trick."""
        return self.deck.suit_with(self.card_led, self.trumps)

    @cached_property
    def false_lead(self) -> Bool:
        """The current trick was led by somebody who had not the right to."""
        return both(some(self["trick"]), negate(self["leader"] == self["turn"]))

    @cached_property
    def lead_to_take_back(self) -> Bits:
        """Who led out of turn to the current trick, as long as the card that he led lies there."""
        return gate(both(self.false_lead, some(self.card_led)), self["leader"])

    @cached_property
    def noticed(self) -> Bool:
        """A lead out of turn lies on the table and attention has been drawn to it."""
        return bit(self["noticed"], 0)

    @cached_property
    def next_to_play(self) -> Bits:
        """The next in rotation who has not played; first the leader, should he have taken back the card that he led."""
        left = less(self.everybody, self.played)
        seat, found = self["leader"], self.nobody
        for _ in range(self.seats):
            found = when(none(found), meet(seat, left), found)
            seat = self.left_of(seat)
        return found

    @cached_property
    def to_act(self) -> Bits:
        """Whose turn it is to lead or to play; nobody where he has no card."""
        return meet(when(self.empty_table, self["turn"], self.next_to_play), self.with_cards)

    @cached_property
    def winning_card(self) -> Bits:
        """The card that would win the trick as it lies."""
        return self.deck.best(self["trick"], self.suit_led, self.trumps)

    def follow(self, seats: Bits) -> Bits:
        """The cards with which the given player follows suit if he can, else his whole hand."""
        hand = self.hand(seats)
        suit = meet(hand, self.suit_led)
        return when(some(suit), suit, hand)

    def legal(self, seats: Bits) -> Bits:
        """The cards that the player may lead or play without renouncing in error."""
        return when(self.empty_table, self.hand(seats), self.follow(seats))

    @cached_property
    def open_trick(self) -> Bits:
        """The trick that a card can be taken back from: the current one, or the preceding one if nothing is led."""
        return when(self.empty_table, self["prev"], self["trick"])

    @cached_property
    def omitting(self) -> Bits:
        """Who may still add his card to the preceding trick: it lies there without one of his, and nothing is led."""
        return gate(both(self.empty_table, some(self["prev"])), self["omitted"])

    def follow_before(self, seats: Bits) -> Bits:
        """The cards with which the given player would have followed suit in the preceding trick, else his whole hand."""
        hand = self.hand(seats)
        led = meet(self.cards(self["prevleader"]), self["prev"])
        suit = meet(hand, self.deck.suit_with(led, self.trumps))
        return when(some(suit), suit, hand)

    @cached_property
    def open_leader(self) -> Bits:
        """Who led to that trick."""
        return when(self.empty_table, self["prevleader"], self["leader"])

    @cached_property
    def renounced(self) -> Bits:
        """The seats that have renounced in error in that trick."""
        return when(self.empty_table, self["prevrenounced"], self["renounced"])

    @cached_property
    def caller(self) -> Bits:
        """Who has bid or called the game: the lone player where there is one; else nobody, if the law does not tell."""
        return when(some(self.alone), self.alone, self[CALLED_BY]) if CALLER in self.table.covers else self.alone

    @property
    def omitted(self) -> Bits:
        """Who has omitted to play to a trick, and may still correct it; nobody where the law does not speak of it."""
        return self["omitted"] if OMISSIONS in self.table.covers else self.nobody

    @cached_property
    def left_out(self) -> Bits:
        """Who has omitted to play to a trick, and not corrected it."""
        return union((self[f] for f in OMITTED), self.seats) if OMISSIONS in self.table.covers else self.nobody

    @cached_property
    def long(self) -> Bits:
        """Who holds a card more than is proper: by the deal, or because he has omitted to play."""
        return join(self[TOO_MANY], less(self.left_out, self[TOO_FEW]))

    @cached_property
    def short(self) -> Bits:
        """Who holds a card less than is proper."""
        return less(self[TOO_FEW], self.left_out)

    @cached_property
    def wrong(self) -> Bits:
        """Who holds a wrong number of cards."""
        return join(self.long, self.short)

    @cached_property
    def points_taken(self) -> Bits:
        """The card points that a lone player has laid away or taken."""
        return self.deck.points(self[TAKEN])

    @cached_property
    def points_lost(self) -> Bits:
        """The card points that his adversaries have taken: of all cards that lie nowhere else."""
        return self.deck.points(less(self.deck.everything, union([*self.own, self[TAKEN]], self.deck.size)))

    @cached_property
    def points_needed(self) -> Bits:
        """How many a lone player must take: of 120 points 61 or, where his bid needs it, 91."""
        whole = self.deck.all_points
        return when(bit(self[NEEDS_MORE], 0), bits(3 * whole // 4 + 1, POINTS), bits(whole // 2 + 1, POINTS))

    @cached_property
    def over(self) -> Bool:
        """Nobody holds a card and nothing lies on the table: the hand is over."""
        return both(*(none(o) for o in self.own))

    def played_after(self, seats: Bits) -> Bits:
        """The seats that have played to the trick and come after the given player in it."""
        return union(self._after(seats), self.seats)

    def _after(self, seats: Bits) -> Iterator[Bits]:
        seat, going = self.left_of(seats), z3.BoolVal(True)
        for _ in range(self.seats - 1):
            going = both(going, negate(meets(seat, self["leader"])))
            yield gate(going, meet(seat, self.played))
            seat = self.left_of(seat)

    def nearest_adversary(self, seats: Bits) -> Bits:
        """The adversary that one meets first going round to the right."""
        foes = self.adversaries(seats)
        seat, found = self.right_of(seats), self.nobody
        for _ in range(self.seats - 1):
            found = when(none(found), meet(seat, foes), found)
            seat = self.right_of(seat)
        return found


def arrangement(mates: Mapping[str, Bits], groups: tuple[int, ...], seats: int) -> Bool:
    """That the sides are exactly the given groups (each a set of seats as an integer)."""
    parts = []
    for i, name in enumerate(SEAT_NAMES[seats]):
        group = next(g for g in groups if g >> i & 1)
        parts.append(mates[f"mates.{name}"] == bits(group & ~(1 << i), seats))
    return both(*parts)


def mates_of(groups: tuple[int, ...], seats: int) -> dict[str, int]:
    """The rigid constants `mates` for given groups."""
    return {
        f"mates.{name}": next(g for g in groups if g >> i & 1) & ~(1 << i) for i, name in enumerate(SEAT_NAMES[seats])
    }

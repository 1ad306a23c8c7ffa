"""Cards, players and demands in plain words: `the nine of hearts`, `A and B against Y and Z`, `call a suit from B`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tricklaw.model.cards import FULL, SUIT_LETTERS, SUIT_NAMES
from tricklaw.model.referee import InForce

SYMBOLS = dict(zip(SUIT_LETTERS, "♣♦♥♠", strict=True))
"""The signs of the suits, by letter."""

_CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
_FEW = 3
"""How many cards are told one by one."""


def listed(parts: Iterable[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`; empty for nothing."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


def card(name: str) -> str:
    """A card in words: `the nine of hearts`."""
    return f"the {FULL.long_name(FULL.index(name))}"


def cards(names: Iterable[str], word: str = "and") -> str:
    """Cards in words: `the nine of hearts and the two of clubs`."""
    return listed(map(card, names), word)


def ordered(names: Iterable[str]) -> list[str]:
    """Cards in the order of a hand: by suits, from the highest down."""
    return FULL.names(FULL.parse(" ".join(names)))


def spelled(text: str) -> str:
    """A text with every card in it, written as `9H`, in words."""
    return _CARD.sub(lambda match: card(match[0]), text)


def by_suit(names: Sequence[str]) -> list[tuple[str, str, list[str]]]:
    """A hand by suits, spades first and from the highest down: the suit's letter, its name, and the ranks."""
    found = []
    for letter, name in reversed(list(zip(SUIT_LETTERS, SUIT_NAMES, strict=True))):
        held = ordered(n for n in names if n[1] == letter)
        if held:
            found.append((letter, name, [rank(n) for n in held]))
    return found


def rank(name: str) -> str:
    """The rank of a card as it is printed: `10` for a ten."""
    return "10" if name[0] == "T" else name[0]


def hand(names: Sequence[str]) -> str:
    """A hand in words; a longer one by suits."""
    if len(names) <= _FEW:
        return cards(ordered(names)) or "no card"
    return "; ".join(f"{suit} {' '.join(ranks)}" for _, suit, ranks in by_suit(names))


def sides(groups: Sequence[Sequence[str]]) -> str:
    """Who plays with whom: `A and B play together against Y and Z.`"""
    if all(len(group) == 1 for group in groups):
        return "Everybody plays for himself."
    lone = [group for group in groups if len(group) == 1]
    if lone:
        others = [name for group in groups if group != lone[0] for name in group]
        return f"{lone[0][0]} plays alone against {listed(others)}."
    first, *rest = groups
    return f"{listed(first)} play together against {listed(listed(group) for group in rest)}."


# demands -----------------------------------------------------------------------------------------------------------

_SPECIAL = {
    "play that card": "call {cards} from {he}",
    "lead that suit": "call {suit} from {he}",
    "do not play that card": "forbid {he} to play {cards}",
    "do not ruff with that card": "forbid {he} to ruff with {cards}",
    "treat the card led as exposed": "claim the card led by {he} as an exposed card",
    "take the penalty for the revoke": "take from {he} the penalty for a revoke",
}


def exaction(option: str, he: str, names: Sequence[str] = (), suit: str = "") -> str:
    """What exacting a demand is, as an infinitive: `call the nine of hearts from B`.

    Parameters:
        option: the demand phrase of the law file.
        he: the player liable.
        names: the cards that may be named, or are.
        suit: the suit called; empty where it may be any.
    """
    named = cards(names, "or") if len(names) <= _FEW else f"one of {len(names)} cards"
    about = {"he": he, "cards": named or "a card", "suit": suit or "a suit"}
    if option in _SPECIAL:
        return _SPECIAL[option].format(**about)
    what = option.replace("that card", about["cards"]).replace("that suit", about["suit"])
    if what.startswith("do not "):
        return f"forbid {he} to {what.removeprefix('do not ')}"
    return f"call on {he} to {what}"


def exactions(options: Sequence[str], he: str, names: Sequence[str] = ()) -> str:
    """What may be exacted under a right with these demands, as one infinitive.

    Calls are told together, and so are prohibitions: `call on B to win the trick or to play his lowest`.
    """
    starts = (f"call on {he} to ", f"forbid {he} to ")
    found: dict[str, list[str]] = {}
    for text in (exaction(option, he, names) for option in options):
        start = next((s for s in starts if text.startswith(s)), text)
        found.setdefault(start, []).append(text.removeprefix(start))
    told = (start + listed(_with_to(rest), "or") if rest[0] else start for start, rest in found.items())
    return ", or ".join(told)


def _with_to(parts: Sequence[str]) -> list[str]:
    """`win the trick`, `to play his lowest`."""
    return [parts[0], *(f"to {part}" for part in parts[1:])]


def third_person(infinitive: str) -> str:
    """`call a suit` becomes `calls a suit`."""
    verb, _, rest = infinitive.partition(" ")
    return f"{verb}s {rest}"


def bound(demand: InForce) -> str:
    """What a demand in force obliges to: `B must play the nine of hearts`."""
    text = spelled(demand.demand)
    must = "must not" if text.startswith("do not ") else "must"
    return f"{demand.against} {must} {text.removeprefix('do not ')}"

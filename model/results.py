"""What a law can fix as the result of a hand, and which results cannot stand together."""

from __future__ import annotations

RESULTS = {
    "wins": "he wins the game",
    "loses": "he loses the game",
    "cannot win": "he cannot win the game",
    "pays": "he pays the stakes",
    "gains nothing": "if he makes his call, he neither receives nor pays",
    "pays if he fails": "if he fails in his call, he pays",
    "set back": "he is set back at least one trick",
    "simple loss": "he has lost the simple game, whatever else could be made",
    "counted for schneider": "the cards are counted, to see whether he is schneider too",
    "played out": "the hand must be played out",
    "abandoned": "the hand is abandoned",
    "deal stands": "the deal stands",
    "new deal": "there must be a new deal",
}
"""The results that a clause may fix, with their meaning for each player named under `for`."""

OPPOSED = (
    ("wins", "loses"),
    ("wins", "cannot win"),
    ("pays", "gains nothing"),
    ("gains nothing", "new deal"),
    ("pays if he fails", "new deal"),
    ("pays", "new deal"),
    ("set back", "new deal"),
    ("simple loss", "counted for schneider"),
    ("played out", "abandoned"),
    ("played out", "new deal"),
    ("deal stands", "new deal"),
)
"""Pairs of results that the same player cannot have of one hand."""

ENDING = ("abandoned", "new deal")
"""The results after which nobody has to play on."""


def opposed(one: str, other: str) -> bool:
    """Whether two results cannot stand together for one player."""
    return (one, other) in OPPOSED or (other, one) in OPPOSED


def result_of(clause_id: str) -> str:
    """The field of the players for whom a clause has fixed its result."""
    return f"{clause_id}/result"

"""The phrases of the law files. Importing this package registers them all."""

from tricklaw.model.phrases import acts, cards, claims, conditions, demands, effects, events, miscounts, seats
from tricklaw.model.phrases.registry import PHRASES, Phrase, Sort, lookup

__all__ = [
    "PHRASES",
    "Phrase",
    "Sort",
    "acts",
    "cards",
    "claims",
    "conditions",
    "demands",
    "effects",
    "events",
    "lookup",
    "miscounts",
    "seats",
]

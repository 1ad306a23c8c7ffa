"""What should be true of any code: small functions with an id, a plain sentence, a formal statement.

Importing this package registers all properties.
"""

from tricklaw.properties import (
    conflicts,
    demands,
    enforcers,
    mechanics,
    penalties,
    progress,
    redundancy,
    results,
    silence,
)
from tricklaw.properties.base import PROPERTIES, Claim, Part, Property, find

__all__ = [
    "PROPERTIES",
    "Claim",
    "Part",
    "Property",
    "conflicts",
    "demands",
    "enforcers",
    "find",
    "mechanics",
    "penalties",
    "progress",
    "redundancy",
    "results",
    "silence",
]

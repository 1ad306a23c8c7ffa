"""tricklaw: law verification for the irregularities of trick-taking card games."""

__version__ = "0.1.0"

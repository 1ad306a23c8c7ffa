"""What plays have come to: a rule that never fires is tested by nobody."""

from __future__ import annotations

from collections import Counter

from tricklaw.solver.rules import Rules


class Coverage:
    """What plays have come to: how often each kind of act was done, each clause broken or set off, each premise met."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._flags: Counter[tuple[str, int]] = Counter()
        self._watched = Counter[tuple[int, ...]]()

    def add_act(self, kind: str, flags: int) -> None:
        """Count an act with its step flags."""
        self._flags[kind, flags] += 1

    def add_state(self, watched: tuple[int, ...]) -> None:
        """Count a state with what is watched in it."""
        self._watched[watched] += 1

    @property
    def acts(self) -> dict[str, int]:
        """How often each kind of act was done."""
        found = dict.fromkeys(self._rules.kinds, 0)
        for (kind, _), count in self._flags.items():
            found[kind] += count
        return found

    @property
    def broken(self) -> dict[str, int]:
        """How often each duty was broken; `comply ID`: a demand under that right was disobeyed."""
        return self._clauses(0)

    @property
    def fired(self) -> dict[str, int]:
        """How often each clause was set off."""
        return self._clauses(1)

    def _clauses(self, which: int) -> dict[str, int]:
        labels, first = self._rules.labels, self._rules.first_clause
        found = {name: 0 for both in labels.values() for name in both[which]}
        for (kind, flags), count in self._flags.items():
            start = first + (len(labels[kind][0]) if which else 0)
            for at, name in enumerate(labels[kind][which], start):
                found[name] += count * (flags >> at & 1)
        return found

    @property
    def met(self) -> dict[str, int]:
        """How often the premise of each part was met."""
        found = dict.fromkeys(self._rules.parts, 0)
        for watched, count in self._watched.items():
            for name, at in self._rules.premise_at.items():
                found[name] += count * watched[at]
        for name, _, premise in self._rules.act_masks:
            found[name] = sum(count for (_, flags), count in self._flags.items() if flags & premise)
        return found


def unfired(coverage: Coverage) -> list[str]:
    """The acts that were never done, the duties never broken, the clauses never set off."""
    kinds = [f"act: {name}" for name, count in coverage.acts.items() if not count]
    broken = [f"never broken: {name}" for name, count in coverage.broken.items() if not count]
    return kinds + broken + [f"never set off: {name}" for name, count in coverage.fired.items() if not count]


def unmet(coverage: Coverage) -> list[str]:
    """The parts of properties whose premise was never met, so that they were never put to the test."""
    return [name for name, count in coverage.met.items() if not count]

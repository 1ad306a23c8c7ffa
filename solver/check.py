"""Verdicts: which properties of a code hold in a game, which do not, which depend on how the law is read, and why.

The order of work for one game: a short exploration of small deals (plays that refute, states that sieve candidates);
invariants by Houdini on the small deck; their proof on the full pack, by two solvers; the plays replayed on the full pack
under every assignment of readings; then, by turns, proofs under the readings that no play refutes, and a search for plays
under those that nothing is known about.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tricklaw.model.cards import FULL, Deck
from tricklaw.model.law import Code
from tricklaw.model.pair import Pair
from tricklaw.model.system import System
from tricklaw.properties import PROPERTIES, Part, Property
from tricklaw.solver import readings as rd
from tricklaw.solver.candidates import candidates
from tricklaw.solver.induction import Engine
from tricklaw.solver.prover import Prover
from tricklaw.solver.readings import Assignment, Undecided
from tricklaw.solver.refuter import FIRST, LONGER, MORE, ON, Refuter
from tricklaw.solver.search import small
from tricklaw.solver.table import Table
from tricklaw.solver.unrolling import DEPTHS, FURTHER, LONGEST
from tricklaw.solver.verdicts import PartResult, Result, Verdict, overall
from tricklaw.solver.whole import whole
from tricklaw.solver.witness import Shown, witness


@dataclass
class Settings:
    """What a check is asked to do."""

    properties: Sequence[str] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)
    native_cache: Path | None = None
    left_out: Sequence[str] = ()
    """The layers and clauses that the law is taken without; for the scope."""

    asked: Sequence[Property] = ()
    """Properties that are not among the known ones: a committee's own."""

    beside: tuple[Code, str] | None = None
    """A second code and its game, played in step."""

    def wanted(self) -> list[Property]:
        """The properties asked for; all that are known where none is named or given."""
        if self.asked:
            return [*(PROPERTIES[p] for p in self.properties), *self.asked]
        return [PROPERTIES[p] for p in self.properties] if self.properties else list(PROPERTIES.values())


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Python's collector of garbage rests meanwhile.

    Z3 must not be called by two threads at once. The collector would do so: it runs in whichever thread happens to need
    it, the pool's too, and what it drops may be Z3's terms.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class GameCheck:
    """The check of one game of a code (already restricted to its layers)."""

    def __init__(self, code: Code, game: str, engine: Engine, settings: Settings) -> None:
        self.code, self.game, self.engine, self.settings = code, game, engine, settings
        wanted = settings.wanted()
        self.small, self.full = (Table.build(self._system(deck), wanted) for deck in (small(code.table(game)), FULL))
        rd.check_fixed(self.full.system, settings.fixed)
        self.prover = Prover(self.small, self.full, settings.fixed, engine)
        self.everything = self.prover.everything

    def _system(self, deck: Deck) -> System:
        if self.settings.beside:
            return Pair(self.code, self.game, deck, second=self.settings.beside)
        return System(self.code, self.game, deck)

    # the order of work ---------------------------------------------------------------------------------------------

    def run(self) -> list[Result]:
        """Decide everything and put the verdicts together."""
        started = time.monotonic()
        with _garbage_kept():
            self._decide_most()
            gc.collect()
            self._decide_rest()
        return self._results(time.monotonic() - started)

    def _decide_most(self) -> None:
        """Plays that are found soon, and proofs under all readings of what they leave."""
        self.engine.say("compiling")
        guesses = candidates(self.small.system) | self.small.never()
        cache = self.settings.native_cache
        self.refuter = Refuter(self.small, self.full, self.everything, guesses, cache, self.engine)
        self.refuter.explore_quickly()
        self.refuter.walk(FIRST)
        self.prover.find_invariants(guesses, self.refuter.false)
        self.refuter.found.met |= {n for n in self.small.parts if self.small.always(n)}
        self.refuter.walk_unwatched()
        self.prover.prove([n for n in self.small.parts if n not in self.refuter.found.plays])
        self.refuter.replay(self.refuter.found)

    def _decide_rest(self) -> None:
        """Plays and proofs under the readings left of each part: what is found soon first."""
        prover, refuter = self.prover, self.refuter
        starts = refuter.walk_on(self._undecided(), ON)
        prover.prove_by_choice(self._undecided())
        prover.prove_where_left(self._partly_decided())
        short, longer = DEPTHS
        self._ask(partial(refuter.search_short, depth=short))
        refuter.walk_on(self._undecided(), MORE)
        prover.prove_where_left(self._partly_decided())
        self._ask(partial(refuter.search_short, depth=longer))
        self._go_on_from_plays()
        for depth in FURTHER:
            self._ask(partial(refuter.search_short, depth=depth, starts=starts))
        refuter.search_short(self._undecided(), LONGEST)
        refuter.walk_on(self._undecided(), LONGER)
        self._go_on_from_plays()
        prover.prove_by_choice(self._undecided(), guess=True)
        self._meet_premises()

    def _meet_premises(self) -> None:
        """Whether the premises of what is proved, and was not watched for, can be met."""
        claims = [n for n, part in self.full.parts.items() if not part.watched and not part.exists]
        proved = [n for n in claims if not self._left(n) and n not in self.refuter.refuted]
        self.prover.prove_vacuous(proved)
        for depth in DEPTHS:
            self.refuter.meet_premises([n for n in proved if n not in self.prover.vacuous], depth)

    def _go_on_from_plays(self) -> None:
        """Look for plays that begin like one that refutes the part under other readings."""
        for depth in FURTHER:
            self._ask(partial(self.refuter.search_along, depth=depth))

    def _ask(self, search: Callable[[Undecided], set[str]]) -> None:
        """Search, go on from what is found, prove what is left of it, and search again, as long as anything is found."""
        wanted = self._undecided()
        while wanted:
            found = less = search(wanted)
            while less:
                less = self.refuter.search_along(self._undecided(less), FURTHER[0])
            self.prover.prove_where_left(self._partly_decided())
            wanted = self._undecided(found)

    def _partly_decided(self) -> dict[str, set[Assignment]]:
        """Those of the undecided parts that are decided under some readings; of others no more is known than at first."""
        return {name: left for name, left in self._undecided().items() if len(left) < len(self.everything)}

    def _undecided(self, among: Iterable[str] | None = None) -> dict[str, set[Assignment]]:
        """The parts that are neither proved nor refuted under some readings, with these."""
        names = self.full.parts if among is None else among
        return {name: left for name in names if (left := self._left(name))}

    def _left(self, name: str) -> set[Assignment]:
        """The assignments under which a part is neither proved nor refuted."""
        refuted, holds = self.refuter.refuted.get(name, set()), self.prover.holds.get(name, set())
        if name in self.prover.vacuous or (self.full.parts[name].exists and refuted):
            return set()
        return set(self.everything) - refuted - holds

    # verdicts ------------------------------------------------------------------------------------------------------

    def _results(self, seconds: float) -> list[Result]:
        share = seconds / max(1, len(self.settings.wanted()))
        return [self._result(p, share) for p in self.settings.wanted()]

    def _result(self, prop: Property, seconds: float) -> Result:
        names = [n for n in self.full.parts if n.rpartition("/")[0] == prop.id]
        parts = tuple(self._part(n) for n in names)
        verdict = overall(parts)
        shown = min(
            (p for p in parts if p.verdict is verdict and p.witness),
            key=lambda p: len(p.witness.acts) if p.witness else 0,
            default=None,
        )
        conditions = list(dict.fromkeys(p.condition for p in parts if p.condition and p.verdict is Verdict.DEPENDS))
        exists = any(self.full.parts[n].exists for n in names)
        methods = _METHODS | _METHODS_OF_PLAYS if exists else _METHODS
        return Result(
            code=self.code.id,
            game=self.game,
            property=prop.id,
            verdict=verdict,
            condition=" and ".join(f"({c})" if len(conditions) > 1 else c for c in conditions),
            scope=self._scope(verdict),
            method=methods[verdict],
            clauses=tuple(dict.fromkeys(c for p in parts if p.verdict is verdict for c in p.clauses)),
            confirmed_by=("z3", "bitwuzla") if "induction" in methods[verdict] else (),
            seconds=round(seconds, 3),
            witness=shown.witness if shown and not exists else None,
            parts=parts,
            reason="" if exists and verdict is Verdict.PROVED else self._reason(verdict, parts, shown),
        )

    def _reason(self, verdict: Verdict, parts: Sequence[PartResult], shown: PartResult | None) -> str:
        if not parts:
            return _NOTHING
        return shown.reason if shown else next((p.reason for p in parts if p.verdict is verdict and p.reason), "")

    def _scope(self, verdict: Verdict) -> dict[str, object]:
        s = self.full.system
        names = s.view.names
        sides = [["".join(n for i, n in enumerate(names) if g >> i & 1) for g in groups] for groups in s.arrangements]
        return {
            "cards": s.deck.size,
            "without": list(self.settings.left_out),
            "seats": s.seats,
            "deals": "any deal of at least one card to each player, any trump suit or none, any leader",
            "acts": "any sequence of acts, lawful or not, of any length",
            "arrangements": sides,
            "readings": {k: [self.settings.fixed[k]] if k in self.settings.fixed else c for k, c in s.readings.items()},
        }

    def _part(self, name: str) -> PartResult:
        part, everything = self.full.parts[name], set(self.everything)
        bad, good = self.refuter.refuted.get(name, set()), self.prover.holds.get(name, set())
        clauses = self._clauses(name)
        shown = self._shown(name)
        if shown is not None:
            clauses = tuple(dict.fromkeys((*clauses, *shown.clauses)))
        if part.exists:
            return self._existing(part, shown, good == everything, clauses)
        if name in self.prover.vacuous and not bad:
            return PartResult(part.right, Verdict.VACUOUS, reason=_NEVER, clauses=clauses)
        if good == everything:
            note = "" if name in self.refuter.found.met else _NOT_MET
            return PartResult(part.right, Verdict.PROVED, reason=note, clauses=clauses)
        if bad == everything and shown:
            return PartResult(part.right, Verdict.REFUTED, "", shown.witness, shown.ends, clauses)
        if bad | good == everything and shown:
            condition = rd.condition(self.full.system, good, self.everything)
            return PartResult(
                part.right, Verdict.DEPENDS, condition, shown.witness, f"it holds exactly when {condition}", clauses
            )
        why = self.prover.reasons.get(name, "")
        reason = f"neither proved nor refuted under {len(everything - bad - good)} of {len(everything)} readings"
        return PartResult(
            part.right, Verdict.UNKNOWN, "", shown.witness if shown else None, f"{reason}; {why or _SEARCHED}", clauses
        )

    def _existing(self, part: Part, shown: Shown | None, none: bool, clauses: tuple[str, ...]) -> PartResult:
        """The verdict on a part that a play is the proof of."""
        if shown is not None:
            return PartResult(part.right, Verdict.PROVED, "", shown.witness, shown.ends, clauses)
        verdict = Verdict.REFUTED if none else Verdict.UNKNOWN
        return PartResult(part.right, verdict, "", None, _NO_PLAY if none else _SEARCHED, clauses)

    def _shown(self, name: str) -> Shown | None:
        """The play that is shown for a part refuted: from a deal of the whole pack, where one was found."""
        play = self.refuter.plays.get(name)
        if play is None:
            return None
        player = self.refuter.player
        full = whole(player, play, name)
        play = full or play
        under = len(player.violating(play, name, self.everything))
        return witness(self.full.system, play, full is not None, under, len(self.everything))

    def _clauses(self, name: str) -> tuple[str, ...]:
        right = next((r for r in self.full.system.rights.values() if r.cited == self.full.parts[name].right), None)
        if right is None:
            return ()
        shields = [c.id for c in self.code.clauses if right.id in c.from_]
        return tuple(dict.fromkeys([right.id, *(t.id for t in right.terms), *shields]))


_METHODS = {
    Verdict.PROVED: "induction",
    Verdict.VACUOUS: "induction",
    Verdict.DEPENDS: "induction and play",
    Verdict.REFUTED: "play",
    Verdict.UNKNOWN: "",
}
_METHODS_OF_PLAYS = {Verdict.PROVED: "play", Verdict.REFUTED: "induction"}
"""The same for a property whose parts are shown by plays."""

_NO_PLAY = "no play whatever can show it, under any reading"
_NOTHING = "there is nothing in this law that it speaks of"
_NEVER = "its premise can never hold"
_NOT_MET = "its premise was not met in any play explored"
_SEARCHED = "not inductive with the invariants found, and no play found in the deals explored"

"""Verdicts: which properties of a code hold in a game, which do not, which depend on how the law is read, and why.

The order of work for one game: a short exploration of small deals (plays that refute, states that sieve candidates);
invariants by Houdini on the small deck; their proof on the full pack, by two solvers, and beside it more exploration for
what is neither refuted nor inductive; the plays replayed on the full pack under every assignment of readings; then proofs
under the readings that no play refutes, and a second look at what is still undecided.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tricklaw.model.cards import FULL
from tricklaw.model.law import Code
from tricklaw.model.system import System
from tricklaw.model.terms import TRUE, Bool, implies, negate
from tricklaw.properties import PROPERTIES, Part, Property
from tricklaw.solver import readings as rd
from tricklaw.solver.candidates import candidates
from tricklaw.solver.compiled import Compiled
from tricklaw.solver.formulas import smt2
from tricklaw.solver.induction import Engine, Induction
from tricklaw.solver.obligations import SolverName, Status
from tricklaw.solver.plays import Play, Player
from tricklaw.solver.readings import Assignment
from tricklaw.solver.roaming import ROAMS, Roam, Roamer
from tricklaw.solver.search import ROUNDS, SMALL, Found, Round, Searcher
from tricklaw.solver.verdicts import PartResult, Result, Verdict, overall
from tricklaw.solver.witness import witness

QUICK = (Round(1, 24, 3, 150_000), Round(2, 8, 2, 250_000))
"""The first exploration: it refutes what is easily refuted and sieves the candidates."""

PREMISES = (Round(1, 24, 4, 120_000), Round(2, 6, 2, 300_000))
"""Where the premises of what is proved are looked for."""

LOOK_AGAIN = (Round(1, 24, 4, 100_000), Round(2, 6, 2, 200_000, thin=True))
"""The rounds under other readings than the recommended ones."""

ROAM_AGAIN = (Roam(3, seed=10), Roam(2, seed=11))
"""The roaming under them."""

SECOND_LOOKS = 2
"""How often what is undecided under some readings is explored under others of them."""


@dataclass
class Settings:
    """What a check is asked to do."""

    properties: Sequence[str] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)
    native_cache: Path | None = None
    rounds: Sequence[Round] = ROUNDS
    roams: Sequence[Roam] = ROAMS
    left_out: Sequence[str] = ()
    """The layers and clauses that the law is taken without; for the scope."""

    def wanted(self) -> list[Property]:
        """The properties asked for; all where none is named."""
        return [PROPERTIES[p] for p in self.properties] if self.properties else list(PROPERTIES.values())


@dataclass
class _Table:
    """A system with the parts of the properties asked for, named `property/right`."""

    system: System
    parts: dict[str, Part]
    formulas: dict[str, Bool]
    """The claims over states, as formulas that should be invariant."""
    _first: dict[str, str] = field(default_factory=dict)

    @classmethod
    def build(cls, system: System, wanted: Sequence[Property]) -> _Table:
        parts = {f"{p.id}/{q.right}": q for p in wanted for q in p.parts(system)}
        formulas = {n: implies(q.state.premise, q.state.claim) for n, q in parts.items() if q.state is not None}
        return cls(system, parts, formulas)

    def never(self) -> dict[str, Bool]:
        """For each distinct premise, the formula that it never holds, named after the first part that has it."""
        found: dict[str, Bool] = {}
        for name, part in self.parts.items():
            if part.state is not None and self.premise_of(name) == name:
                found[f"never {name}"] = negate(part.state.premise)
        return found

    def premise_of(self, name: str) -> str:
        """The first part that has the same premise as the named one."""
        if not self._first:
            seen: dict[int, str] = {}
            for other, part in self.parts.items():
                if part.state is not None:
                    self._first[other] = seen.setdefault(part.state.premise.get_id(), other)
        return self._first.get(name, name)


@dataclass
class _Proofs:
    """What has been proved on the full pack."""

    holds: dict[str, set[Assignment]] = field(default_factory=dict)
    vacuous: set[str] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)
    obligations: int = 0


class GameCheck:
    """The check of one game of a code (already restricted to its layers)."""

    def __init__(self, code: Code, game: str, engine: Engine, settings: Settings) -> None:
        self.code, self.game, self.engine, self.settings = code, game, engine, settings
        wanted = settings.wanted()
        self.small = _Table.build(System(code, game, SMALL), wanted)
        self.full = _Table.build(System(code, game, FULL), wanted)
        rd.check_fixed(self.full.system, settings.fixed)
        self.everything = rd.assignments(self.full.system, settings.fixed)
        self.found, self.proofs = Found(), _Proofs()
        self.refuted: dict[str, set[Assignment]] = {}
        self.plays: dict[str, Play] = {}
        self._tried: set[Assignment] = {self.everything[0]}

    # the order of work ---------------------------------------------------------------------------------------------

    def run(self) -> list[Result]:
        """Decide everything and put the verdicts together."""
        started = time.monotonic()
        self._explore_quickly()
        self.engine.say(f"{len(self.found.plays)} parts refuted quickly, {len(self.guesses)} candidates")
        kept = self._invariants()
        open_ = [n for n in self.small.parts if n not in kept and n not in self.found.plays]
        open_ = [n for n in open_ if not self.small.parts[n].over_acts or n not in self._acts_hold(kept)]
        self.searcher.compiled.mentions  # noqa: B018 - so that the other thread has no need of Z3
        with ThreadPoolExecutor(1) as beside:
            exploring = beside.submit(self._explore, open_, [n for n in self.small.parts if n not in open_])
            try:
                self._prove(kept)
                exploring.result()
            finally:
                self.searcher.stopped = True
        self.searcher.stopped = False
        self._replay()
        self._prove_rest(self.refuted)
        self._second_look()
        return self._results(time.monotonic() - started)

    def _explore_quickly(self) -> None:
        system = self.small.system
        never = self.small.never()
        self.guesses = candidates(system) | never
        compiled = Compiled(system, self.small.parts, self.settings.native_cache, self.guesses)
        self.engine.say("compiling")
        self.searcher = Searcher(compiled, self.engine.tell)
        self._first = rd.named(system, self.everything[0])
        self.searcher.search(self.found, self.small.parts, self._first, QUICK)
        Roamer(self.searcher, self.found, (), self._first, Roam(2, thin=False, legs=12)).run()
        dead = self.searcher.sieve(self.found)
        self.guesses = {n: f for n, f in self.guesses.items() if n not in dead}

    def _invariants(self) -> set[str]:
        claims = {n: f for n, f in self.small.formulas.items() if n not in self.found.plays}
        fixed = rd.fixed_constraint(self.small.system, self.settings.fixed)
        self.induction = Induction(self.small.system, self.guesses | claims, fixed)
        self.induction.houdini(self.engine)
        return set(self.induction.alive)

    def _acts_hold(self, kept: set[str]) -> set[str]:
        """The claims over acts that the invariants imply on the small deck."""
        if not hasattr(self, "_acts"):
            chosen = {n: f for n, f in self.induction.formulas.items() if n in kept}
            base = [*self.induction.assumptions, *chosen.values()]
            acts = [n for n, p in self.small.parts.items() if p.over_acts and n not in self.found.plays]
            self._acts = {n for n in acts if self._act_claim(self.small, n, base, (SolverName.BITWUZLA,)) == ""}
        return self._acts

    def _act_claim(self, table: _Table, name: str, base: list[Bool], solvers: Sequence[SolverName]) -> str:
        """Empty where every act satisfies the claim by all the solvers, else why that is not shown."""
        claim_of = table.parts[name].act
        assert claim_of is not None
        futures = []
        for step in table.system.steps:
            claim = claim_of(step)
            if claim is not None:
                text = smt2([*base, claim.violated])
                futures += [self.engine.submit(f"{name}: {step.kind.name}", text, solver) for solver in solvers]
        for future in futures:
            answer = future.result()
            self.proofs.obligations += 1
            if answer.status is not Status.UNSAT:
                return f"{answer.solver}: {answer.reason or 'not implied by the invariants'}"
        return ""

    def _explore(self, names: Sequence[str], likely: Sequence[str]) -> None:
        """Look for plays that violate what is not inductive, and for the premises of what is."""
        self.searcher.search(self.found, names, self._first, self.settings.rounds)
        self._roam(self.found, names, self._first, self.settings.roams)
        for name in likely:
            claim = self.small.parts[name].state
            if claim is not None and claim.premise.eq(TRUE):
                self.found.met.add(name)
        self.searcher.search(self.found, (), self._first, PREMISES, likely)

    def _roam(self, found: Found, names: Sequence[str], readings: Mapping[str, str], roams: Sequence[Roam]) -> None:
        """Roam for each part by itself, until it is found."""
        for name in names:
            for roam in roams:
                if name not in found.plays:
                    Roamer(self.searcher, found, [name], readings, roam).run()

    def _replay(self) -> None:
        """Replay every play on the full pack under every assignment of readings."""
        self.replayer = Player(Compiled(self.full.system, self.full.parts, self.settings.native_cache))
        for name, play in self.found.plays.items():
            self._replay_one(name, play)

    def _replay_one(self, name: str, play: Play) -> None:
        system = self.full.system
        bad = {a for a in self.everything if self.replayer.violates(play, name, rd.named(system, a))}
        if bad:
            self.refuted.setdefault(name, set()).update(bad)
            self.plays.setdefault(name, play)

    # proofs --------------------------------------------------------------------------------------------------------

    def _prove(self, kept: set[str]) -> None:
        """The invariants under all readings."""
        fixed = rd.fixed_constraint(self.full.system, self.settings.fixed)
        formulas = {n: f for n, f in self._full_formulas().items() if n in kept}
        self.base, proved = self._proof(formulas, self.induction.redundant(self.engine), fixed)
        for name in self.full.parts:
            if name in proved:
                self.proofs.holds[name] = set(self.everything)
            if f"never {self.full.premise_of(name)}" in proved:
                self.proofs.vacuous.add(name)
        self._prove_acts(set(self.everything), [n for n in self.full.parts if n not in self.found.plays], self.base)

    def _proof(
        self, formulas: dict[str, Bool], redundant: set[str], constraint: Bool, given: Sequence[Bool] = ()
    ) -> tuple[Induction, set[str]]:
        """The proof of what is thought to be inductive, and what it proves; the redundant ones follow from the others."""
        core = {n: f for n, f in formulas.items() if n not in redundant}
        rest = {n: f for n, f in formulas.items() if n in redundant}
        proof = Induction(self.full.system, core, constraint, given)
        self.proofs.obligations += len(proof.prove(self.engine))
        answers, failed = proof.imply(self.engine, rest)
        self.proofs.obligations += len(answers)
        self.proofs.reasons |= proof.unsettled
        if failed and redundant:  # on the full pack they do not: all together then
            return self._proof(formulas, set(), constraint, given)
        return proof, {*proof.alive, *rest}

    def _prove_rest(self, names: Iterable[str]) -> None:
        """Prove refuted parts under the readings that no play refutes."""
        groups: dict[frozenset[Assignment], list[str]] = {}
        for name in names:
            rest = frozenset(self.everything) - self.refuted[name]
            if rest:
                groups.setdefault(rest, []).append(name)
        for rest, together in groups.items():
            self._prove_under(set(rest), together)

    def _full_formulas(self) -> dict[str, Bool]:
        if not hasattr(self, "_formulas"):
            self._formulas = candidates(self.full.system) | self.full.never() | self.full.formulas
        return self._formulas

    def _prove_acts(self, under: set[Assignment], names: Sequence[str], base: Induction) -> None:
        for name in names:
            if self.full.parts[name].over_acts and name not in self.proofs.holds:
                why = self._act_claim(
                    self.full, name, [*base.assumptions, *base.invariants], (SolverName.BITWUZLA, SolverName.Z3)
                )
                if not why:
                    self.proofs.holds[name] = under
                else:
                    self.proofs.reasons[name] = why

    def _prove_under(self, rest: set[Assignment], names: list[str]) -> None:
        """Prove parts under the readings left: with the invariants known, then with some that may hold only there."""
        kept = set(self.induction.alive)
        claims = {n: self.small.formulas[n] for n in names if n in self.small.formulas}
        for guesses in ({}, {n: f for n, f in self.guesses.items() if n not in kept}):
            claims = {n: f for n, f in claims.items() if rest - self.proofs.holds.get(n, set())}
            acts = [n for n in names if self.full.parts[n].over_acts and rest - self.proofs.holds.get(n, set())]
            if claims or acts:
                self._prove_with(guesses, claims, acts, rest)

    def _prove_with(
        self, guesses: dict[str, Bool], claims: dict[str, Bool], acts: list[str], rest: set[Assignment]
    ) -> None:
        narrowed = rd.constraint(self.small.system, rest, self.everything)
        trial = Induction(self.small.system, guesses | claims, narrowed, self.induction.invariants)
        trial.houdini(self.engine)
        if not acts and not claims.keys() & set(trial.alive):
            return
        formulas = {n: f for n, f in self._full_formulas().items() if n in trial.alive}
        narrowed = rd.constraint(self.full.system, rest, self.everything)
        proof, proved = self._proof(formulas, trial.redundant(self.engine), narrowed, self.base.invariants)
        for name in claims.keys() & proved:
            self.proofs.holds[name] = rest
        self._prove_acts(rest, acts, proof)

    def _undecided(self, name: str) -> set[Assignment]:
        return set(self.everything) - self.refuted.get(name, set()) - self.proofs.holds.get(name, set())

    def _untried(self, left: Iterable[set[Assignment]]) -> list[Assignment]:
        """For each set of assignments the first that no exploration was made under."""
        firsts = [next((a for a in self.everything if a in some and a not in self._tried), None) for some in left]
        return list(dict.fromkeys(a for a in firsts if a is not None))

    def _second_look(self) -> None:
        """For what is still undecided under some readings: explore under those, and try to prove the rest again."""
        for _ in range(SECOND_LOOKS):
            open_ = {n: left for n in self.full.parts if (left := self._undecided(n)) and n not in self.proofs.vacuous}
            if not open_:
                return
            before = {n: len(self.refuted.get(n, ())) for n in open_}
            self.engine.say(f"undecided under some readings: {sorted(open_)}")
            for assignment in self._untried(open_.values()):
                self._tried.add(assignment)
                names = [n for n, left in open_.items() if assignment in left]
                found = Found()
                reading = rd.named(self.small.system, assignment)
                self.searcher.search(found, names, reading, LOOK_AGAIN)
                self._roam(found, names, reading, ROAM_AGAIN)
                for name, play in found.plays.items():
                    if name in names:
                        self._replay_one(name, play)
            changed = [n for n in open_ if len(self.refuted.get(n, ())) > before[n]]
            self._prove_rest(changed)
            if not changed:
                return

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
        proved = verdict in (Verdict.PROVED, Verdict.DEPENDS, Verdict.VACUOUS)
        return Result(
            code=self.code.id,
            game=self.game,
            property=prop.id,
            verdict=verdict,
            condition=" and ".join(f"({c})" if len(conditions) > 1 else c for c in conditions),
            scope=self._scope(verdict),
            method=_METHODS[verdict],
            clauses=tuple(dict.fromkeys(c for p in parts if p.verdict is verdict for c in p.clauses)),
            confirmed_by=("z3", "bitwuzla") if proved else (),
            seconds=round(seconds, 3),
            witness=shown.witness if shown else None,
            parts=parts,
            reason=shown.reason if shown else next((p.reason for p in parts if p.verdict is verdict and p.reason), ""),
        )

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
        bad, good = self.refuted.get(name, set()), self.proofs.holds.get(name, set())
        clauses = self._clauses(name)
        play = self.plays.get(name)
        shown = None
        if play is not None:
            shown = witness(self.full.system, play, len(bad), len(everything))
            clauses = tuple(dict.fromkeys((*clauses, *shown.clauses)))
        if name in self.proofs.vacuous and not bad:
            return PartResult(part.right, Verdict.VACUOUS, reason=_NEVER, clauses=clauses)
        if good == everything:
            note = "" if name in self.found.met else _NOT_MET
            return PartResult(part.right, Verdict.PROVED, reason=note, clauses=clauses)
        if bad == everything and shown:
            return PartResult(part.right, Verdict.REFUTED, "", shown.witness, shown.ends, clauses)
        if bad | good == everything and shown:
            condition = rd.condition(self.full.system, good, self.everything)
            return PartResult(
                part.right, Verdict.DEPENDS, condition, shown.witness, f"it holds exactly when {condition}", clauses
            )
        why = self.proofs.reasons.get(name, "")
        reason = f"neither proved nor refuted under {len(everything - bad - good)} of {len(everything)} readings"
        return PartResult(
            part.right, Verdict.UNKNOWN, "", shown.witness if shown else None, f"{reason}; {why or _SEARCHED}", clauses
        )

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
_NEVER = "its premise can never hold"
_NOT_MET = "its premise was not met in any play explored"
_SEARCHED = "not inductive with the invariants found, and no play found in the deals explored"

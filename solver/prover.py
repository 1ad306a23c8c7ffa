"""Proof of the parts of a table on the full pack: under all readings, under single choices, under the readings left.

Invariants are found on the small deck (see `tricklaw.solver.induction`); everything that is told rests on obligations
of the full pack that both solvers answered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from tricklaw.model.system import System
from tricklaw.model.terms import Bool, implies
from tricklaw.solver import readings as rd
from tricklaw.solver.candidates import candidates
from tricklaw.solver.formulas import smt2
from tricklaw.solver.induction import BOTH, Engine, Induction
from tricklaw.solver.obligations import Answer, SolverName, Status
from tricklaw.solver.readings import Assignment, Undecided
from tricklaw.solver.table import Table

TOGETHER = 8
"""For how many sets of readings invariants are looked for at once, at most."""


@dataclass(frozen=True)
class Ground:
    """Invariants that hold under some readings: their names, and the formulas of the small deck and of the full pack."""

    names: frozenset[str]
    small: tuple[Bool, ...]
    full: tuple[Bool, ...]


class Prover:
    """What has been proved of a table, and under which assignments of readings."""

    def __init__(self, small: Table, full: Table, fixed: Mapping[str, str], engine: Engine) -> None:
        self.small, self.full, self.fixed, self.engine = small, full, fixed, engine
        self.everything = rd.assignments(full.system, fixed)
        self.holds: dict[str, set[Assignment]] = {}
        self.vacuous: set[str] = set()
        """Parts whose premise can never hold, under no reading."""
        self.reasons: dict[str, str] = {}
        """Why a part was not proved, where a solver gave up."""
        self.obligations = 0
        self._formulas: dict[str, Bool] = {}
        self._grounds: dict[frozenset[Assignment], Ground] = {}
        self._tried: set[tuple[str, frozenset[Assignment]]] = set()

    # under all readings --------------------------------------------------------------------------------------------

    def find_invariants(
        self, guesses: Mapping[str, Bool], false: Callable[[Iterable[Assignment]], Collection[str]]
    ) -> None:
        """Look for the invariants of the small deck among the guesses and the claims.

        Parameters:
            false: the names of those known by now to be false in some state reached under some of these readings.
        """
        self.guesses, self.false = guesses, false
        fixed = self._fixed(self.small)
        self.induction = Induction(self.small.system, self._small_formulas(), fixed)
        self.induction.drop(false(self.everything))
        self.induction.houdini(self.engine, once=True)

    def _alive(self, chosen: Iterable[Assignment]) -> dict[str, Bool]:
        """The guesses that no state met makes false under these readings."""
        gone = self.false(chosen)
        return {n: f for n, f in self.guesses.items() if n not in gone}

    def prove(self, names: Iterable[str]) -> None:
        """Prove the invariants on the full pack, and from them the claims over acts among the named parts."""
        base, proved = self._proof(self.induction, self._full_formulas(), self._fixed(self.full))
        ground = Ground(frozenset(self.induction.alive), tuple(self.induction.invariants), tuple(base.invariants))
        self._grounds[frozenset(self.everything)] = ground
        for name in self.full.parts:
            if name in proved:
                self.holds[name] = set(self.everything)
            if f"never {self.full.premise_of(name)}" in proved:
                self.vacuous.add(name)
        self._prove_acts(set(self.everything), names, base)

    def _small_formulas(self) -> dict[str, Bool]:
        return dict(self.guesses) | self.small.formulas

    def _full_formulas(self) -> dict[str, Bool]:
        if not self._formulas:
            self._formulas = candidates(self.full.system) | self.full.never() | self.full.formulas
        return self._formulas

    # under some readings -------------------------------------------------------------------------------------------

    def prove_by_choice(self, undecided: Undecided, guess: bool = False) -> None:
        """Prove parts under one choice at a time of a reading that they speak of, where nothing refutes them.

        Parameters:
            guess: try every choice, with the guesses that may hold only there.
        """
        cases: dict[frozenset[Assignment], list[str]] = {}
        for name, left in undecided.items():
            holds = self.holds.get(name, set())
            for key in self.full.system.readings if guess else self.full.readings_of(name):
                for chosen in rd.choices(self.full.system, key, self.everything):
                    if chosen & left and chosen <= left | holds:
                        cases.setdefault(chosen, []).append(name)
        for chosen, together in cases.items():
            if guess:
                self._prove_under(chosen, together)
            else:
                self._prove_with({}, together, chosen)

    def prove_where_left(self, undecided: Undecided) -> None:
        """Prove parts under all that is undecided of each: all at once where that is enough, else by the readings left."""
        self._prove_together(undecided)
        self._guess_together(self._still(undecided))
        for rest, together in rd.grouped(undecided).items():
            self._prove_under(rest, together)

    def _prove_together(self, undecided: Undecided) -> None:
        """Prove of parts over states that they hold where they are undecided, with the invariants known and one another."""
        cases = [(n, frozenset(left)) for n, left in undecided.items() if n in self.small.formulas]
        for name, left in self._proved_where(case for case in cases if case not in self._tried):
            self.holds.setdefault(name, set()).update(left)

    def _still(self, undecided: Undecided) -> Undecided:
        """What is left of them by now."""
        left = {name: some - self.holds.get(name, set()) for name, some in undecided.items()}
        return {name: some for name, some in left.items() if some}

    def _guess_together(self, undecided: Undecided) -> None:
        """Find what may hold only under the readings left of each part, for all of them at once, and prove them by that."""
        groups = {left: names for left, names in rd.grouped(undecided).items() if self._untried(left, names)}
        if not 1 < len(groups) <= TOGETHER:
            return
        ground, formulas = self._grounds[frozenset(self.everything)], self._small_formulas()
        said = {
            left: [*(n for n in self._alive(left) if n not in ground.names), *(n for n in names if n in formulas)]
            for left, names in groups.items()
        }
        proved = self._proved_where((name, left) for left, names in said.items() for name in names)
        for left, names in groups.items():
            self._tried |= {(name, left) for name in names}
            found = [name for name in said[left] if (name, left) in proved]
            small = tuple(formulas[name] for name in found)
            full = tuple(self._full_formulas()[name] for name in found)
            known = Ground(ground.names | set(found), (*ground.small, *small), (*ground.full, *full))
            self._grounds[left] = known
            for name in set(names) & set(found):
                self.holds.setdefault(name, set()).update(left)
            narrowed = rd.constraint(self.full.system, left, self.everything)
            self._prove_acts(left, names, Induction(self.full.system, {}, narrowed, known.full))

    def _untried(self, left: frozenset[Assignment], names: Iterable[str]) -> bool:
        return any((name, left) not in self._tried for name in names)

    def _proved_where(
        self, said: Iterable[tuple[str, frozenset[Assignment]]]
    ) -> set[tuple[str, frozenset[Assignment]]]:
        """Of formulas, each said to hold under some readings, those proved by the invariants known and one another."""
        labels = {f"{at}: {name}": (name, left) for at, (name, left) in enumerate(said)}
        if not labels:
            return set()

        def narrowed(system: System, formulas: Mapping[str, Bool]) -> dict[str, Bool]:
            under = {
                left: rd.constraint(system, left, self.everything) for left in {left for _, left in labels.values()}
            }
            return {label: implies(under[left], formulas[name]) for label, (name, left) in labels.items()}

        ground = self._grounds[frozenset(self.everything)]
        here = narrowed(self.small.system, self._small_formulas())
        trial = Induction(self.small.system, here, self._fixed(self.small), ground.small)
        there = narrowed(self.full.system, self._full_formulas())
        _, proved = self._proof(trial, there, self._fixed(self.full), ground.full)
        return {labels[label] for label in proved}

    def _fixed(self, table: Table) -> Bool:
        return rd.fixed_constraint(table.system, self.fixed)

    def _prove_under(self, chosen: frozenset[Assignment], names: Sequence[str]) -> None:
        """Prove parts under some readings: with the invariants known, then with some that may hold only there."""
        names = [n for n in names if (n, chosen) not in self._tried]
        if not names:
            return
        self._tried |= {(n, chosen) for n in names}
        known = self._ground(chosen).names
        for guesses in ({}, {n: f for n, f in self._alive(chosen).items() if n not in known}):
            left = [n for n in names if chosen - self.holds.get(n, set())]
            if left and (guesses or any(self.small.parts[n].over_acts for n in left)):
                self._prove_with(guesses, left, chosen)

    def _prove_with(self, guesses: dict[str, Bool], names: Sequence[str], chosen: frozenset[Assignment]) -> None:
        claims = {n: self.small.formulas[n] for n in names if n in self.small.formulas}
        acts = [n for n in names if n not in claims]
        narrowed = rd.constraint(self.small.system, chosen, self.everything)
        ground = self._ground(chosen)
        trial = Induction(self.small.system, guesses | claims, narrowed, ground.small)
        narrowed = rd.constraint(self.full.system, chosen, self.everything)
        proof, proved = self._proof(trial, self._full_formulas(), narrowed, ground.full, None if acts else claims)
        if not acts and not claims.keys() & set(trial.alive):
            return
        if guesses:
            small = tuple(trial.formulas[n] for n in proved)
            full = (*ground.full, *proof.invariants)
            self._grounds[chosen] = Ground(ground.names | proved, (*ground.small, *small), full)
        for name in claims.keys() & proved:
            self.holds.setdefault(name, set()).update(chosen)
        self._prove_acts(chosen, acts, proof)

    def _ground(self, chosen: frozenset[Assignment]) -> Ground:
        """What is known to hold under these readings: the most narrow of the grounds that cover them."""
        return self._grounds[min((some for some in self._grounds if chosen <= some), key=len)]

    # proofs --------------------------------------------------------------------------------------------------------

    def _proof(
        self,
        trial: Induction,
        there: Mapping[str, Bool],
        constraint: Bool,
        given: Sequence[Bool] = (),
        wanted: Collection[str] | None = None,
    ) -> tuple[Induction, set[str]]:
        """Prove on the full pack what is inductive on the small deck; the proof, and what it proves.

        What is left there when each kind of act was asked once is most often inductive: the full pack is tried with it,
        and the small deck gone on with only where that fails.

        Parameters:
            trial: on the small deck; afterwards it is inductive there, or all of it on the full pack.
            there: the formulas on the full pack.
            constraint, given: those of the proof on the full pack.
            wanted: those that matter, as for `Induction.houdini`.
        """

        def proof(hasty: bool = False) -> tuple[Induction, set[str]] | None:
            formulas = {n: there[n] for n in trial.alive}
            return self._full_proof(formulas, trial.redundant(self.engine), constraint, given, hasty)

        if not trial.begun:
            trial.houdini(self.engine, wanted=wanted, once=True)
        found = proof(hasty=True)
        if found is None:
            trial.houdini(self.engine, wanted=wanted)
            found = proof()
        assert found is not None
        return found

    def _full_proof(
        self, formulas: dict[str, Bool], redundant: set[str], constraint: Bool, given: Sequence[Bool], hasty: bool
    ) -> tuple[Induction, set[str]] | None:
        """The proof of what is thought to be inductive, and what it proves; the redundant ones follow from the others."""
        core = {n: f for n, f in formulas.items() if n not in redundant}
        rest = {n: f for n, f in formulas.items() if n in redundant}
        proof = Induction(self.full.system, core, constraint, given)
        answers = proof.prove(self.engine, hasty)
        if answers is None:
            return None
        implied, failed = proof.imply(self.engine, rest)
        self.obligations += len(answers) + len(implied)
        self.reasons |= proof.unsettled
        if failed and redundant:  # on the full pack they do not: all together then
            return self._full_proof(formulas, set(), constraint, given, hasty)
        return proof, {*proof.alive, *rest}

    def _prove_acts(self, chosen: Iterable[Assignment], names: Iterable[str], base: Induction) -> None:
        invariants, wanted = [*base.assumptions, *base.invariants], set(chosen)
        left = [n for n in names if self.full.parts[n].over_acts and wanted - self.holds.get(n, set())]
        for name, futures in {n: self._ask(self.full, n, invariants, BOTH) for n in left}.items():
            why = self._why_not(futures)
            if not why:
                self.holds.setdefault(name, set()).update(wanted)
            else:
                self.reasons[name] = why

    def prove_vacuous(self, names: Iterable[str]) -> None:
        """Put down those of the parts over acts, proved under all readings, whose premise can never hold."""
        base = self._grounds[frozenset(self.everything)].full
        fixed = self._fixed(self.full)
        invariants = [*Induction(self.full.system, {}, fixed).assumptions, *base]
        asked = {n: self._ask(self.full, n, invariants, BOTH, premise=True) for n in names}
        self.vacuous |= {n for n, futures in asked.items() if not self._why_not(futures)}

    def _ask(
        self, table: Table, name: str, base: list[Bool], solvers: Sequence[SolverName], premise: bool = False
    ) -> list[Future[Answer]]:
        """Ask the solvers whether every act satisfies the claim, or whether none meets its premise."""
        claim_of = table.parts[name].act
        assert claim_of is not None
        claims = [(step.kind.name, claim) for step in table.system.steps if (claim := claim_of(step)) is not None]
        texts = [(f"{name}: {kind}", smt2([*base, c.premise if premise else c.violated])) for kind, c in claims]
        return [self.engine.submit(what, text, solver) for what, text in texts for solver in solvers]

    def _why_not(self, futures: Iterable[Future[Answer]]) -> str:
        """Why not all the answers show it; empty where they do."""
        for future in futures:
            answer = future.result()
            self.obligations += 1
            if answer.status is not Status.UNSAT:
                return f"{answer.solver}: {answer.reason or 'not implied by the invariants'}"
        return ""

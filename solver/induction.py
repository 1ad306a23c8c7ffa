"""Unbounded proof by induction, with invariants that are found, not written.

A set of formulas over the state is *inductive* when each holds in every initial state and, for each kind of act, all of
them before the act imply each of them after it. Houdini (Flanagan and Leino, 2001) finds the greatest inductive subset
of a set of candidates: it drops what a model of some obligation makes false, until every obligation is unsatisfiable.
The search asks bitwuzla on a small deck, where it is cheap; what survives is then put to both solvers on the full pack.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any

import z3

from tricklaw.model.acts import ActKind
from tricklaw.model.names import variables
from tricklaw.model.system import System
from tricklaw.model.terms import TRUE, Bool, both, negate
from tricklaw.solver.cache import Cache
from tricklaw.solver.formulas import smt2
from tricklaw.solver.obligations import CORE, SIEVE, Answer, Obligation, SolverName, Status
from tricklaw.solver.workers import Pool

CHUNK = 40
"""How many formulas one obligation of the full pack is about, at most."""


BOTH = (SolverName.BITWUZLA, SolverName.Z3)
"""The solver that looks for proofs, and the one that confirms them."""


@dataclass
class Engine:
    """Where obligations are decided: workers, a cache, limits; and what has been spent."""

    pool: Pool
    cache: Cache | None = None
    timeout: float = 60.0
    memory: int = 1024 * 2**20
    seconds: float = 0.0
    asked: int = 0
    reused: int = 0
    gave_up: bool = False
    """Some obligation stayed unknown: asking again may find out more."""
    tell: Callable[[str], None] | None = None

    def submit(
        self, name: str, text: str, solver: SolverName, wants_model: bool = False, patience: float = 1
    ) -> Future[Answer]:
        """Hand out an obligation, or answer it from the cache; it has so many times the time limit."""
        obligation = Obligation(name, text, solver, wants_model, patience * self.timeout, self.memory)
        known = self.cache.lookup(obligation) if self.cache else None
        if known is not None:
            self.reused += 1
            done: Future[Answer] = Future()
            done.set_result(known)
            return done
        self.asked += 1
        future = self.pool.submit(obligation)
        future.add_done_callback(lambda f: self._keep(obligation, f))
        return future

    def _keep(self, obligation: Obligation, future: Future[Answer]) -> None:
        if future.cancelled() or future.exception():
            return
        answer = future.result()
        self.seconds += answer.seconds
        self.gave_up |= answer.status is Status.UNKNOWN
        if self.cache and answer.status is not Status.UNKNOWN:
            self.cache.store(obligation, answer)

    def say(self, text: str) -> None:
        """Tell whoever watches what is going on."""
        if self.tell:
            self.tell(text)


@dataclass
class Induction:
    """A system, the formulas put to induction, and a constraint on the rigid constants.

    `alive` are the formulas not dropped yet; after `houdini` or `prove` they are inductive.
    """

    system: System
    formulas: dict[str, Bool]
    constraint: Bool = TRUE
    given: Sequence[Bool] = ()
    """Invariants known already."""
    alive: list[str] = field(default_factory=list)
    unsettled: dict[str, str] = field(default_factory=dict)
    """Formulas dropped because an obligation stayed unknown, with the reason."""
    _version: int = 0
    """How often formulas have been dropped."""
    _clean: dict[str, int] = field(default_factory=dict)
    """For each kind of act the version by which it drops nothing; no kinds before the deal was asked."""

    def __post_init__(self) -> None:
        self.alive = self.alive or list(self.formulas)
        self._mentions = {name: variables(f) for name, f in self.formulas.items()}

    @property
    def begun(self) -> bool:
        """Whether each kind of act has been asked once."""
        return bool(self._clean)

    @property
    def assumptions(self) -> list[Bool]:
        """What holds of the rigid constants, and the invariants known already."""
        return [self.system.rigid_condition, self.constraint, *self.given]

    @property
    def invariants(self) -> list[Bool]:
        """The formulas alive."""
        return [self.formulas[name] for name in self.alive]

    def concerned(self, kind: ActKind) -> list[str]:
        """The formulas alive that mention a field which the act changes."""
        changes = self.system.step(kind).changes.keys()
        return [name for name in self.alive if self._mentions[name] & changes]

    def after(self, kind: ActKind, name: str) -> Bool:
        """The formula after an act of that kind."""
        return self.system.after(kind, self.formulas[name])

    def drop(self, names: Iterable[str]) -> bool:
        """Give formulas up; whether any of them was alive."""
        gone, before = set(names), len(self.alive)
        self.alive = [n for n in self.alive if n not in gone]
        self._version += len(self.alive) < before
        return len(self.alive) < before

    # Houdini -------------------------------------------------------------------------------------------------------

    def houdini(self, engine: Engine, wanted: Collection[str] | None = None, once: bool = False) -> None:
        """Drop formulas until the rest is inductive, asking bitwuzla for models; a second call goes on with the first.

        All kinds of act in turn, as many at once as there are workers: what one has dropped is not asked of the next.

        Parameters:
            wanted: those that matter: where none of them is alive any more, there is nothing left to look for.
            once: ask of each kind of act only once; what is left then is most often inductive, but not certainly.
        """
        if not self.begun:
            self._initially(engine)
            self._clean = {kind.name: -1 for kind in self.system.kinds}
        waiting = self._not_clean()
        running: dict[Future[Answer], tuple[ActKind, list[str], int]] = {}
        while waiting or running:
            if wanted is not None and not set(wanted) & set(self.alive):
                self.alive = []
                for future in running:
                    future.cancel()
                return
            while waiting and len(running) < engine.pool.jobs:
                self._ask_step(engine, waiting.popleft(), running)
            if running:
                self._collect(running)
                engine.say(f"{len(self.alive)} candidates left")
            if not waiting and not running and not once:
                waiting = self._not_clean()

    def _not_clean(self) -> deque[ActKind]:
        """The kinds of act that may drop some more."""
        kinds = (kind for kind in self.system.kinds if self._clean[kind.name] < self._version)
        return deque(kind for kind in kinds if self.concerned(kind))

    def _ask_step(
        self, engine: Engine, kind: ActKind, running: dict[Future[Answer], tuple[ActKind, list[str], int]]
    ) -> None:
        names = self.concerned(kind)
        if names:
            before = [*self.assumptions, self.system.step(kind).possible, *self.invariants]
            text = _flagged(SIEVE, before, {n: self.after(kind, n) for n in names}, "after!")
            future = engine.submit(f"step {kind.name}", text, SolverName.BITWUZLA, wants_model=True)
            running[future] = (kind, names, self._version)

    def _collect(self, running: dict[Future[Answer], tuple[ActKind, list[str], int]]) -> None:
        """Wait for an answer, and drop what it refutes."""
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            kind, names, asked_at = running.pop(future)
            if not self.drop(self._read(future.result(), names, "after!")):
                self._clean[kind.name] = asked_at

    def _initially(self, engine: Engine) -> None:
        while self.alive:
            names = list(self.alive)
            text = _flagged(
                SIEVE, [*self.assumptions, self.system.initial], {n: self.formulas[n] for n in names}, "after!"
            )
            dead = self._read(
                engine.submit("deal", text, SolverName.BITWUZLA, wants_model=True).result(), names, "after!"
            )
            if not dead:
                return
            self.drop(dead)

    def _read(self, answer: Answer, names: list[str], prefix: str) -> list[str]:
        """The formulas that the answer refutes; all of them where there is no answer."""
        if answer.status is Status.UNSAT:
            return []
        if answer.status is Status.UNKNOWN or answer.model is None:
            self.unsettled |= dict.fromkeys(names, answer.reason)
            return names
        return [n for i, n in enumerate(names) if not answer.model.get(f"{prefix}{i}", 1)]

    def redundant(self, engine: Engine) -> set[str]:
        """The formulas alive that follow from the others, those given last tried first."""
        if not self.alive:
            return set()
        text = _flagged(CORE, self.assumptions, {n: self.formulas[n] for n in self.alive}, "holds!")
        answer = engine.submit("redundant", text, SolverName.BITWUZLA, wants_model=True).result()
        return set(self._read(answer, self.alive, "holds!")) if answer.status is Status.SAT else set()

    # proof on the full pack ----------------------------------------------------------------------------------------

    def prove(self, engine: Engine, hasty: bool = False) -> list[Answer] | None:
        """Put every obligation to both solvers, dropping what fails, until all that is alive is proved by both.

        Parameters:
            hasty: give up as soon as the first of them refutes something.

        Returns:
            The answers on which the proof rests; None where it was given up, with nothing dropped.
        """
        while True:
            questions = self._questions()
            answers, dead = self._put(engine, questions, hasty)
            if not dead:
                return answers
            if hasty and len(answers) <= len(questions):
                return None
            self.drop(dead)

    def imply(self, engine: Engine, formulas: Mapping[str, Bool]) -> tuple[list[Answer], set[str]]:
        """Put to both solvers that the formulas follow from those alive; the answers, and those that are not shown to."""
        before = [*self.assumptions, *self.invariants]
        questions = [
            ("follows", _falsify(before, {n: formulas[n] for n in names}, "after!"), names)
            for names in _chunks(list(formulas))
        ]
        return self._put(engine, questions)

    def _put(
        self, engine: Engine, questions: list[tuple[str, str, list[str]]], hasty: bool = False
    ) -> tuple[list[Answer], set[str]]:
        """The answers of both solvers, and the formulas that one of them refutes; the second confirms what none does."""
        asked = [(solver, *question) for solver in BOTH for question in questions]
        futures = [engine.submit(name, text, solver, wants_model=True) for solver, name, text, _ in asked]
        answers, dead = [], set[str]()
        for i, (future, (solver, _, _, about)) in enumerate(zip(futures, asked, strict=True)):
            if dead and (hasty or solver is BOTH[-1]):
                future.cancel()
                continue
            answers.append(future.result())
            dead |= set(self._read(answers[-1], about, "after!"))
            engine.say(f"{solver.value}: {i % len(questions) + 1} of {len(questions)} obligations")
        return answers, dead

    def _questions(self) -> list[tuple[str, str, list[str]]]:
        found = []
        for names in _chunks(self.alive):
            before = [*self.assumptions, self.system.initial]
            found.append(("deal", _falsify(before, {n: self.formulas[n] for n in names}, "after!"), names))
        for kind in self.system.kinds:
            before = [*self.assumptions, self.system.step(kind).possible, *self.invariants]
            for names in _chunks(self.concerned(kind)):
                claims = {n: self.after(kind, n) for n in names}
                found.append((f"step {kind.name}", _falsify(before, claims, "after!"), names))
        return found


def _chunks(names: list[str]) -> list[list[str]]:
    return [names[i : i + CHUNK] for i in range(0, len(names), CHUNK)]


def _flagged(ask: str, before: list[Bool], claims: Mapping[str, Bool], prefix: str) -> str:
    """Text that asks something about the claims, each as a Boolean with the prefix and its number."""
    flags = [z3.Bool(f"{prefix}{i}") for i in range(len(claims))]
    tied: list[Any] = [flag == claim for flag, claim in zip(flags, claims.values(), strict=True)]
    return f"{ask}{prefix}\n{smt2([*before, *tied])}"


def _falsify(before: list[Bool], claims: Mapping[str, Bool], prefix: str) -> str:
    """Text that asks for a state in which some claim fails; the model tells which through named Booleans."""
    flags = [z3.Bool(f"{prefix}{i}") for i in range(len(claims))]
    tied: list[Any] = [flag == claim for flag, claim in zip(flags, claims.values(), strict=True)]
    return smt2([*before, *tied, negate(both(*flags))])

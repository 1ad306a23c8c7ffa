"""A whole run of `check`: codes and games, results remembered by content, expectations compared.

What is remembered is keyed by everything that a verdict depends on: the law as it stands, the question, the program's
own source and the versions of the solvers. A changed clause so gives another key; within the run, obligations that did
not change are answered from the cache of obligations.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import tricklaw
from tricklaw.model.errors import UnknownName, nearest
from tricklaw.model.law import Code, Layer
from tricklaw.solver.elsewhere import Tell, call_all
from tricklaw.solver.verdicts import Result, Verdict, from_json, to_json

if TYPE_CHECKING:
    from tricklaw.properties.base import Property

LAYERS = [layer.value for layer in Layer]


@dataclass(frozen=True)
class Question:
    """What a run of `check` is asked: about which games, which properties, what of the law is left out or fixed."""

    games: tuple[tuple[Code, str], ...]
    properties: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)
    without_layers: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    jobs: int = 2
    timeout: float = 60.0
    remember: bool = True
    asked: tuple[Property, ...] = ()
    beside: tuple[Code, str] | None = None
    """A second code and its game, played in step with each."""


def games_of(codes: Sequence[tuple[Code, str | None]]) -> tuple[tuple[Code, str], ...]:
    """Every game of each code, or the one named."""
    return tuple((code, game) for code, named in codes for game in ([named] if named else code.head.games))


def check_question(question: Question) -> None:
    """See that everything named exists.

    Raises:
        UnknownName: a property, reading, choice, layer or clause that does not; the message names the nearest.
    """
    for layer in question.without_layers:
        if layer not in LAYERS:
            raise UnknownName(f"unknown layer {layer!r}{nearest(layer, LAYERS)}")
    for clause in question.without:
        known = [c.id for code, _ in question.games for c in code.clauses]
        if clause not in known and not any(k.startswith(clause) for k in known):
            raise UnknownName(f"unknown clause {clause!r}{nearest(clause, known)}")
    for key, choice in question.fixed.items():
        readings = {k: r for code, _ in question.games for k, r in code.head.readings.items()}
        if key not in readings:
            raise UnknownName(f"unknown reading {key!r}{nearest(key, readings)}")
        if choice not in readings[key].choices:
            raise UnknownName(f"unknown choice {choice!r} of reading {key}{nearest(choice, readings[key].choices)}")
    if question.properties:
        from tricklaw.properties.base import find

        _ = [find(p) for p in question.properties]


def run(question: Question, tell: Tell | None = None) -> Iterator[Result]:
    """Decide the question; results come game by game, as soon as a game is decided and those before it."""
    return chain.from_iterable(run_all([question], tell))


def run_all(questions: Sequence[Question], tell: Tell | None = None) -> Iterator[list[Result]]:
    """Decide questions, each of one game or several; the results of each game, in order.

    Where several games are to be decided, as many at once as there are jobs, each in a process of its own.
    """
    from tricklaw.solver.cache import Cache

    tasks = [replace(q, games=(game,)) for q in map(_as_left, questions) for game in q.games]
    store = Cache() if any(task.remember for task in tasks) else None
    keys = [_key(task) if store and task.remember else "" for task in tasks]
    blobs = [store.get_blob(key) if store and key else None for key in keys]
    new = _decided([task for task, blob in zip(tasks, blobs, strict=True) if blob is None], tell)
    for key, blob in zip(keys, blobs, strict=True):
        if blob is not None:
            yield from_json(json.loads(blob))
            continue
        results, certain = next(new)
        if store and key and certain:
            store.put_blob(key, json.dumps(to_json(results)).encode())
        yield results


def _decided(tasks: Sequence[Question], tell: Tell | None) -> Iterator[tuple[list[Result], bool]]:
    """The results of each, and whether asking again could find out no more.

    Each has as many solvers as there are jobs, though so many do not always work at once: the longest of the games would
    have the others wait for it otherwise.
    """
    at_once = min(max((task.jobs for task in tasks), default=1), len(tasks))
    if at_once < 2:
        return (_decide(task, tell) for task in tasks)
    longest_first = sorted(range(len(tasks)), key=lambda at: -_weight(tasks[at]))
    return call_all(_decide, [(task,) for task in tasks], at_once, tell, longest_first)


def _weight(task: Question) -> int:
    """How long a task may take, compared with others: games of much law that can be read in many ways take longest."""
    ((law, _),) = task.games
    return len(law.clauses) * math.prod(len(reading.choices) for reading in law.head.readings.values())


def remembered(question: Question) -> Iterator[Result]:
    """The results that were decided before, without deciding any: none of a game that is not known."""
    from tricklaw.solver.cache import Cache

    store, question = Cache(), _as_left(question)
    for game in question.games:
        known = store.get_blob(_key(replace(question, games=(game,))))
        if known is not None:
            yield from from_json(json.loads(known))


def _as_left(question: Question) -> Question:
    """The question about the laws as they stand for their games, without what is left out of them."""

    def left(code: Code, game: str) -> tuple[Code, str]:
        return code.restrict(game, question.without_layers, _clauses(code, question.without)), game

    beside = left(*question.beside) if question.beside else None
    return replace(question, games=tuple(left(*one) for one in question.games), beside=beside)


def _clauses(code: Code, named: Sequence[str]) -> list[str]:
    """The clauses named, or whose sentence is named: `AW.VII.3.3` means AW.VII.3.3a and AW.VII.3.3b."""
    return [c.id for c in code.clauses if any(c.id == n or (c.id[:-1] == n and c.id[-1].islower()) for n in named)]


def _decide(task: Question, tell: Tell | None) -> tuple[list[Result], bool]:
    from tricklaw.solver.cache import Cache, default_directory
    from tricklaw.solver.check import GameCheck, Settings
    from tricklaw.solver.induction import Engine
    from tricklaw.solver.workers import Pool

    ((law, game),) = task.games
    store = Cache() if task.remember else None

    def say(text: str) -> None:
        if tell:
            tell(f"{law.id}:{game}: {text}")

    say("reading the law")
    with Pool(task.jobs) as pool:
        engine = Engine(pool, store, task.timeout, tell=say)
        fixed = {k: v for k, v in task.fixed.items() if k in law.head.readings}
        left_out = (*task.without_layers, *task.without)
        settings = Settings(
            task.properties,
            fixed,
            default_directory() / "native",
            left_out=left_out,
            asked=task.asked,
            beside=task.beside,
        )
        results = GameCheck(law, game, engine, settings).run()
    return results, not engine.gave_up or all(p.verdict is not Verdict.UNKNOWN for r in results for p in r.parts)


# keys ----------------------------------------------------------------------------------------------------------------


def _key(task: Question) -> str:
    """The key of what is remembered of a question about one game."""
    parts = {
        "source": source_digest(),
        "versions": {p: _version(p) for p in ("z3-solver", "bitwuzla", "llvmlite")},
        "laws": [_law(*task.games[0]), *([_law(*task.beside)] if task.beside else [])],
        "properties": [*task.properties, *(f"{p.id}: {p.formal}" for p in task.asked)],
        "fixed": dict(task.fixed),
        "timeout": task.timeout,
    }
    return "verdicts " + hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _law(law: Code, game: str) -> dict[str, object]:
    clauses = [c.model_dump(mode="json") for c in law.clauses]
    return {"head": law.head.model_dump(mode="json"), "clauses": clauses, "game": game}


@cache
def source_digest() -> str:
    """A digest of the program text that verdicts depend on."""
    root = Path(tricklaw.__file__).parent
    digest = hashlib.sha256()
    for folder in ("model", "properties", "solver"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


# expectations --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A verdict that is not the one that the code's keepers expect."""

    result: Result
    part: str
    expected: str
    found: Verdict

    @property
    def only_unknown(self) -> bool:
        """Nothing contradicts the expectation, it only stayed open."""
        return self.found is Verdict.UNKNOWN


def differences(code: Code, result: Result, variant: str = "", fixed: bool = False) -> list[Difference]:
    """Where the result differs from the expectation file, whole or by part.

    What is not named is expected `proved`; of a part, that it speaks of nothing is as good. A property's only part, and one
    without a name of its own, is named by the property.

    Parameters:
        variant: what is left out, as the expectation file names it.
        fixed: the verdict is on some readings only: where it is expected to depend on them, either verdict is as expected.
    """
    expected = dict(code.expect.get(result.game, {}))
    if variant:
        expected |= code.expect.get(f"{result.game} {variant}", {})
    found = []
    whole = expected.get(result.property, Verdict.PROVED.value)
    if not _as_expected(result.verdict, whole, fixed):
        found.append(Difference(result, "", whole, result.verdict))
    for part in result.parts:
        wanted = expected.get(f"{result.property}/{part.right}")
        by_whole = not part.right or len(result.parts) == 1
        if wanted is None and (by_whole or part.verdict in (Verdict.PROVED, Verdict.VACUOUS)):
            continue
        wanted = wanted or Verdict.PROVED.value
        if not _as_expected(part.verdict, wanted, fixed):
            found.append(Difference(result, part.right, wanted, part.verdict))
    return found


def _as_expected(verdict: Verdict, wanted: str, fixed: bool) -> bool:
    either = fixed and wanted == Verdict.DEPENDS.value and verdict in (Verdict.PROVED, Verdict.REFUTED)
    return either or verdict.value == wanted


def exit_code(found: Sequence[Difference]) -> int:
    """0: all as expected; 1: some verdict differs; 3: something expected stayed unknown."""
    if not found:
        return 0
    return 3 if all(d.only_unknown for d in found) else 1


def variant_of(question: Question) -> str:
    """How an expectation file names the law with something left out: `without context`."""
    left = [*question.without_layers, *question.without]
    return "without " + " ".join(sorted(left)) if left else ""

"""Obligations: SMT-LIB text in, answer out. This module decides one obligation, in the process that calls it.

Nothing here knows about cards. `tricklaw.solver.workers` decides many at once, `tricklaw.solver.cache` remembers them.

>>> even = Obligation("even", "(declare-const n (_ BitVec 8)) (assert (= (bvmul n #x02) #x07))")
>>> solve(even).status
<Status.UNSAT: 'unsat'>
"""

import enum
import functools
import math
import re
import signal
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

import bitwuzla
import z3

if sys.platform != "win32":
    import resource

SIEVE = "; sieve "
"""A text that begins so, with a prefix behind it, asks bitwuzla which Booleans of that prefix can be false at all: SAT with
a value for each (0: it can), UNSAT where none can."""

CORE = "; core "
"""A text that begins so, with a prefix behind it, asks bitwuzla which Booleans of that prefix (it and a number) follow from
the rest, the highest number tried first: SAT with a value for each (0: it follows from those with 1), UNSAT where none does."""

MEBIBYTE = 2**20
_LONGEST = 2**32 - 2  # milliseconds: the solvers read a 32-bit number, and its highest value means "no limit"
_QUOTED = r"""\|[^|]*\||"[^"]*\""""
_QUOTED_OR_COMMENT = re.compile(rf"(?P<quoted>{_QUOTED})|;[^\n]*")
_SYMBOL = r"""\|[^|]*\||[^\s()|;"]+"""
_QUOTED_OR_CONSTANT = re.compile(
    rf"{_QUOTED}|\(\s*declare-(?:const\s*(?P<const>{_SYMBOL})|fun\s*(?P<fun>{_SYMBOL})\s*\(\s*\))"
)


class SolverName(enum.Enum):
    """A solver that can be asked."""

    Z3 = "z3"
    BITWUZLA = "bitwuzla"


class Status(enum.Enum):
    """What a solver said about the conjunction of the assertions."""

    UNSAT = "unsat"
    SAT = "sat"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Obligation:
    """A question for one solver: can all assertions of `smt2` hold together?

    name:        what the answer is filed under.
    smt2:        SMT-LIB 2 text in QF_BV: declarations, definitions, assertions; no (check-sat).
    solver:      who is asked.
    wants_model: whether a SAT answer must carry the values of the declared constants.
    timeout:     seconds, parsing included.
    memory:      bytes that solving may add to what the process already uses.

    Raises ValueError if timeout or memory is not a positive number.
    """

    name: str
    smt2: str
    solver: SolverName = SolverName.Z3
    wants_model: bool = False
    timeout: float = 60.0
    memory: int = 2048 * MEBIBYTE

    def __post_init__(self) -> None:
        for field, value, unit in (("timeout", self.timeout, "seconds"), ("memory", self.memory, "bytes")):
            if not 0 < value < math.inf:
                raise ValueError(f"{field} of obligation {self.name!r} is {value!r}: write a positive number of {unit}")


@dataclass(frozen=True)
class Answer:
    """What became of an obligation.

    status:  UNKNOWN is never a guess in disguise: `reason` says why, and is empty otherwise.
    seconds: what the solver took, parsing included; of a cached answer, what it took at the time.
    solver:  name and version, for example "z3 5.4.1".
    model:   for SAT, if it was wanted: declared constant (without bars) -> value, Bool as 0 or 1, bit-vectors unsigned.
    cached:  whether the answer was read from the cache.
    """

    name: str
    status: Status
    reason: str
    seconds: float
    solver: str
    model: dict[str, int] | None = None
    cached: bool = False


def unknown(obligation: Obligation, reason: str, seconds: float = 0.0) -> Answer:
    """The answer that nothing was found out, and why."""
    return Answer(obligation.name, Status.UNKNOWN, reason, seconds, solver_label(obligation.solver))


def timed_out(obligation: Obligation) -> str:
    """The reason given when an obligation has used its time."""
    return f"timed out after {obligation.timeout:g} s"


OUT_OF_MEMORY = "out of memory"


@functools.cache
def solver_label(solver: SolverName) -> str:
    """Name and version of a solver as installed here: part of every answer and of every cache key."""
    match solver:
        case SolverName.Z3:
            return f"z3 {z3.get_version_string()}"
        case SolverName.BITWUZLA:
            return f"bitwuzla {bitwuzla.version()}"
        case _:
            assert_never(solver)


def solve(obligation: Obligation) -> Answer:
    """Decide one obligation in this process.

    Time and memory are kept by the solver itself, which may look at the clock late; a hard limit needs a worker.
    Safe in several threads at once, though bitwuzla stops the others while it works. Text that the solver cannot
    read, a lack of time or of memory give UNKNOWN.

    Raises KeyboardInterrupt if the user interrupts the solver.
    """
    start = time.monotonic()
    answer = _decide(obligation, start)
    return replace(answer, seconds=time.monotonic() - start)


def _decide(obligation: Obligation, start: float) -> Answer:
    try:
        match obligation.solver:
            case SolverName.Z3:
                return _ask_z3(obligation, start)
            case SolverName.BITWUZLA:
                return _ask_bitwuzla(obligation, start)
            case _:
                assert_never(obligation.solver)
    except MemoryError:
        return unknown(obligation, OUT_OF_MEMORY)


def _answer(obligation: Obligation, status: Status, model: dict[str, int] | None = None) -> Answer:
    return Answer(obligation.name, status, "", 0.0, solver_label(obligation.solver), model)


def _milliseconds_left(obligation: Obligation, start: float) -> int:
    """Milliseconds until the obligation has used its time, at least one."""
    left = obligation.timeout - (time.monotonic() - start)
    return max(1, min(_LONGEST, int(left * 1000)))


def _mebibytes(size: int) -> int:
    return max(1, min(2**31, size // MEBIBYTE))


def _unreadable(obligation: Obligation, message: str) -> Answer:
    return unknown(obligation, OUT_OF_MEMORY if "out of memory" in message else f"not readable as SMT-LIB: {message}")


# Z3

_PIPELINE = ("simplify", "propagate-values", "solve-eqs", "simplify", "bit-blast", "sat")
"""The tactics that decide an obligation: Z3's own choice for QF_BV spends long on some that these settle soon."""


def _ask_z3(obligation: Obligation, start: float) -> Answer:
    context = z3.Context()
    try:
        assertions = z3.parse_smt2_string(obligation.smt2, ctx=context)  # drops the names, so that none is tracked
    except z3.Z3Exception as error:
        return _unreadable(obligation, _message_of_z3(error))
    solver = z3.Then(*(z3.Tactic(name, context) for name in _PIPELINE)).solver()
    solver.set("timeout", _milliseconds_left(obligation, start))
    solver.set("max_memory", _mebibytes(z3.Z3_get_estimated_alloc_size() + obligation.memory))
    solver.set("ctrl_c", _listens_to_the_keyboard())
    solver.add(assertions)
    return _check_z3(obligation, solver)


def _listens_to_the_keyboard() -> bool:
    """Z3 replaces the handler of SIGINT while it works: only where Python's own is in force may it do so."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _check_z3(obligation: Obligation, solver: z3.Solver) -> Answer:
    try:
        result = solver.check()
    except z3.Z3Exception as error:
        return unknown(obligation, _reason_of_z3(obligation, _message_of_z3(error)))
    if result == z3.unsat:
        return _answer(obligation, Status.UNSAT)
    if result == z3.sat:
        return _answer(obligation, Status.SAT, _model_of_z3(obligation, solver) if obligation.wants_model else None)
    return unknown(obligation, _reason_of_z3(obligation, solver.reason_unknown()))


def _message_of_z3(error: z3.Z3Exception) -> str:
    said = error.value.decode(errors="replace") if isinstance(error.value, bytes) else str(error.value)
    return said.strip().removeprefix("(error ").removesuffix(")").strip('"')


def _reason_of_z3(obligation: Obligation, said: str) -> str:
    if "keyboard" in said:
        raise KeyboardInterrupt
    if "memory" in said or "memout" in said:
        return OUT_OF_MEMORY
    if said in ("timeout", "canceled"):
        return timed_out(obligation)
    return f"z3 gave up: {said}"


def _model_of_z3(obligation: Obligation, solver: z3.Solver) -> dict[str, int]:
    """Z3 leaves out the constants that do not matter: they are 0."""
    found = solver.model()
    values = {constant.name(): _value_of_z3(found[constant]) for constant in found.decls() if constant.arity() == 0}
    return {name: values.get(name, 0) for name in declared_constants(obligation.smt2)}


def _value_of_z3(value: z3.ExprRef) -> int:
    return int(value.as_long()) if z3.is_bv_value(value) else int(z3.is_true(value))


def declared_constants(smt2: str) -> list[str]:
    """Names of the declared constants, in the order of the text and without bars; functions with arguments left out."""
    text = _QUOTED_OR_COMMENT.sub(lambda match: match["quoted"] or " ", smt2)
    names = (match["const"] or match["fun"] for match in _QUOTED_OR_CONSTANT.finditer(text))
    return [name.strip("|") for name in names if name is not None]


# Bitwuzla


def _ask_bitwuzla(obligation: Obligation, start: float) -> Answer:
    terms = bitwuzla.TermManager()
    parser = bitwuzla.Parser(terms, _options_of_bitwuzla(obligation, start))
    try:
        parser.parse(f"{obligation.smt2}\n", True, False)  # parse only, and not a file; it refuses an empty text
    except bitwuzla.BitwuzlaException as error:
        return _unreadable(obligation, str(error))
    if obligation.smt2.startswith(SIEVE):
        return _sieve_with_bitwuzla(obligation, parser, terms, start)
    if obligation.smt2.startswith(CORE):
        return _core_with_bitwuzla(obligation, parser, terms, start)
    result = parser.bitwuzla().check_sat()
    if result == bitwuzla.Result.UNSAT:
        return _answer(obligation, Status.UNSAT)
    if result == bitwuzla.Result.SAT:
        return _answer(obligation, Status.SAT, _model_of_bitwuzla(parser) if obligation.wants_model else None)
    return _gave_up(obligation, start)


def _gave_up(obligation: Obligation, start: float) -> Answer:
    late = time.monotonic() - start > 0.9 * obligation.timeout  # bitwuzla stops for these two reasons, and gives none
    return unknown(obligation, timed_out(obligation) if late else OUT_OF_MEMORY)


def _sieve_with_bitwuzla(
    obligation: Obligation, parser: bitwuzla.Parser, terms: bitwuzla.TermManager, start: float
) -> Answer:
    """Which Booleans of the prefix can be false, one model after the other, in one solver."""
    prefix = obligation.smt2.partition("\n")[0].removeprefix(SIEVE)
    names = {t.symbol().strip("|"): t for t in parser.get_declared_funs()}
    alive = {name: term for name, term in names.items() if name.startswith(prefix)}
    values = dict.fromkeys(alive, 1)
    solver = parser.bitwuzla()
    while alive:
        wrong = [terms.mk_term(bitwuzla.Kind.NOT, [term]) for term in alive.values()]
        solver.push(1)
        solver.assert_formula(terms.mk_term(bitwuzla.Kind.OR, wrong) if len(wrong) > 1 else wrong[0])
        result = solver.check_sat()
        if result == bitwuzla.Result.UNSAT:
            break
        if result != bitwuzla.Result.SAT:
            return _gave_up(obligation, start)
        for name in [n for n, term in alive.items() if not _value_of_bitwuzla(solver.get_value(term))]:
            values[name] = 0
            del alive[name]
        solver.pop(1)
    if all(values.values()):
        return _answer(obligation, Status.UNSAT)
    return _answer(obligation, Status.SAT, values)


def _core_with_bitwuzla(
    obligation: Obligation, parser: bitwuzla.Parser, terms: bitwuzla.TermManager, start: float
) -> Answer:
    """Which Booleans of the prefix follow from the rest, one after the other, in one solver."""
    prefix = obligation.smt2.partition("\n")[0].removeprefix(CORE)
    names = {t.symbol().strip("|"): t for t in parser.get_declared_funs()}
    numbered = (name for name in names if name.startswith(prefix))
    kept = {name: names[name] for name in sorted(numbered, key=lambda name: int(name.removeprefix(prefix)))}
    values, solver = dict.fromkeys(kept, 1), parser.bitwuzla()
    for name in reversed(values):
        others = [term for other, term in kept.items() if other != name]
        result = solver.check_sat(*others, terms.mk_term(bitwuzla.Kind.NOT, [kept[name]]))
        if result == bitwuzla.Result.UNKNOWN:
            return _gave_up(obligation, start)
        if result == bitwuzla.Result.UNSAT:
            values[name] = 0
            del kept[name]
    if all(values.values()):
        return _answer(obligation, Status.UNSAT)
    return _answer(obligation, Status.SAT, values)


def _options_of_bitwuzla(obligation: Obligation, start: float) -> bitwuzla.Options:
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, obligation.wants_model)
    options.set(bitwuzla.Option.TIME_LIMIT_PER, _milliseconds_left(obligation, start))
    if not _address_space_is_limited():  # it looks often: that takes it nearly as long as solving
        options.set(bitwuzla.Option.MEMORY_LIMIT, _mebibytes(resident() + obligation.memory))  # it counts the process
    return options


def _address_space_is_limited() -> bool:
    """Whether this process is kept from reserving too much, as a worker is on Linux."""
    return sys.platform == "linux" and resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _model_of_bitwuzla(parser: bitwuzla.Parser) -> dict[str, int]:
    constants = (term for term in parser.get_declared_funs() if not term.sort().is_fun())
    return {term.symbol().strip("|"): _value_of_bitwuzla(parser.bitwuzla().get_value(term)) for term in constants}


def _value_of_bitwuzla(term: bitwuzla.Term) -> int:
    return int(term.value()) if term.sort().is_bool() else int(term.value(), 2)


def resident() -> int:
    """Bytes of memory that this process holds now; on systems that do not tell, the most it held, or 0."""
    if sys.platform == "linux":
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    if sys.platform != "win32":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0

"""Obligations, the workers that decide them, and the cache that remembers them."""

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tricklaw.solver import workers
from tricklaw.solver.cache import Cache, answer_key, default_directory
from tricklaw.solver.obligations import (
    CORE,
    MEBIBYTE,
    Answer,
    Obligation,
    SolverName,
    Status,
    declared_constants,
    solve,
    solver_label,
)
from tricklaw.solver.workers import Pool, WorkerStartError, solve_all

SOLVERS = list(SolverName)
SOURCES = Path(workers.__file__).parents[2]  # what holds the package
TRUE = "(assert true)"
FALSE = "(assert false)"

FORMULAS = {
    "empty": ("", Status.SAT),
    "false": (FALSE, Status.UNSAT),
    "a card is in one hand": (
        """(set-logic QF_BV)
        (declare-fun north () (_ BitVec 52)) (declare-fun south () (_ BitVec 52))
        (define-fun apart ((a (_ BitVec 52)) (b (_ BitVec 52))) Bool (= (bvand a b) (_ bv0 52)))
        (assert (! (apart north south) :named conserved))
        (assert (not (= (_ bv0 52) (bvand north south (_ bv1 52)))))""",
        Status.UNSAT,
    ),
    "one seat": (
        """(declare-const seat (_ BitVec 4)) (declare-const dummy Bool)
        (assert (and (distinct seat #x0) (= #x0 (bvand seat (bvsub seat #x1)))))
        (assert (=> dummy (= seat #b0100)))""",
        Status.SAT,
    ),
    "parity": ("(declare-const n (_ BitVec 8)) (assert (= (bvmul n #x02) #x07))", Status.UNSAT),
}


def product_of(number: int, width: int) -> str:
    """Two factors of `width` bits, neither of them one."""
    return f"""(set-logic QF_BV)
    (declare-fun a () (_ BitVec {width})) (declare-fun b () (_ BitVec {width}))
    (define-fun wide ((c (_ BitVec {width}))) (_ BitVec {2 * width}) ((_ zero_extend {width}) c))
    (assert (= (bvmul (wide a) (wide b)) (_ bv{number} {2 * width})))
    (assert (bvugt a (_ bv1 {width}))) (assert (bvugt b (_ bv1 {width})))"""


HARD = product_of(2**127 - 1, 64)  # a prime: no solver at hand shows that within the hour


def easy(count: int) -> list[Obligation]:
    """Obligations alternately satisfiable and not, named by number."""
    return [Obligation(str(number), FALSE if number % 2 else TRUE) for number in range(count)]


def all_right(answers: dict[str, Answer]) -> bool:
    """Whether the answers are those to `easy`."""
    return all(answer.status is (Status.UNSAT if int(name) % 2 else Status.SAT) for name, answer in answers.items())


def ended(process: int) -> bool:
    """Whether a process is gone, or is ours and can be waited for, at the latest after two seconds.

    One whose first thread alone has ended is told to be a zombie as well, but cannot be waited for yet.
    """
    for _ in range(40):
        try:
            gone = bool(os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT))
        except ChildProcessError:  # not ours
            state = Path(f"/proc/{process}/stat")
            gone = not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z"
        if gone:
            return True
        time.sleep(0.05)
    return False


# One obligation


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FORMULAS)
def test_solvers_agree(name: str, solver: SolverName) -> None:
    """Every solver gives the known answer, and says who it is."""
    smt2, status = FORMULAS[name]
    answer = solve(Obligation(name, smt2, solver))
    assert (answer.name, answer.status, answer.reason, answer.model) == (name, status, "", None)
    assert answer.solver == solver_label(solver)
    assert answer.solver.startswith(f"{solver.value} ")
    assert 0 < answer.seconds < 60


@pytest.mark.parametrize("solver", SOLVERS)
def test_models_hold(solver: SolverName) -> None:
    """A model gives every declared constant, as an unsigned number, and makes the assertions true."""
    smt2 = """(set-info :source |(declare-const not_this Bool)|) ; (declare-const nor_this Bool)
    (declare-fun a () (_ BitVec 64)) (declare-const |b ; c| (_ BitVec 64)) (declare-fun even () Bool)
    (declare-const odd ; a comment
      Bool) (declare-const idle Bool) (declare-fun idle_too ( ) (_ BitVec 3))
    (declare-fun no_constant (Bool) Bool)
    (assert (= (bvadd a |b ; c|) (_ bv5 64))) (assert (bvslt a (_ bv0 64))) (assert even) (assert (not odd))"""
    model = solve(Obligation("model", smt2, solver, wants_model=True)).model
    assert model is not None
    assert list(model) == ["a", "b ; c", "even", "odd", "idle", "idle_too"]
    assert (model["a"] + model["b ; c"]) % 2**64 == 5
    assert model["a"] >= 2**63
    assert (model["even"], model["odd"]) == (1, 0)
    assert model["idle"] in range(2)
    assert model["idle_too"] in range(8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_model_satisfies_the_other_solver(solver: SolverName) -> None:
    """What one solver finds, the other confirms."""
    smt2 = product_of(1009 * 997, 16)
    model = solve(Obligation("factors", smt2, solver, wants_model=True)).model
    assert model is not None
    assert {model["a"], model["b"]} == {1009, 997}
    fixed = "".join(f"(assert (= {name} (_ bv{value} 16)))" for name, value in model.items())
    other = SOLVERS[1 - SOLVERS.index(solver)]
    assert solve(Obligation("confirmed", smt2 + fixed, other)).status is Status.SAT


def test_functions_are_not_constants() -> None:
    """Only declarations without arguments are constants."""
    assert declared_constants("(declare-fun f (Bool) Bool)(declare-fun c()Bool)(declare-const|d|Bool)") == ["c", "d"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_time_runs_out(solver: SolverName) -> None:
    """An obligation that is too hard is unknown, for want of time."""
    answer = solve(Obligation("hard", HARD, solver, timeout=0.5))
    assert (answer.status, answer.reason) == (Status.UNKNOWN, "timed out after 0.5 s")
    assert 0.4 < answer.seconds < 5


@pytest.mark.parametrize("solver", SOLVERS)
def test_memory_runs_out(solver: SolverName) -> None:
    """An obligation that is too large is unknown, for want of memory."""
    answer = solve(Obligation("large", product_of(2**521 - 1, 280), solver, memory=MEBIBYTE))
    assert (answer.status, answer.reason) == (Status.UNKNOWN, "out of memory")


@pytest.mark.parametrize(
    ("solver", "reason"),
    [
        (SolverName.Z3, "not readable as SMT-LIB: line 2 column 8: unknown constant card"),
        (SolverName.BITWUZLA, "not readable as SMT-LIB: <string>:2:9: undefined symbol 'card'"),
    ],
)
def test_unreadable_text_is_unknown(solver: SolverName, reason: str) -> None:
    """The reason says where the text goes wrong."""
    answer = solve(Obligation("typo", "(set-logic QF_BV)\n(assert card)", solver))
    assert (answer.status, answer.reason) == (Status.UNKNOWN, reason)


def test_limits_are_positive() -> None:
    """A limit of nothing, of less, or of no number is refused."""
    with pytest.raises(ValueError, match=r"timeout of obligation 'o' is 0: write a positive number of seconds"):
        Obligation("o", TRUE, timeout=0)
    with pytest.raises(ValueError, match=r"timeout of obligation 'o' is nan"):
        Obligation("o", TRUE, timeout=float("nan"))
    with pytest.raises(ValueError, match=r"memory of obligation 'o' is -1: write a positive number of bytes"):
        Obligation("o", TRUE, memory=-1)


# Many


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """One worker, kept for the tests that do not hurt it for good."""
    with Pool(1) as kept:
        yield kept


def test_answers_come_by_name_in_order() -> None:
    """Two workers, any order of arrival: the answers stand in the order of the obligations."""
    seen: list[Answer] = []
    answers = solve_all(easy(30), jobs=2, progress=seen.append)
    assert list(answers) == [str(number) for number in range(30)]
    assert all_right(answers)
    assert sorted(map(id, seen)) == sorted(map(id, answers.values()))


def test_a_model_comes_back_from_a_worker(pool: Pool) -> None:
    """The model travels too."""
    wanted = Obligation("m", "(declare-const n (_ BitVec 8))(assert (= n #xff))", wants_model=True)
    assert pool.solve_all([wanted])["m"].model == {"n": 255}


def test_names_differ(pool: Pool) -> None:
    """Two obligations of one name would lose an answer."""
    with pytest.raises(ValueError, match=r"two obligations are named '0': answers are filed by name, so rename one"):
        pool.solve_all(easy(1) + easy(1))


def test_obligations_are_read_as_needed(pool: Pool) -> None:
    """A generator is only a little ahead of the answers."""
    written, ahead = [], []

    def write() -> Iterator[Obligation]:
        for obligation in easy(20):
            written.append(obligation.name)
            yield obligation

    pool.solve_all(write(), progress=lambda answer: ahead.append(len(written) - int(answer.name)))
    assert max(ahead) <= 4


def test_a_pool_keeps_its_workers(pool: Pool) -> None:
    """The second round is answered by the same processes."""
    pool.solve_all(easy(2))
    before = pool.processes()
    pool.solve_all(easy(2))
    assert pool.processes() == before
    assert len(before) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
@pytest.mark.parametrize(
    ("number", "reason"),
    [(signal.SIGKILL, "worker was killed (signal 9)"), (signal.SIGSEGV, "worker crashed (signal 11)")],
)
def test_a_lost_worker_costs_one_obligation(pool: Pool, number: signal.Signals, reason: str) -> None:
    """The obligation that it was busy with is unknown; all others are answered, by its successor."""
    todo = [*easy(1), Obligation("hard", HARD, timeout=20), *easy(6)[1:]]

    def progress(answer: Answer) -> None:
        if answer.name == "0":
            threading.Timer(0.3, os.kill, (pool.processes()[0], number)).start()

    answers = pool.solve_all(todo, progress=progress)
    hard = answers.pop("hard")
    assert (hard.status, hard.reason, hard.solver) == (Status.UNKNOWN, reason, solver_label(SolverName.Z3))
    assert len(answers) == 6
    assert all_right(answers)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_lost_between_two_obligations_costs_none(pool: Pool) -> None:
    """An idle worker is replaced before it is asked."""
    pool.solve_all(easy(1))
    (process,) = pool.processes()
    os.kill(process, signal.SIGKILL)
    assert ended(process)
    assert all_right(pool.solve_all(easy(2)))


@pytest.mark.parametrize("solver", SolverName)
def test_a_worker_that_ran_out_of_memory_is_replaced(solver: SolverName, pool: Pool) -> None:
    """Memory is seldom given back, so the next obligation gets a new process; bitwuzla takes the worker with it."""
    pool.solve_all(easy(1))
    before = pool.processes()
    large = Obligation("large", product_of(2**521 - 1, 280), solver, memory=MEBIBYTE)
    answers = pool.solve_all([large, *easy(2)])
    assert answers.pop("large").reason == "out of memory"
    assert all_right(answers)
    assert pool.processes() != before


def worker_whose_solver(does: str) -> str:
    """The start of a worker in which `solve` is replaced by a Python expression over `o`, the obligation."""
    replaced = f"import os, time, tricklaw.solver.workers as w; real = w.solve; w.solve = lambda o: {does}; w.main()"
    return f"import sys; sys.path[:] = sys.argv[1:]; {replaced}"


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("os._exit(3)", "worker ended (exit code 3)"),
        ("os.write(2, b'Fatal: no\\n') and os._exit(3)", "worker ended (exit code 3): Fatal: no"),
        ("1 // 0", "ZeroDivisionError: integer division or modulo by zero"),
        ("os.write(1, b'noise') and real(o)", ""),
    ],
)
def test_a_misbehaving_solver_is_reported(monkeypatch: pytest.MonkeyPatch, does: str, reason: str) -> None:
    """Whatever happens in a worker, its obligation says so; what a solver prints does no harm."""
    monkeypatch.setattr(workers, "_BOOT", worker_whose_solver(does))
    answer = solve_all([Obligation("o", TRUE)], jobs=1)["o"]
    assert answer.reason == reason
    assert answer.status is (Status.UNKNOWN if reason else Status.SAT)


def test_a_solver_that_ignores_the_clock_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hard limit is the timeout and the grace; the others are answered."""
    monkeypatch.setattr(workers, "_BOOT", worker_whose_solver("o.name != 'slow' and real(o) or time.sleep(60)"))
    with Pool(1, grace=0.2) as strict:
        answers = strict.solve_all([*easy(1), Obligation("slow", TRUE, timeout=0.2), *easy(3)[1:]])
    slow = answers.pop("slow")
    assert slow.status is Status.UNKNOWN
    assert slow.reason == "timed out after 0.2 s and did not stop: its worker was killed"
    assert len(answers) == 3
    assert all_right(answers)


def test_workers_that_cannot_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a thousand unknown answers."""
    monkeypatch.setattr(workers, "_BOOT", "import a_package_that_is_not_there")
    with pytest.raises(WorkerStartError, match=r"did not start \(exit code 1\): (.|\n)*No module named"):
        solve_all(easy(3), jobs=2)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(WorkerStartError, match=r"no worker can be started as '/nowhere/python'"):
        solve_all(easy(3), jobs=2)


def test_a_closed_pool_takes_no_more() -> None:
    """Closing is for good."""
    with Pool(1) as closed:
        pass
    with pytest.raises(RuntimeError, match="obligation 'late' came after the pool was closed: open a new Pool"):
        closed.submit(Obligation("late", TRUE))


def test_jobs_are_at_least_one() -> None:
    """No worker, no answer."""
    with pytest.raises(ValueError, match="jobs is 0: write at least 1, or None for all processors"):
        solve_all([], jobs=0)


def test_any_executor_will_do() -> None:
    """The same list through an executor of the standard library."""
    with ThreadPoolExecutor(2) as executor:
        answers = solve_all(easy(8), jobs=2, executor=executor)
    assert len(answers) == 8
    assert all_right(answers)


class Unlucky(Executor):
    """An executor that loses the obligation named "1" and breaks at the one named "3"."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Answer at once, or lose."""
        future: Future[Any] = Future()
        if args[0].name == "3":
            raise BrokenExecutor("gone")
        if args[0].name == "1":
            future.set_exception(ConnectionError("the machine is off"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_an_executor_may_lose_obligations() -> None:
    """They are unknown, the others answered."""
    answers = solve_all(easy(4), executor=Unlucky())
    assert answers.pop("1").reason == "the executor lost it: ConnectionError: the machine is off"
    assert answers.pop("3").reason == "the executor lost it: BrokenExecutor: gone"
    assert len(answers) == 2
    assert all_right(answers)


# A script of the user's, without `if __name__ == "__main__"`

SCRIPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # one started in the background would ignore it
sys.path.insert(0, sys.argv[4])
from tricklaw.solver.cache import Cache
from tricklaw.solver.obligations import Obligation
from tricklaw.solver.workers import Pool

todo = [Obligation("easy", "(assert true)"), Obligation("hard", sys.argv[2]), Obligation("hard too", sys.argv[2])]
with Pool(2) as pool:
    def interrupt(answer):
        print(*pool.processes(), flush=True)
        os.kill(os.getpid(), getattr(signal, sys.argv[3]))
    pool.solve_all(todo, cache=Cache(sys.argv[1]), progress=interrupt)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_an_interrupted_script_leaves_nothing_behind(tmp_path: Path, how: str) -> None:
    """Its workers end in the middle of their work, and the cache holds what had been answered."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script, tmp_path, HARD, how, SOURCES],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        timeout=50,  # less than the obligation's own limit
        check=False,
    )
    assert done.returncode == -getattr(signal, how), done.stderr
    processes = [int(number) for number in done.stdout.split()]
    assert processes
    assert all(ended(process) for process in processes)
    cache = Cache(tmp_path)
    assert cache.lookup(Obligation("easy", TRUE)) is not None
    assert cache.lookup(Obligation("hard", HARD)) is None


# The cache


class Deaf(Executor):
    """An executor that must not be asked."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Fail."""
        raise AssertionError(f"{args[0].name} was not in the cache")


def test_the_second_run_asks_nobody(tmp_path: Path, pool: Pool) -> None:
    """Answers and models are read from the disk, under the new names and limits."""
    smt2 = product_of(1009 * 997, 16)
    first = pool.solve_all([Obligation("f", smt2, wants_model=True), Obligation("u", FALSE)], cache=Cache(tmp_path))
    again = [Obligation("g", smt2, wants_model=True, timeout=1), Obligation("v", FALSE, wants_model=True)]
    second = solve_all(again, cache=Cache(tmp_path), executor=Deaf())
    assert not first["f"].cached
    assert second["g"] == Answer(
        "g", Status.SAT, "", first["f"].seconds, first["f"].solver, first["f"].model, cached=True
    )
    assert (second["v"].status, second["v"].cached) == (Status.UNSAT, True)


def test_solvers_do_not_share_answers(tmp_path: Path) -> None:
    """What Z3 said is not what bitwuzla said."""
    cache = Cache(tmp_path)
    cache.store(Obligation("o", TRUE), solve(Obligation("o", TRUE)))
    assert cache.lookup(Obligation("o", TRUE, SolverName.BITWUZLA)) is None
    assert cache.lookup(Obligation("o", f"{TRUE} ")) is None


def test_only_definite_answers_are_kept(tmp_path: Path) -> None:
    """An unknown answer, or one of another version, is asked for again."""
    cache = Cache(tmp_path)
    cache.store(Obligation("o", HARD), solve(Obligation("o", HARD, timeout=0.05)))
    cache.store(Obligation("o", TRUE), Answer("o", Status.SAT, "", 1.0, "z3 1.0"))
    assert cache.lookup(Obligation("o", HARD)) is None
    assert cache.lookup(Obligation("o", TRUE)) is None


def test_a_model_is_asked_for_once_more(tmp_path: Path) -> None:
    """A stored SAT without a model does not answer who wants one; one with a model answers both."""
    cache, bare, full = Cache(tmp_path), Obligation("o", TRUE), Obligation("o", TRUE, wants_model=True)
    cache.store(bare, solve(bare))
    assert cache.lookup(full) is None
    cache.store(full, solve(full))
    for obligation, model in ((full, {}), (bare, None)):
        answer = cache.lookup(obligation)
        assert answer is not None
        assert answer.model == model


def change(tmp_path: Path, statement: str) -> None:
    """Change the cache behind its back."""
    with sqlite3.connect(tmp_path / "cache.sqlite3") as database:
        assert database.execute(statement).rowcount == 1
    database.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entry SET value = CAST(replace(CAST(value AS TEXT), 'unsat', 'sat') AS BLOB)",
        "UPDATE entry SET value = x'00'",
        "UPDATE entry SET value = 'text'",
        "UPDATE entry SET digest = 7",
    ],
)
def test_a_damaged_entry_is_not_believed(tmp_path: Path, damage: str) -> None:
    """It is as if it were not there, and is written anew."""
    cache, obligation = Cache(tmp_path), Obligation("o", FALSE)
    cache.store(obligation, solve(obligation))
    assert cache.lookup(obligation) is not None
    change(tmp_path, damage)
    assert cache.lookup(obligation) is None
    answer = solve_all([obligation], cache=cache, executor=ThreadPoolExecutor(1))["o"]
    assert (answer.status, answer.cached) == (Status.UNSAT, False)
    assert cache.lookup(obligation) is not None


def test_an_entry_of_another_form_is_not_believed(tmp_path: Path) -> None:
    """Sound bytes, but no answer."""
    cache, obligation = Cache(tmp_path), Obligation("o", FALSE)
    for value in (b"", b"[]", b'{"status": "maybe", "seconds": 1, "model": null}', b"\xff"):
        cache.put_blob(answer_key(obligation), value)
        assert cache.lookup(obligation) is None


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be looked at" * 100, b""])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    """It is only a cache."""
    (tmp_path / "cache.sqlite3").write_bytes(content)
    cache = Cache(tmp_path)
    assert cache.get_blob("k") is None
    cache.put_blob("k", b"v")
    assert Cache(tmp_path).get_blob("k") == b"v"


def test_a_file_damaged_while_open_is_begun_anew(tmp_path: Path) -> None:
    """A page that went bad costs entries, not the run."""
    cache = Cache(tmp_path)
    for number in range(300):
        cache.put_blob(f"{number}", bytes(1000))
    cache.close()
    file = tmp_path / "cache.sqlite3"
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    assert all(cache.get_blob(f"{number}") is None for number in range(300))
    cache.put_blob("k", b"v")
    assert cache.get_blob("k") == b"v"


def test_a_cache_without_a_disk_warns_once(tmp_path: Path) -> None:
    """Everything is answered all the same."""
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file")
    with pytest.warns(RuntimeWarning, match=r"the cache in .*file is not used: ") as warned:
        answers = solve_all(easy(2), cache=cache, executor=ThreadPoolExecutor(1))
    assert len(warned) == 1
    assert all_right(answers)


def test_blobs_are_kept(tmp_path: Path) -> None:
    """Any bytes under any key, the last ones written; a pickled cache finds them too."""
    cache = Cache(tmp_path / "new" / "directory")
    assert cache.get_blob("code") is None
    cache.put_blob("code", b"\x00\x90")
    cache.put_blob("code", b"\x00\x91")
    assert cache.get_blob("code") == b"\x00\x91"
    assert pickle.loads(pickle.dumps(cache)).get_blob("code") == b"\x00\x91"


def test_the_older_half_goes_when_there_is_too_much(tmp_path: Path) -> None:
    """The limit is kept at the next start."""
    cache = Cache(tmp_path)
    for number in range(10):
        cache.put_blob(f"{number}", bytes(10_000))
    cache.close()
    cache = Cache(tmp_path, limit=50_000)
    assert [cache.get_blob(f"{number}") is not None for number in range(10)] == [False] * 5 + [True] * 5


def test_the_directory_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the environment; else it is the user's cache directory."""
    monkeypatch.setenv("TRICKLAW_CACHE", str(tmp_path))
    assert Cache().directory == tmp_path
    monkeypatch.delenv("TRICKLAW_CACHE")
    assert "tricklaw" in default_directory().parts


WRITER = """
import sys
from tricklaw.solver.cache import Cache
cache = Cache(sys.argv[1])
for number in range(100):
    cache.put_blob(f"{sys.argv[2]} {number}", bytes(100))
    cache.put_blob("everybody's", sys.argv[2].encode() * 1000)
    assert len(set(cache.get_blob("everybody's"))) == 1
"""


def test_processes_share_a_cache(tmp_path: Path) -> None:
    """Several that begin at once lose nothing and read nothing half written."""
    command = [sys.executable, "-W", "error", "-c", WRITER, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    writers = [subprocess.Popen([*command, name], env=environment) for name in "abcd"]
    assert [writer.wait(30) for writer in writers] == [0] * 4
    cache = Cache(tmp_path)
    assert all(cache.get_blob(f"{name} {number}") == bytes(100) for name in "abcd" for number in range(100))


def test_thousands_of_lookups_take_a_moment(tmp_path: Path) -> None:
    """A thousand answers known take far less than a second."""
    cache, todo = Cache(tmp_path), [Obligation(str(number), f"{TRUE};{number}") for number in range(1000)]
    sat = Answer("", Status.SAT, "", 1.0, solver_label(SolverName.Z3))
    for obligation in todo:
        cache.store(obligation, sat)
    start = time.monotonic()
    answers = solve_all(todo, cache=cache, executor=Deaf())
    assert time.monotonic() - start < 1  # 0.05 s on an idle machine
    assert len(answers) == 1000


CORES = """(declare-const f0 Bool)(declare-const f1 Bool)(declare-const f2 Bool)(declare-const f10 Bool)
(declare-const a Bool)(declare-const b Bool)(assert (= f0 a))(assert (= f1 b))(assert (= f2 (or a b)))"""


def test_bitwuzla_tells_which_booleans_follow_from_the_rest() -> None:
    """The highest number is tried first; a Boolean that nothing ties does not follow."""
    answer = solve(Obligation("core", f"{CORE}f\n{CORES}(assert (= f10 (and a b)))", SolverName.BITWUZLA, True))
    assert answer.status is Status.SAT
    assert answer.model is not None
    assert {n: answer.model[n] for n in ("f0", "f1", "f2", "f10")} == {"f0": 1, "f1": 1, "f2": 0, "f10": 0}
    free = solve(Obligation("core", f"{CORE}f\n{CORES}(assert (not (= f2 (or a b))))", SolverName.BITWUZLA, True))
    assert free.status is Status.SAT  # of assertions that contradict each other everything follows
    assert free.model is not None
    assert not any(free.model.values())

"""Many obligations at once, each in a worker process that may be killed without harm to the others."""

import contextlib
import math
import os
import pickle
import queue
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tricklaw.solver.cache import Cache
from tricklaw.solver.obligations import MEBIBYTE, OUT_OF_MEMORY, Answer, Obligation, resident, solve, timed_out, unknown
from tricklaw.solver.pipes import boot, far_end, receive, send, start

if sys.platform != "win32":
    import resource

GRACE = 5.0  # seconds
_STARTUP = 120.0  # seconds to import the solvers, on the slowest of disks
_RETIRES_AT = 512 * MEBIBYTE  # a worker that holds more after an answer is replaced, since memory is seldom given back
_SLACK = 256 * MEBIBYTE  # address space that threads and allocators reserve without using it
_NO_MEMORY = ("bad_alloc", "annot allocate memory")  # the last words of a solver that was refused some
_TICK = 0.1  # seconds between two looks at the clock
_AHEAD = 2  # obligations handed out per worker, so that none waits for the next one to be written
_BOOT = boot("tricklaw.solver.workers")

Progress = Callable[[Answer], None]


class WorkerStartError(RuntimeError):
    """No worker could be started; the message holds what it said last."""


def solve_all(
    obligations: Iterable[Obligation],
    *,
    jobs: int | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> dict[str, Answer]:
    """Decide every obligation; the answers by name, in the order of the obligations.

    obligations: read one by one, only a few ahead of the workers; their names must differ.
    jobs:        worker processes (default: the processors that this process may use). With an executor: how many
                 obligations it decides at once.
    cache:       asked first, and told each definite answer as it arrives.
    progress:    called in this thread with each answer as it arrives.
    executor:    any `concurrent.futures` executor, also of a cluster, in place of worker processes of our own. It
                 then depends on the executor whether limits are hard and what a lost process costs.

    An obligation whose worker is killed, crashes or does not keep its time is UNKNOWN; the others are not affected.

    Raises ValueError for a second obligation of the same name, WorkerStartError if workers cannot be started.
    """
    if executor is None:
        with Pool(jobs) as pool:
            return pool.solve_all(obligations, cache=cache, progress=progress)
    ask = executor
    return _Round(lambda obligation: ask.submit(solve, obligation), _processors(jobs), cache, progress).run(obligations)


def _processors(jobs: int | None) -> int:
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs is {jobs!r}: write at least 1, or None for all processors")
    if jobs is not None:
        return jobs
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class Pool:
    """Worker processes that stay over several rounds; a context manager.

    jobs:  how many (default: the processors that this process may use). Each starts with its first obligation.
    grace: seconds that an obligation may overrun its timeout before its worker is killed.

    >>> with Pool(2) as pool:
    ...     answers = pool.solve_all([Obligation("true", "(assert true)"), Obligation("false", "(assert false)")])
    >>> [answer.status.value for answer in answers.values()]
    ['sat', 'unsat']
    """

    def __init__(self, jobs: int | None = None, *, grace: float = GRACE) -> None:
        self.jobs = _processors(jobs)
        self.grace = grace
        self._tasks: queue.SimpleQueue[tuple[Obligation, Future[Answer]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._closed = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self.jobs)]
        self._threads.append(threading.Thread(target=self._watch, daemon=True))
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def solve_all(
        self, obligations: Iterable[Obligation], *, cache: Cache | None = None, progress: Progress | None = None
    ) -> dict[str, Answer]:
        """As the function `solve_all`. If it is interrupted, the workers are killed; the pool can still be used."""
        try:
            return _Round(self.submit, self.jobs, cache, progress).run(obligations)
        except BaseException:
            self._kill_workers()
            raise

    def submit(self, obligation: Obligation) -> Future[Answer]:
        """Hand out one obligation. Raises RuntimeError after `close`."""
        if self._closed.is_set():
            raise RuntimeError(f"obligation {obligation.name!r} came after the pool was closed: open a new Pool")
        future: Future[Answer] = Future()
        self._tasks.put((obligation, future))
        return future

    def processes(self) -> list[int]:
        """Process ids of the workers that run now."""
        with self._lock:
            return [worker.process.pid for worker in self._workers]

    def close(self) -> None:
        """Kill all workers; what they had not answered is UNKNOWN, what they had not begun is cancelled."""
        self._closed.set()
        with contextlib.suppress(queue.Empty):
            while (task := self._tasks.get_nowait()) is not None:
                task[1].cancel()
        self._kill_workers()
        for _ in range(self.jobs):
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _kill_workers(self) -> None:
        with self._lock:
            for worker in self._workers:
                worker.kill()

    def _watch(self) -> None:
        """Another thread's life: it kills the workers that do not keep their time."""
        while not self._closed.wait(_TICK):
            with self._lock:
                for worker in self._workers:
                    worker.kill_if_late()

    def _serve(self) -> None:
        """One thread's life: it keeps one worker, and replaces it when it is lost."""
        worker: _Worker | None = None
        while (task := self._tasks.get()) is not None:
            obligation, future = task
            if future.set_running_or_notify_cancel():
                worker = self._attend(worker, obligation, future)
        self._dismiss(worker)

    def _attend(self, worker: "_Worker | None", obligation: Obligation, future: Future[Answer]) -> "_Worker | None":
        try:
            if worker is None or not worker.is_alive():
                self._dismiss(worker)
                worker = self._hire()
            answer, stays = worker.decide(obligation, self.grace)
        except Exception as error:
            self._dismiss(worker)
            future.set_exception(error)
            return None
        if not stays:
            self._dismiss(worker)
        future.set_result(answer)
        return worker if stays else None

    def _hire(self) -> "_Worker":
        with self._lock:
            if self._closed.is_set():
                raise WorkerStartError("the pool was closed")
            worker = _Worker()
            self._workers.add(worker)
            return worker

    def _dismiss(self, worker: "_Worker | None") -> None:
        if worker is not None:
            with self._lock:
                self._workers.discard(worker)
            worker.end()


@dataclass
class _Round:
    """One list of obligations on its way through a pool or an executor: few are handed out ahead of the answers."""

    ask: Callable[[Obligation], Future[Answer]]
    jobs: int
    cache: Cache | None
    progress: Progress | None
    answers: dict[str, Answer | None] = field(default_factory=dict)
    asked: dict[Future[Answer], Obligation] = field(default_factory=dict)
    answered: "queue.SimpleQueue[Future[Answer]]" = field(default_factory=queue.SimpleQueue)

    def run(self, obligations: Iterable[Obligation]) -> dict[str, Answer]:
        try:
            for obligation in obligations:
                self._begin(obligation)
            while self.asked:
                self._collect()
        finally:
            for future in self.asked:
                future.cancel()
        return {name: answer for name, answer in self.answers.items() if answer is not None}

    def _begin(self, obligation: Obligation) -> None:
        if obligation.name in self.answers:
            raise ValueError(f"two obligations are named {obligation.name!r}: answers are filed by name, so rename one")
        self.answers[obligation.name] = None  # keeps the order
        known = self.cache.lookup(obligation) if self.cache is not None else None
        if known is not None:
            self._file(known)
        else:
            self._hand_out(obligation)

    def _hand_out(self, obligation: Obligation) -> None:
        while len(self.asked) >= _AHEAD * self.jobs or not self.answered.empty():
            self._collect()
        try:
            future = self.ask(obligation)
        except BrokenExecutor as error:
            self._file(_lost(obligation, error))
            return
        self.asked[future] = obligation
        future.add_done_callback(self.answered.put)

    def _collect(self) -> None:
        future = self.answered.get()
        obligation = self.asked.pop(future)
        answer = _outcome(future, obligation)
        if self.cache is not None:
            self.cache.store(obligation, answer)
        self._file(answer)

    def _file(self, answer: Answer) -> None:
        self.answers[answer.name] = answer
        if self.progress is not None:
            self.progress(answer)


def _outcome(future: Future[Answer], obligation: Obligation) -> Answer:
    try:
        return future.result()
    except WorkerStartError:
        raise
    except Exception as error:
        return _lost(obligation, error)


def _lost(obligation: Obligation, error: BaseException) -> Answer:
    return unknown(obligation, f"the executor lost it: {type(error).__name__}: {error}")


class _Worker:
    """The near end of a worker process, used by one thread; `kill` may come from any."""

    def __init__(self) -> None:
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `end`
        try:
            self.process = start(_BOOT, self._complaints)
        except OSError as error:
            raise WorkerStartError(f"no worker can be started as {sys.executable!r}: {error}") from error
        self._ready = False
        self._overran = False
        self._due = math.inf  # on the monotonic clock
        self._lock = threading.Lock()

    def is_alive(self) -> bool:
        return not self._overran and self.process.poll() is None

    def decide(self, obligation: Obligation, grace: float) -> tuple[Answer, bool]:
        """The answer, and whether this worker can go on. Raises WorkerStartError if it failed before it could begin."""
        try:
            self._ready = self._ready or self._within(_STARTUP, self._hear)
            answer, stays = self._within(obligation.timeout + grace, lambda: self._ask(obligation))
        except (OSError, EOFError, pickle.UnpicklingError):
            self.kill()
            return unknown(obligation, self._why_lost(obligation)), False
        return answer, stays and not self._overran

    def kill(self) -> None:
        self.process.kill()

    def end(self) -> None:
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._complaints):
            with contextlib.suppress(OSError):  # what a dead worker never read
                if stream is not None:
                    stream.close()

    def _ask(self, obligation: Obligation) -> Any:
        assert self.process.stdin is not None
        send(self.process.stdin, obligation)
        return self._hear()

    def _hear(self) -> Any:
        assert self.process.stdout is not None
        return receive(self.process.stdout)

    def _within(self, seconds: float, action: Callable[[], Any]) -> Any:
        self._is_due_in(seconds)
        try:
            return action()
        finally:
            self._is_due_in(math.inf)

    def _is_due_in(self, seconds: float) -> None:
        with self._lock:
            self._due = time.monotonic() + seconds

    def kill_if_late(self) -> None:
        with self._lock:
            if time.monotonic() > self._due:
                self._overran = True
                self.kill()

    def _why_lost(self, obligation: Obligation) -> str:
        code = self.process.wait()
        if not self._ready and (self._overran or code >= 0):
            raise WorkerStartError(f"a worker did not start (exit code {code}): {self._last_words(20)}")
        if self._overran:
            return f"{timed_out(obligation)} and did not stop: its worker was killed"
        if code == -signal.SIGTERM or (sys.platform != "win32" and code == -signal.SIGKILL):
            return f"worker was killed (signal {-code})"
        how = f"worker crashed (signal {-code})" if code < 0 else f"worker ended (exit code {code})"
        last = self._last_words(1)
        if any(words in last for words in _NO_MEMORY):
            return OUT_OF_MEMORY
        return f"{how}: {last}" if last else how

    def _last_words(self, lines: int) -> str:
        self._complaints.seek(0)
        return "\n".join(self._complaints.read().decode(errors="replace").strip().splitlines()[-lines:])


# The far end


def main() -> None:
    """A worker's life: answer obligations from standard input until it closes."""
    answers = far_end()
    send(answers, True)  # ready
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            send(answers, _limited(receive(sys.stdin.buffer)))


def _limited(obligation: Obligation) -> tuple[Answer, bool]:
    _limit_address_space(2 * obligation.memory + _SLACK)
    try:
        answer = solve(obligation)
    except Exception as error:
        answer = unknown(obligation, f"{type(error).__name__}: {error}")
    _limit_address_space(None)
    return answer, answer.reason != OUT_OF_MEMORY and resident() < _RETIRES_AT


def _limit_address_space(more: int | None) -> None:
    """Let this process reserve so many bytes more than it has; None: as many as it likes. Only Linux tells."""
    if sys.platform == "linux":
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = hard if more is None else _reserved() + more
        resource.setrlimit(resource.RLIMIT_AS, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _reserved() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()

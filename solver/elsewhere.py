"""Calls in processes of their own, several at a time: what each comes to, in the order in which they were given."""

from __future__ import annotations

import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tricklaw.model.errors import TricklawError
from tricklaw.solver.pipes import boot, far_end, receive, send, start

_BOOT = boot("tricklaw.solver.elsewhere")

Tell = Callable[[str], None]


class LostCall(RuntimeError):
    """A call came to nothing: it failed as it should not, its process was killed or could not be started.

    The message holds what is known.
    """


def call_all(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    at_once: int,
    tell: Tell | None,
    first: Sequence[int],
) -> Iterator[Any]:
    """What a function comes to with each of some arguments.

    Parameters:
        function: of a module, so that the other process finds it; it is given `tell` after the arguments.
        calls: arguments that can be pickled.
        at_once: how many processes there are at most.
        tell: told what the calls tell, as they do.
        first: the numbers of the calls in the order in which they are to be begun.

    Raises:
        TricklawError: a call raised one.
        LostCall: a call raised anything else, or its process ended.
    """
    lines = _Lines(tell)
    with ThreadPoolExecutor(at_once) as threads:
        try:
            begun = {number: threads.submit(lines.call, function, calls[number]) for number in first}
            for number in range(len(calls)):
                yield begun[number].result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            lines.end()


class _Lines:
    """The lines to the processes at work."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell, self._lock = tell, threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """One call from begin to end, in a thread of its own."""
        try:
            process = start(_BOOT)
        except OSError as error:
            raise LostCall(f"no process can be started as {sys.executable!r}: {error}") from error
        with self._lock:
            self._processes.add(process)
            if self._ended:
                process.kill()
        try:
            return self._heard(process, function, arguments)
        except (EOFError, OSError) as error:
            raise LostCall(f"the process ended without an answer (exit code {process.wait()})") from error
        finally:
            with self._lock:
                self._processes.discard(process)
            process.kill()
            process.wait()

    def _heard(self, process: subprocess.Popen[bytes], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin as to, process.stdout as back:
            send(to, (function, arguments))
            while True:
                what, content = receive(back)
                if what == "told" and self._tell:
                    with self._lock:
                        self._tell(content)
                elif what == "raised":
                    raise content
                elif what == "lost":
                    raise LostCall(content)
                elif what == "done":
                    return content

    def end(self) -> None:
        """Kill what is still at work."""
        with self._lock:
            self._ended = True
            for process in self._processes:
                process.kill()


# the far end


def main() -> None:
    """The life of such a process: one call."""
    messages = far_end()
    function, arguments = receive(sys.stdin.buffer)
    try:
        done = function(*arguments, lambda text: send(messages, ("told", text)))
    except TricklawError as error:
        send(messages, ("raised", error))
    except Exception:
        send(messages, ("lost", traceback.format_exc()))
    else:
        send(messages, ("done", done))

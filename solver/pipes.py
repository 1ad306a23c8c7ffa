"""Python processes of our own at the other end of a pipe: how they are started, how messages go to and fro.

They are started as `python -c ...`, not through multiprocessing: a script that has work done by them needs no
`if __name__ == "__main__"`, and neither do pytest, a notebook or a console script.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

_LENGTH = struct.Struct(">Q")
_TERMINATES_ON_PARENT_DEATH = 1  # PR_SET_PDEATHSIG of prctl(2)


def boot(module: str) -> str:
    """The program text that runs the function `main` of a module, wherever the modules of this process are found."""
    return f"import sys; sys.path[:] = sys.argv[1:]; from {module} import main; main()"


def start(program: str, stderr: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
    """Start a process that runs the program text, with pipes to and from it.

    Raises:
        OSError: it cannot be started.
    """
    path = [str(Path.cwd() / entry) for entry in sys.path]
    command = [sys.executable, "-c", program, *path]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr)


def send(stream: IO[bytes], message: object) -> None:
    """Send a message: anything that can be pickled."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message.

    Raises:
        EOFError: the other end is gone.
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: IO[bytes], length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError(f"{len(content)} bytes came instead of {length}")
    return content


def far_end() -> IO[bytes]:
    """Called first at the far end: where its messages go. Whatever else is printed there goes to standard error.

    Ending the process is the business of the one that started it: an interrupt is not for it, and when that one dies, so
    does it; elsewhere than on Linux by finding its pipe closed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_TERMINATES_ON_PARENT_DEATH, signal.SIGKILL)
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return messages

"""A cache on disk: what a solver answered once need not be asked again.

One SQLite file a directory, shared safely by several processes. An entry's key is a digest of everything that the
entry depends on, so entries never grow stale; each carries its own digest, so a damaged one is not believed.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from tricklaw.solver.obligations import Answer, Obligation, Status, solver_label

FORMAT = 1  # raise it when the meaning of a stored entry changes
DIRECTORY_VARIABLE = "TRICKLAW_CACHE"
_FILE = "cache.sqlite3"
_LIMIT = 2**30
_WAIT = 10.0  # seconds for another process to finish writing
_SCHEMA = "CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)"

T = TypeVar("T")


def default_directory() -> Path:
    """The directory in $TRICKLAW_CACHE, else the user's cache directory for tricklaw."""
    return Path(os.environ.get(DIRECTORY_VARIABLE) or platformdirs.user_cache_dir("tricklaw"))


def answer_key(obligation: Obligation) -> str:
    """Digest of the text, the solver with its version, and the format of entries."""
    about = f"{FORMAT}\n{solver_label(obligation.solver)}\n".encode()
    return "answer:" + hashlib.sha256(about + obligation.smt2.encode()).hexdigest()


class Cache:
    """Answers and blobs under their digests, in `directory` (made when missing; default: `default_directory()`).

    limit: bytes; when the file is opened with more, the older half of the entries goes.

    A cache that cannot be read or written warns once and is empty from then on: no caller needs to care.
    May be used from several threads and processes, and pickled. A lookup takes some tens of microseconds.
    """

    def __init__(self, directory: Path | str | None = None, *, limit: int = _LIMIT) -> None:
        self.directory = default_directory() if directory is None else Path(directory)
        self.limit = limit
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0  # the one that opened the connection: SQLite's may not cross a fork
        self._failed = False

    def __reduce__(self) -> tuple[Callable[..., "Cache"], tuple[Any, ...]]:
        return _again, (self.directory, self.limit)

    def lookup(self, obligation: Obligation) -> Answer | None:
        """The stored answer to an obligation with this text and solver, whatever its name and limits; None if none."""
        value = self.get_blob(answer_key(obligation))
        answer = None if value is None else _read(value, obligation)
        return None if answer is None or _lacks_its_model(answer, obligation) else answer

    def store(self, obligation: Obligation, answer: Answer) -> None:
        """Keep an answer, if it is SAT or UNSAT and from the very solver version installed here."""
        if answer.status is Status.UNKNOWN or answer.cached or answer.solver != solver_label(obligation.solver):
            return
        kept = {"status": answer.status.value, "seconds": answer.seconds, "model": answer.model}
        self.put_blob(answer_key(obligation), json.dumps(kept).encode())

    def get_blob(self, key: str) -> bytes | None:
        """The bytes stored under a key; None if there are none, or if they are damaged."""
        row = self._run(lambda database: _select(database, key))
        return row[0] if row is not None and _is_sound(key, *row) else None

    def put_blob(self, key: str, value: bytes) -> None:
        """Store bytes under a key, all of them or none. The key must name everything that they depend on."""
        row = (key, value, _digest(key, value))
        self._run(lambda database: database.execute("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", row))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _run(self, action: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            try:
                return None if self._failed else action(self._opened())
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
                return None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            self._connection = self._open()
            self._process = os.getpid()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        self.directory.mkdir(parents=True, exist_ok=True)
        return _connect(self.directory / _FILE, self.limit)

    def _give_up(self, error: Exception) -> None:
        """A damaged file is removed and begun anew at the next use: it is only a cache."""
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        self.close()
        if damaged:
            _remove(self.directory / _FILE)
        else:
            self._failed = True
            warnings.warn(f"the cache in {self.directory} is not used: {error}", RuntimeWarning, stacklevel=4)


def _again(directory: Path, limit: int) -> Cache:
    return Cache(directory, limit=limit)


def _read(value: bytes, obligation: Obligation) -> Answer | None:
    try:
        kept = json.loads(value)
        status, seconds, model = Status(kept["status"]), float(kept["seconds"]), kept["model"]
    except (ValueError, KeyError, TypeError):
        return None
    shown = model if obligation.wants_model else None
    return Answer(obligation.name, status, "", seconds, solver_label(obligation.solver), shown, cached=True)


def _lacks_its_model(answer: Answer, obligation: Obligation) -> bool:
    return obligation.wants_model and answer.status is Status.SAT and answer.model is None


def _connect(file: Path, limit: int) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(_SCHEMA)
        _forget_the_oldest(database, limit)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _forget_the_oldest(database: sqlite3.Connection, limit: int) -> None:
    pages, free, size = (_pragma(database, name) for name in ("page_count", "freelist_count", "page_size"))
    if (pages - free) * size > limit:
        database.execute("DELETE FROM entry WHERE rowid <= (SELECT (min(rowid) + max(rowid)) / 2 FROM entry)")


def _pragma(database: sqlite3.Connection, name: str) -> int:
    return int(database.execute(f"PRAGMA {name}").fetchone()[0])


def _select(database: sqlite3.Connection, key: str) -> tuple[bytes, bytes] | None:
    found = database.execute("SELECT value, digest FROM entry WHERE key = ?", (key,)).fetchone()
    return None if found is None else (found[0], found[1])


def _is_sound(key: str, value: object, digest: object) -> bool:
    return isinstance(value, bytes) and digest == _digest(key, value)


def _digest(key: str, value: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + value).digest()


def _remove(file: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{file}{suffix}").unlink()

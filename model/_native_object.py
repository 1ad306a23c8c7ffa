"""LLVM text to machine code in this process, with the object code kept on disk."""

import hashlib
import tempfile
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

_HEADER = b"tricklaw object code 1\n"


class Engine:
    """Machine code loaded in this process; it lives as long as this object."""

    def __init__(self, code: bytes) -> None:
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a function, by its LLVM name."""
        return int(self._engine.get_function_address(name))


CAREFULLY, QUICKLY = 2, 0
"""How much trouble LLVM takes to make the code fast: quickly takes a tenth of the time, and the code a third more."""


def load(text: str, cache_dir: Path | None, care: int = CAREFULLY) -> Engine:
    """Compile LLVM text, or load what an earlier call compiled.

    The cache file is named by the SHA-256 of the text, the versions of llvmlite and LLVM, the processor's name and
    features. It begins with the SHA-256 of its content; a damaged file is compiled anew.

    Args:
        text: a module in LLVM's textual form.
        cache_dir: where to keep object code; ``None`` for nowhere.
        care: how much trouble to take.
    """
    if cache_dir is None:
        return Engine(compile_text(text, care))
    path = cache_dir / f"{_key(text, care)}.o"
    code = _read(path)
    if code is None:
        code = compile_text(text, care)
        _write(path, code)
    return Engine(code)


def compile_text(text: str, care: int = CAREFULLY) -> bytes:
    """Object code of a module in LLVM's textual form.

    LLVM's passes over the text are left out: on terms that Z3 shares already they make the code 2% smaller and no
    faster, and take twice the time of all the rest.
    """
    module = llvm.parse_assembly(text)
    module.verify()
    return bytes(_machine(care).emit_object(module))


def _machine(care: int = CAREFULLY) -> llvm.TargetMachine:
    """A new target machine for this processor; an engine owns the one that it is made with."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=_features(), opt=care, codemodel="jitdefault", jit=True
    )


def _features() -> str:
    return str(llvm.get_host_cpu_features().flatten())


def _key(text: str, care: int) -> str:
    about = (str(care), llvmlite.__version__, str(llvm.llvm_version_info), llvm.get_host_cpu_name(), _features(), text)
    return hashlib.sha256("\0".join(about).encode()).hexdigest()


def _read(path: Path) -> bytes | None:
    """The object code in a cache file, or ``None`` if there is none or it is damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    start = len(_HEADER) + 32
    code = content[start:]
    return code if content[:start] == _HEADER + hashlib.sha256(code).digest() else None


def _write(path: Path, code: bytes) -> None:
    """Write a cache file whole or not at all; a directory that cannot be written to costs nothing but time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(_HEADER + hashlib.sha256(code).digest() + code)
        Path(file.name).replace(path)
    except OSError:
        return

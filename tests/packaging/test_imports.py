"""Imports run one way, model <- properties <- solver <- reports <- src/tricklaw, and the front door is light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("model", "properties", "solver", "reports")
TOP = len(LAYERS)
HEAVY = ("z3", "bitwuzla", "numba", "llvmlite", "networkx", "numpy")


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import in the module, inside functions and `if TYPE_CHECKING` too.

    `from a import b` gives `a.b`, since b may be a module; a relative import begins with its dots.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def layer_of(name: str) -> int:
    """The place of a dotted name in the order; -1 for what any module may import.

    Anything else within tricklaw is of the top layer, except its dunder names such as `tricklaw.__version__`:
    whoever imports tricklaw.model has run tricklaw/__init__.py already.
    """
    head, _, rest = name.partition(".")
    part = rest.partition(".")[0]
    if head != "tricklaw" or not part or part.startswith("__"):
        return -1
    return LAYERS.index(part) if part in LAYERS else TOP


def modules(root: Path) -> Iterator[tuple[int, Path]]:
    """Every Python file of the project with its layer; tricklaw/__init__.py is below all of them."""
    for layer, folder in enumerate(LAYERS):
        yield from ((layer, path) for path in sorted((root / folder).rglob("*.py")))
    for path in sorted((root / "src" / "tricklaw").glob("*.py")):
        yield (-1 if path.name == "__init__.py" else TOP), path


def wrong_imports(root: Path) -> list[str]:
    """The imports that run the wrong way, or are relative, as `file:line: name`."""
    return [
        f"{path.relative_to(root).as_posix()}:{line}: {name}"
        for layer, path in modules(root)
        for line, name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if name.startswith(".") or layer_of(name) > layer
    ]


def test_imports_run_one_way() -> None:
    """No module of the project imports from a layer above its own, or relatively."""
    assert wrong_imports(ROOT) == []


def test_every_layer_is_looked_at() -> None:
    """The test above reads files in each of the layers, so it does not pass by finding none."""
    assert {layer for layer, _ in modules(ROOT)} == {-1, 0, 1, 2, 3, TOP}


@pytest.mark.parametrize(
    ("file", "statement", "found"),
    [
        ("model/a.py", "import tricklaw.solver", "tricklaw.solver"),
        ("model/a.py", "from tricklaw.properties.rights import owner", "tricklaw.properties.rights.owner"),
        ("model/deep/a.py", "def f():\n from tricklaw import reports", "tricklaw.reports"),
        ("properties/a.py", "from tricklaw.solver import proof as p", "tricklaw.solver.proof"),
        ("solver/a.py", "if TYPE_CHECKING: import tricklaw.reports.html", "tricklaw.reports.html"),
        ("reports/a.py", "from tricklaw.cli import app", "tricklaw.cli.app"),
        ("reports/a.py", "from . import html", "..html"),
        ("src/tricklaw/__init__.py", "from tricklaw.model import card", "tricklaw.model.card"),
    ],
)
def test_a_wrong_import_is_found(tmp_path: Path, file: str, statement: str, found: str) -> None:
    """An import that runs the wrong way is named with its file and line."""
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(statement, encoding="utf-8")
    line = statement.count("\n") + 1
    assert wrong_imports(tmp_path) == [f"{file}:{line}: {found}"]


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("model/a.py", "import z3, tricklaw\nfrom tricklaw import __version__\nfrom tricklaw.model import card"),
        ("properties/a.py", "from tricklaw import model"),
        ("reports/a.py", "import tricklaw.solver.proof, tricklaw.properties, tricklaw.model"),
        ("src/tricklaw/cli.py", "from tricklaw.reports import terminal\nimport tricklaw.pytest_plugin"),
    ],
)
def test_a_right_import_is_allowed(tmp_path: Path, file: str, statement: str) -> None:
    """An import from the same layer, from one below or from outside the project is no fault."""
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(statement, encoding="utf-8")
    assert wrong_imports(tmp_path) == []


@pytest.mark.parametrize("module", ["tricklaw", "tricklaw.cli", "tricklaw.pytest_plugin"])
def test_the_front_door_is_light(module: str) -> None:
    """Importing the package, the command line or the pytest plugin loads no solver, compiler or array library."""
    code = f"import sys, {module}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []

"""What the wheel installs. It is built from the checkout with hatchling, without the network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {
    ROOT / "src" / "tricklaw": "tricklaw",
    ROOT / "model": "tricklaw/model",
    ROOT / "properties": "tricklaw/properties",
    ROOT / "solver": "tricklaw/solver",
    ROOT / "reports": "tricklaw/reports",
}
SHIPPED = {".py", ".typed", ".yaml", ".j2"}


def build(target: str, source: Path, into: Path) -> Path:
    """Build the `target` (wheel or sdist) of the project at `source`, and return the file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = into.iterdir()
    return built


def contents(wheel: Path) -> set[str]:
    """The names of the files in the wheel."""
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def in_the_tree() -> set[str]:
    """The names under which the code, law files and templates of the checkout should be installed.

    `os.walk` does not follow the links in src/tricklaw.
    """
    return {
        (Path(name) / Path(folder, file).relative_to(source)).as_posix()
        for source, name in SOURCES.items()
        for folder, _, files in os.walk(source)
        for file in files
        if Path(file).suffix in SHIPPED
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def test_the_wheel_installs_nothing_but_tricklaw(wheel: Path) -> None:
    """At the top level there are tricklaw and its dist-info; a stray `solver` would clash with a user's own."""
    name, version, *_ = wheel.name.split("-")
    assert {file.split("/")[0] for file in contents(wheel)} == {"tricklaw", f"{name}-{version}.dist-info"}


def test_the_wheel_holds_every_module_law_file_and_template(wheel: Path) -> None:
    """What the checkout has under model, properties, solver, reports and src/tricklaw, the wheel installs, no less."""
    assert in_the_tree() - contents(wheel) == set()


def test_the_wheel_declares_the_command_and_the_plugin(wheel: Path) -> None:
    """The entry points name the console script and the pytest plugin."""
    (entry_points,) = (file for file in contents(wheel) if file.endswith(".dist-info/entry_points.txt"))
    with ZipFile(wheel) as archive:
        text = archive.read(entry_points).decode()
    assert "[console_scripts]\ntricklaw = tricklaw.cli:main\n" in text
    assert "[pytest11]\ntricklaw = tricklaw.pytest_plugin\n" in text


def test_the_unpacked_wheel_imports_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """Every folder is imported from the unpacked wheel, where there are no links."""
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "import tricklaw, tricklaw.model, tricklaw.properties, tricklaw.solver, tricklaw.reports as last\n"
        "print(tricklaw.__file__, last.__file__, sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    installed = tmp_path / "tricklaw"
    assert done.stdout.split() == [str(installed / "__init__.py"), str(installed / "reports" / "__init__.py")]


def test_the_wheel_built_from_the_sdist_is_the_same(wheel: Path, tmp_path: Path) -> None:
    """The way of pip from an index (sdist, then wheel) installs the same files as the checkout does."""
    (tmp_path / "sdist").mkdir()
    sdist = build("sdist", ROOT, tmp_path / "sdist")
    shutil.unpack_archive(sdist, tmp_path)
    (tmp_path / "wheel").mkdir()
    again = build("wheel", tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path / "wheel")
    assert contents(again) == contents(wheel)

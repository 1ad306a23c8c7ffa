"""The console script and the pytest plugin, as installed."""

import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import tricklaw

RUN = "import sys; from tricklaw.cli import main; sys.argv[0] = 'tricklaw'; main()"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tricklaw` with these arguments in a process of its own."""
    return subprocess.run([sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, check=False)


def test_the_version_is_stated_once() -> None:
    """`tricklaw --version`, the package and its metadata say the same version."""
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"tricklaw {tricklaw.__version__}\n")
    assert version("tricklaw") == tricklaw.__version__


def test_help_is_printed() -> None:
    """`tricklaw --help` succeeds and says what the command is for."""
    done = run("--help")
    assert done.returncode == 0, done.stderr
    assert "Usage: tricklaw" in done.stdout


def test_an_unknown_option_fails() -> None:
    """A mistyped option is an error of usage, with exit code 2, and is named."""
    done = run("--verison")
    assert done.returncode == 2
    assert "--verison" in done.stderr


def test_the_installed_script_is_main() -> None:
    """The console script that pip installs starts `tricklaw.cli.main`."""
    (script,) = entry_points(group="console_scripts", name="tricklaw")
    assert script.value == "tricklaw.cli:main"


def test_pytest_knows_the_marker(tmp_path: Path) -> None:
    """The installed plugin registers `law(code)`, so that strict markers accept it and refuse a misprint of it."""
    for marker, code in (("law", 0), ("lwa", 2)):
        test = tmp_path / f"test_{marker}.py"
        test.write_text(f"import pytest\n@pytest.mark.{marker}('whist')\ndef test_nothing(): pass\n", encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider", str(test)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout

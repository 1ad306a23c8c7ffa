"""The four links in src/tricklaw, which editable installs and type checkers follow."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("model", "properties", "solver", "reports")


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_link_resolves_to_its_folder(folder: str) -> None:
    """The link resolves to the folder of its name; a clone made without symbolic links has a text file there."""
    link = ROOT / "src" / "tricklaw" / folder
    assert link.is_symlink()
    assert link.resolve() == ROOT / folder
    assert (link / "__init__.py").is_file()


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_link_is_relative(folder: str) -> None:
    """The link is relative, so that a clone works wherever it lies."""
    assert (ROOT / "src" / "tricklaw" / folder).readlink() == Path("..", "..", folder)


def test_there_are_no_other_links() -> None:
    """Only the four folders are linked, so that whatever else is in src/tricklaw is a file of its own."""
    assert {path.name for path in (ROOT / "src" / "tricklaw").iterdir() if path.is_symlink()} == set(FOLDERS)

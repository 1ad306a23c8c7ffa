"""The pytest plugin of tricklaw, loaded by pytest wherever tricklaw is installed.

It registers one marker, so that `--strict-markers` accepts it and `-m law` selects by it:

    @pytest.mark.law("duplicate-whist")
    def test_the_right_to_call_has_one_owner() -> None: ...

`code` is the name of the law code that the test is about. The marker is a label; it runs nothing by itself.

Every pytest session on the machine pays for what is imported here: pytest only, never z3, numba or llvmlite.
"""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker `law(code)`."""
    config.addinivalue_line("markers", "law(code): the test is about this law code, such as duplicate-whist")

"""The set-up leaves nothing out."""

from __future__ import annotations

import tomllib
from pathlib import Path

TESTS = Path(__file__).parent


def test_every_test_is_under_a_test_path() -> None:
    """`testpaths` puts folders in order, so a new folder could be forgotten there."""
    with TESTS.with_name("pyproject.toml").open("rb") as file:
        paths = tomllib.load(file)["tool"]["pytest"]["ini_options"]["testpaths"]
    reached = {
        test
        for pattern in paths
        for path in TESTS.parent.glob(pattern)
        for test in ([path] if path.is_file() else path.rglob("test_*.py"))
    }

    assert set(TESTS.rglob("test_*.py")) == reached

"""A screen for the examples that open windows."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """An X display of our own: the tests' windows never show up on anybody's screen."""
    server = shutil.which("Xvfb")
    assert server, "Xvfb is missing: `make test` installs it (Debian's package xvfb)"
    read, write = os.pipe()
    arguments = ["-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    process = subprocess.Popen([server, *arguments], pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    yield f":{number}"
    process.terminate()
    process.wait(10)

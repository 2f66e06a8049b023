"""What README.md shows runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def test_the_python_of_the_readme_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One block after the other, in one program; the fire is gone then, sparks and coins live."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"matrix": np.eye(4)}
    for block in blocks:
        exec(block, names)
    particles, fire, ctx = names["particles"], names["fire"], names["ctx"]
    torches = names["torches"]
    particles.update(0.1)
    assert len(torches) == 100
    assert torches.live_count > 1000
    for each in (names["torch"], torches):
        each.release()

    assert len(blocks) == 5
    assert "live=" in capsys.readouterr().out
    assert fire.released
    assert particles.stats.live == 440
    assert ctx.error == "GL_NO_ERROR"
    particles.release()
    ctx.release()


def test_links_and_pictures_of_the_documents_exist() -> None:
    """Every relative link of README.md and docs/ leads to a file."""
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"

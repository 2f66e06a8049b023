"""The public names: sorted, all there, all documented."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import gpuparticles

NAMES = [name for name in gpuparticles.__all__ if name != "__version__"]


def test_names_are_sorted_and_unique() -> None:
    assert sorted(set(gpuparticles.__all__)) == gpuparticles.__all__


def test_lazy_names_are_the_public_names() -> None:
    """Both lists in `__init__` say the same, and so does what `dir` shows."""
    assert sorted(NAMES) == sorted(gpuparticles._HOME_OF)
    assert gpuparticles.__all__ == dir(gpuparticles)


@pytest.mark.parametrize("name", NAMES)
def test_name_resolves_to_what_its_home_exports_and_is_documented(name: str) -> None:
    home = import_module(gpuparticles._HOME_OF[name])
    value = getattr(gpuparticles, name)

    assert value is getattr(home, name)
    assert name in home.__all__
    # A dataclass without a docstring shows its signature instead.
    documentation = inspect.getdoc(value) or ""
    assert documentation
    assert not documentation.startswith(f"{name}(")


@pytest.mark.parametrize("name", NAMES)
def test_public_methods_are_documented(name: str) -> None:
    value = getattr(gpuparticles, name)
    members = vars(value).items() if inspect.isclass(value) else ()
    bare = [
        member
        for member, what in members
        if not member.startswith("_")
        and (inspect.isfunction(what) or isinstance(what, property | classmethod | staticmethod))
        and not inspect.getdoc(getattr(value, member))
    ]

    assert bare == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Emiter'"):
        gpuparticles.Emiter  # noqa: B018


def test_version_is_the_installed_one_and_in_the_changelog() -> None:
    changelog = Path(__file__).parents[1].joinpath("CHANGELOG.md").read_text(encoding="utf-8")

    assert version("gpuparticles") == gpuparticles.__version__
    assert gpuparticles.__version__ in re.findall(r"^## \[([^\]]+)\]", changelog, re.MULTILINE)

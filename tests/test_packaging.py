"""What is built holds what it must: all of glsl/ in the wheel, all of the project in the sdist."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built out of that sdist."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return out


@pytest.fixture(scope="module")
def wheel(dist: Path) -> zipfile.ZipFile:
    (path,) = dist.glob("*.whl")
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def sdist(dist: Path) -> dict[str, bytes]:
    """Files of the sdist without its top folder."""
    (path,) = dist.glob("*.tar.gz")
    files = {}
    with tarfile.open(path) as archive:
        for member in archive:
            data = archive.extractfile(member)
            if data is not None:  # a folder has none
                files[str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))] = data.read()
    return files


def files_under(folder: str) -> dict[str, bytes]:
    """The files of a folder of the checkout by their path from its root, built things left out."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in ROOT.joinpath(folder).rglob("*")
        if path.is_file() and not {"__pycache__", "_build", "diffs"} & set(path.parts)
    }


def test_wheel_holds_glsl_inside_the_package(wheel: zipfile.ZipFile) -> None:
    kernels = {f"gpuparticles/{name}": text for name, text in files_under("glsl").items()}
    packed = {
        name: wheel.read(name)
        for name in wheel.namelist()
        if name.startswith("gpuparticles/glsl/") and not name.endswith("/")
    }

    assert kernels
    assert kernels == packed


def test_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    packed = {
        name: wheel.read(name)
        for name in wheel.namelist()
        if not name.startswith("gpuparticles/glsl/") and ".dist-info/" not in name
    }

    assert "gpuparticles/py.typed" in packed
    assert files_under("gpuparticles") == packed


@pytest.mark.parametrize("folder", ["gpuparticles", "glsl", "tests", "examples", "docs", ".ci"])
def test_sdist_holds_the_whole_folder(folder: str, sdist: dict[str, bytes]) -> None:
    packed = {name: data for name, data in sdist.items() if name.startswith(f"{folder}/")}

    assert packed
    assert files_under(folder) == packed


def test_sdist_holds_what_builds_it_and_says_what_it_is(sdist: dict[str, bytes]) -> None:
    files = ["CHANGELOG.md", "LICENSE", "Makefile", "README.md", "pyproject.toml"]

    assert {name: (ROOT / name).read_bytes() for name in files} == {
        name: sdist[name] for name in files
    }

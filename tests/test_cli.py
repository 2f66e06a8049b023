"""The command line: exit codes, messages, and what it writes."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import gpuparticles as gp
from gpuparticles.cli import app
from gpuparticles.errors import ContextError

# Rendering happens in a process of its own, as for a user; only what needs no OpenGL runs here.


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpuparticles", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
    )


def invoke(*arguments: object) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command run in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def effect(tmp_path: Path) -> Path:
    """A file with an effect of 50 births a second that live for half a second."""
    path = tmp_path / "sparks.json"
    path.write_text(
        json.dumps(
            {
                "format": "gpuparticles/1",
                "name": "sparks",
                "duration": 2,
                "emitters": [
                    {
                        "name": "sparks",
                        "capacity": 100,
                        "rate": 50,
                        "lifetime": 0.5,
                        "speed": [1, 2],
                        "spread": 30,
                        "size": 0.3,
                    }
                ],
            }
        )
    )
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A file with two mistakes."""
    path = tmp_path / "broken.json"
    path.write_text(
        '{"format": "gpuparticles/1", "name": "b", "emitters": [{"name": "good"}, '
        '{"name": "bad", "rate": -1, '
        '"modifiers": [{"kind": "drga"}]}]}'
    )
    return path


def textured(tmp_path: Path, texture: str) -> Path:
    path = tmp_path / "textured.json"
    path.write_text(
        json.dumps(
            {
                "format": "gpuparticles/1",
                "name": "t",
                "emitters": [{"name": "a"}, {"name": "b", "sprite": {"texture": texture}}],
            }
        )
    )
    return path


# render


def test_render_writes_a_film_and_says_what_lived_and_how_fast(effect: Path) -> None:
    result = run(
        *("render", effect, "-o", "out.gif", "--duration", 1, "--fps", 30, "--size", "40x30"),
        cwd=effect.parent,
    )

    assert result.returncode == 0
    assert result.stderr == ""  # no progress bar without a terminal
    lines = result.stdout.splitlines()
    assert lines[0] == "out.gif: 30 frames of 40x30"
    assert lines[1] == "50 particles lived, at most 25 at once"
    assert re.fullmatch(r"[\d.]+ frames/s, [\d,]+ particles/s", lines[2])
    assert len(lines) == 3
    with Image.open(effect.parent / "out.gif") as image:
        assert image.size == (40, 30)
        duration = 0
        for k in range(image.n_frames):
            image.seek(k)
            duration += image.info["duration"]
        assert duration == 1000
        assert np.array(image.convert("RGB")).max() > 200


def test_render_answers_in_json_and_shows_a_moment_transparently(effect: Path) -> None:
    out = effect.parent / "a.png"

    result = run(
        *("render", effect, "-o", out, "--time", 1, "--background", "transparent"),
        *("--eye", "-1,0.5,4", "--target", "0,0.5,0", "--fov", 50, "--size", "32x32", "--json"),
    )

    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["path"] == str(out)
    assert answer["frames"] == 1
    assert answer["births"] == 50
    assert answer["peak_live"] == 25
    assert answer["dropped"] == 0
    assert answer["seconds"] > 0
    assert answer["frames_per_second"] == pytest.approx(1 / answer["seconds"], rel=0.1)
    with Image.open(out) as image:
        assert (image.mode, image.size) == ("RGBA", (32, 32))
        alpha = np.array(image)[..., 3]
    assert alpha[0, 0] == 0
    assert alpha.max() > 200


def test_render_writes_a_sequence_without_perspective(effect: Path) -> None:
    folder = effect.parent / "frames"

    result = run(
        *("render", effect, "-o", f"{folder}/", "--duration", 0.1, "--fps", 30, "--start", 1),
        *("--ortho", 4, "--target", "0,1,0", "--background", "#246", "--size", "16x16"),
    )

    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{folder}/frame_%04d.png: 3 frames of 16x16\n")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["frame_0000.png", "frame_0001.png", "frame_0002.png"]
    with Image.open(folder / names[0]) as image:
        pixels = np.array(image)
    assert pixels[0, 0].tolist() == [0x22, 0x44, 0x66]
    # Four units are sixteen pixels: the emitter, 1 below the middle, sits 4 pixels below it.
    assert pixels[10:13, 6:10].max() > 200
    assert (pixels[14:] == pixels[0, 0]).all()


def test_render_with_another_field_of_view_and_a_webp(effect: Path) -> None:
    out = effect.parent / "a.webp"

    result = run(
        *("render", effect, "-o", out, "--fov", 20, "--duration", 0.5, "--fps", 10),
        *("--start", 1, "--size", "24x24", "--seed", 3, "--background", "transparent"),
    )

    assert result.returncode == 0, result.stderr
    with Image.open(out) as image:
        assert image.n_frames == 5
        assert np.array(image.convert("RGBA"))[..., 3].max() > 100


@pytest.mark.parametrize(
    ("out", "options", "hint"),
    [
        ("a.png", ["--time", 0.25], ""),
        ("a.png", [], "nothing lives at 1 s; another --time "),
        ("a.gif", ["--time", 0], "nothing lives at 0 s; another --time "),
        (
            "a.gif",
            ["--start", 1, "--duration", 0.1],
            "nothing lives in any frame; another --start ",
        ),
    ],
)
def test_a_picture_of_nothing_is_hinted_at(
    tmp_path: Path, out: str, options: list[object], hint: str
) -> None:
    path = tmp_path / "once.json"
    emitter = gp.Emitter("e", rate=0, bursts=[gp.Burst(0.1, 5)], lifetime=0.5)
    gp.save(gp.Effect("once", [emitter], duration=2, loop=False), path)

    result = run("render", path, "-o", tmp_path / out, "--size", "8x8", *options)

    assert result.returncode == 0
    assert result.stderr.startswith(hint)
    assert len(result.stderr.splitlines()) == bool(hint)
    assert (tmp_path / out).exists()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143)],
    ids=["interrupt", "terminate"],
)
def test_a_signal_leaves_nothing_behind(effect: Path, number: signal.Signals, code: int) -> None:
    before = sorted(effect.parent.iterdir())
    render = [sys.executable, "-m", "gpuparticles", "render", effect, "-o", "a.gif"]
    process = subprocess.Popen(
        [*render, "--duration", "600"],
        cwd=effect.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(effect.parent.glob(".*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)

    assert process.returncode == code
    assert (stdout, stderr) == ("", "")
    assert sorted(effect.parent.iterdir()) == before


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_sees_progress_on_stderr(effect: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuparticles", "render", effect, "-o", "a.gif", "--size", "8x8"],
        cwd=effect.parent,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    stdout, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert stdout.startswith("a.gif: 60 frames of 8x8\n")
    assert b"rendering" in shown
    assert b"/60" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing option"),
        (["--output", "a.gif", "--time", "1", "--duration", "2"], "--time"),
        (["--output", "a.gif", "--time", "1", "--start", "2"], "--time"),
        (["--output", "a.gif", "--fov", "40", "--ortho", "2"], "--ortho"),
        (["--output", "a.gif", "--target", "0,0,0"], "--target"),
        (["--output", "a.gif", "--eye", "1,2,3", "--target", "1,2,3"], "--eye"),
        (["--output", "a.gif", "--eye", "1,2"], "'1,2' is not X,Y,Z"),
        (["--output", "a.gif", "--fps", "0"], "0 is not above 0"),
        (["--output", "a.gif", "--fps", "nan"], "'nan' is not a number"),
        (["--output", "a.gif", "--fps", "many"], "'many' is not a number"),
        (["--output", "a.gif", "--duration", "-1"], "-1 is not above 0"),
        (["--output", "a.gif", "--time", "-1"], "-1 is below 0"),
        (["--output", "a.gif", "--size", "0x10"], "'0x10' is not WIDTHxHEIGHT"),
        (["--output", "a.gif", "--size", "640"], "'640' is not WIDTHxHEIGHT"),
        (["--output", "a.gif", "--fov", "180"], "180 degrees is not between 1e-9"),
        (["--output", "a.gif", "--fov", "5e-324"], "5e-324 degrees is not between 1e-9"),
        (["--output", "a.gif", "--ortho", "0"], "0 is not above 0"),
        (["--output", "a.gif", "--ortho", "1e-40"], "1e-40 is not a height from 1e-29 to 1e30"),
        (["--output", "a.gif", "--ortho", "1e31"], "1e31 is not a height from 1e-29 to 1e30"),
        (["--output", "a.gif", "--eye", "1e40,0,0"], "every number must lie from -1e30 to 1e30"),
        (["--output", "a.gif", "--eye", "0,-1e300,0"], "0,-1e300,0: every number must lie"),
        (
            ["--output", "a.gif", "--eye", "0,0,1", "--target", "0,0,1e150"],
            "0,0,1e150: every number must lie",
        ),
        (["--output", "a.gif", "--background", "red"], "'red' is neither #rrggbb"),
        (["--output", "a.gif", "--background", "#12345"], "'#12345' is neither"),
        (["--output", "a.gif", "--wrong"], "No such option"),
        (["--output", "a.png", "--duration", "2"], "one picture: leave out --duration, or give"),
        (["--output", "a.png", "--duration", "2"], "a numbered name such as a_%04d.png"),
        (["--output", "a.png", "--start", "2"], "leave out --start"),
        (["--output", "%04d.png", "--time", "2"], "not a sequence"),
    ],
)
def test_a_command_line_that_makes_no_sense_exits_with_2(
    effect: Path, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(effect.parent)
    before = sorted(effect.parent.iterdir())

    code, stdout, stderr = invoke("render", effect, *arguments)

    assert code == 2
    assert stdout == ""
    assert words in " ".join(stderr.replace("│", " ").split())
    assert sorted(effect.parent.iterdir()) == before


def test_render_names_every_mistake_and_writes_nothing(broken: Path) -> None:
    before = sorted(broken.parent.iterdir())

    code, stdout, stderr = invoke("render", broken, "-o", broken.parent / "no/a.gif")

    assert code == 1
    assert stdout == ""
    lines = stderr.splitlines()
    assert len(lines) == 3
    assert "broken.json: emitters[1].rate: " in lines[0]
    assert 'emitters[1].modifiers[0].kind: unknown modifier "drga"' in lines[1]
    assert 'did you mean "drag"?' in lines[1]
    assert lines[2] == (
        f"{broken.parent}/no/a.gif cannot be written: the folder {broken.parent}/no does not exist"
    )
    assert sorted(broken.parent.iterdir()) == before


def test_render_of_a_missing_file(tmp_path: Path) -> None:
    code, _, stderr = invoke("render", tmp_path / "none.json", "-o", tmp_path / "a.gif")

    assert code == 1
    assert len(stderr.splitlines()) == 1
    assert "none.json" in stderr


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        ("a.mp4", 'its ending is ".mp4", but .png, .gif and .webp are known'),
        ("missing/a.gif", "does not exist"),
        ("folder.gif", "it is a folder"),
        ("", "the output cannot be written: its name is empty"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_sentence(
    effect: Path, out: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(effect.parent)
    (effect.parent / "folder.gif").mkdir()
    before = sorted(effect.parent.iterdir())

    code, stdout, stderr = invoke("render", effect, "-o", out)

    assert code == 1
    assert stdout == ""
    assert len(stderr.splitlines()) == 1
    assert sentence in stderr
    assert sorted(effect.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("out", "what"),
    [
        ("smoke_0003.png", "texture {0}/smoke_0003.png"),
        ("link.png", "texture {0}/smoke_0003.png"),
        ("smoke_%04d.png", "texture {0}/smoke_0003.png"),
        ("effect.gif", "file {0}/effect.gif"),
    ],
)
def test_an_output_that_would_replace_what_the_effect_is_made_of_is_one_sentence(
    tmp_path: Path, out: str, what: str
) -> None:
    Image.new("RGBA", (4, 4)).save(tmp_path / "smoke_0003.png")
    (tmp_path / "link.png").symlink_to("smoke_0003.png")
    path = textured(tmp_path, "smoke_0003.png").rename(tmp_path / "effect.gif")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}

    code, stdout, stderr = invoke("render", path, "-o", tmp_path / out)

    assert (code, stdout) == (1, "")
    assert stderr == (
        f"{tmp_path}/{out} cannot be written: it would replace the effect's "
        f"{what.format(tmp_path)}\n"
    )
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_gif_too_fast_for_browsers_is_one_sentence(effect: Path) -> None:
    result = run("render", effect, "-o", effect.parent / "a.gif", "--fps", 60)

    assert result.returncode == 1
    assert result.stderr == "fps: 60 frames a second, but a GIF plays 0.002 to 50 right\n"


def test_a_size_beyond_opengl_is_one_sentence(effect: Path) -> None:
    result = run("render", effect, "-o", effect.parent / "a.png", "--size", "1000000x2")

    assert result.returncode == 1
    assert result.stderr.startswith("size: 1000000x2 pixels, but this OpenGL draws at most ")
    assert len(result.stderr.splitlines()) == 1
    assert not (effect.parent / "a.png").exists()


def test_without_an_opengl_driver_render_says_so_and_info_says_the_rest(
    effect: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ContextError("no OpenGL 3.3 context could be created")

    monkeypatch.setattr("gpuparticles.record.framing.create_context", refuse)
    monkeypatch.setattr("gpuparticles.gpu.create_context", refuse)

    code, stdout, stderr = invoke("render", effect, "-o", effect.parent / "a.gif")
    assert (code, stdout, stderr) == (1, "", "no OpenGL 3.3 context could be created\n")
    assert not (effect.parent / "a.gif").exists()

    code, stdout, stderr = invoke("info", effect, "--json")
    assert (code, stderr) == (0, "no OpenGL 3.3 context could be created\n")
    assert json.loads(stdout)["gpu_bytes"] is None
    assert json.loads(stdout)["emitters"][0]["capacity"] == 100


# check


def test_check_of_good_files(effect: Path) -> None:
    assert invoke("check", effect, effect) == (0, f"{effect}: ok\n{effect}: ok\n", "")


def test_check_names_all_mistakes_of_all_files(effect: Path, broken: Path) -> None:
    code, stdout, stderr = invoke("check", broken, effect, broken.parent / "none.json")

    assert code == 1
    assert stdout == f"{effect}: ok\n"
    assert len(stderr.splitlines()) == 3
    assert "emitters[1].rate" in stderr
    assert "none.json" in stderr


def test_check_in_json(effect: Path, broken: Path) -> None:
    code, stdout, stderr = invoke("check", broken, effect, "--json")

    assert (code, stderr) == (1, "")
    first, second = json.loads(stdout)
    assert (first["file"], first["ok"], len(first["errors"])) == (str(broken), False, 2)
    assert second == {"file": str(effect), "ok": True, "errors": []}


@pytest.mark.parametrize("command", ["check", "info", "render"])
@pytest.mark.parametrize("content", [None, b"", b"not an image", "cut"])
def test_a_missing_or_corrupt_texture_names_the_file(
    tmp_path: Path, content: bytes | str | None, command: str
) -> None:
    texture = tmp_path / "smoke.png"
    if content == "cut":
        noise = np.random.default_rng(0).integers(0, 256, (32, 32, 4), dtype=np.uint8)
        Image.fromarray(noise).save(texture)
        content = texture.read_bytes()[:2000]
    if isinstance(content, bytes):
        texture.write_bytes(content)
    path = textured(tmp_path, "smoke.png")
    options = ["-o", str(tmp_path / "a.gif")] if command == "render" else []

    code, stdout, stderr = invoke(command, path, *options)

    assert (code, stdout) == (1, "")
    assert len(stderr.splitlines()) == 1
    assert stderr.startswith(f"{path}: emitters[1].sprite.texture: ")
    assert str(texture) in stderr
    assert not (tmp_path / "a.gif").exists()


@pytest.mark.parametrize("command", ["check", "info", "render"])
def test_textures_are_opened_whatever_else_is_wrong(tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"format":"gpuparticles/1","name":"n","duration":1,"emitters":['
        '{"name":"a","sprite":{"texture":"nothere.png"}},{"name":"a","bursts":[{"time":9}]},'
        '{"name":"c","speed":"x","sprite":{"texture":"nor.png","blend":"add"}}]}'
    )
    options = ["-o", str(tmp_path / "a.gif")] if command == "render" else []

    code, stdout, stderr = invoke(command, path, *options)

    assert (code, stdout) == (1, "")
    assert [line.removeprefix(f"{path}: ").split(":")[0] for line in stderr.splitlines()] == [
        "emitters[2].speed",
        "emitters[2].sprite.blend",
        "emitters[1].name",
        "emitters[1].bursts[0].time",
        "emitters[0].sprite.texture",
        "emitters[2].sprite.texture",
    ]


def test_check_compiles_what_an_author_wrote(tmp_path: Path) -> None:
    """And tells mistakes with the lines of the file that holds them."""
    code = tmp_path / "drift.glsl"
    file = tmp_path / "drift.json"
    for process in (gp.Process("void process(inout State p) { p.velocity *= 0.5; }"), None):
        if process is None:
            code.write_text("// drift\nvoid process(inout State p) { p.velocity = heat; }\n")
            process = gp.Process(code)
        gp.save(gp.Effect("e", [gp.Emitter("a", process=process)]), file)
        exit_code, stdout, stderr = invoke("check", file)
        if process.code.file is None:
            assert (exit_code, stdout, stderr) == (0, f"{file}: ok\n", "")
    assert exit_code == 1
    assert stderr.startswith(f"{file}: {code}:2: ")
    assert "heat" in stderr


def test_check_opens_a_good_texture(tmp_path: Path) -> None:
    Image.new("RGBA", (4, 4)).save(tmp_path / "smoke.png")

    path = textured(tmp_path, "smoke.png")

    assert invoke("check", path) == (0, f"{path}: ok\n", "")


# info and schema


def test_info_shows_what_an_effect_consists_of(tmp_path: Path) -> None:
    Image.new("RGBA", (64, 32)).save(tmp_path / "leaf.png")
    path = tmp_path / "two.json"
    gp.save(
        gp.Effect(
            "two",
            duration=2,
            emitters=[
                gp.Emitter(
                    "leaves",
                    capacity=500,
                    rate=30,
                    bursts=[gp.Burst(0, 20)],
                    lifetime=(1, 2),
                    shape=gp.Sphere(1.0),
                    modifiers=[gp.Drag(0.5)],
                    sprite=gp.Sprite(tmp_path / "leaf.png"),
                ),
                gp.Emitter("stars", rate=1000, capacity=10, lifetime=float("inf"), space="local"),
            ],
            modifiers=[gp.Acceleration((0, -1, 0))],
            parameters=[gp.Parameter("pull", -1, (-9, 0), "Weight", ["modifiers.0.value.y"])],
        ),
        path,
    )

    result = run("info", path, "--json")

    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["parameters"] == [
        {
            "name": "pull",
            "type": "number",
            "default": -1,
            "range": [-9, 0],
            "description": "Weight",
            "binds": ["modifiers.0.value.y"],
        }
    ]
    assert (answer["name"], answer["duration"], answer["loop"]) == ("two", 2, True)
    leaves, stars = answer["emitters"]
    assert leaves == {
        "name": "leaves",
        "capacity": 500,
        "expected_live": 60.0,  # (30 + 20 / 2) births a second, 1.5 s each
        "duration": 2,
        "loop": True,
        "space": "world",
        "shape": "sphere",
        "modifiers": ["drag", "acceleration"],
        "texture": str(tmp_path / "leaf.png"),
        "triangles": 0,
    }
    assert stars["expected_live"] == 10
    assert stars["modifiers"] == ["acceleration"]
    assert answer["textures"] == [str(tmp_path / "leaf.png")]
    assert answer["programs"] >= 3
    assert answer["gpu_bytes"] >= 88 * 510 + 64 * 32 * 4

    text = run("info", path).stdout
    assert text.startswith("two: loops every 2 s\n")
    assert re.search(r"^leaves +500 +~60 +world +sphere +drag, acceleration +leaf.png$", text, re.M)
    assert re.search(r"^stars +10 +~10 +local +point +acceleration +soft disc$", text, re.M)
    assert f"texture {tmp_path / 'leaf.png'}\n" in text
    assert "parameters:\n  pull: number from -9 to 0, by default -1: Weight\n" in text
    assert re.search(r"^\d+ GPU programs, \d+\.\d\d MB of GPU memory$", text, re.M)


@pytest.mark.parametrize(
    ("emitter", "live"),
    [
        ({"rate": 10, "lifetime": 1.0}, 10),  # a second of births, from 1 s to 3 s on
        ({"rate": 10, "lifetime": 9.0}, 30),  # all that are ever born
        ({"rate": 10, "lifetime": (0.0, 2.0)}, 10),
        ({"rate": 10, "lifetime": (2.0, 4.0)}, 10 * (2 + 0.75)),  # the third second: 3/4 live
        ({"rate": 0, "bursts": [gp.Burst(1, 7)], "lifetime": 1.0}, 7),
        ({"rate": 0, "bursts": [gp.Burst(1, 8), gp.Burst(2, 8)], "lifetime": (0.5, 1.5)}, 12),
        ({"rate": 0}, 0),
        ({"rate": 1000, "capacity": 64, "lifetime": 1.0}, 64),
    ],
)
def test_expected_live_of_a_single_run_is_its_height(
    tmp_path: Path, emitter: dict[str, object], live: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuparticles.cli.inspect._cost", lambda effect: (0, 0))
    path = tmp_path / "once.json"
    gp.save(
        gp.Effect("once", duration=3, loop=False, emitters=[gp.Emitter("e", **emitter)]),
        path,
    )

    code, stdout, _ = invoke("info", path, "--json")

    assert code == 0
    assert json.loads(stdout)["emitters"][0]["expected_live"] == pytest.approx(live, abs=0.06)


@pytest.mark.parametrize(
    ("emitter", "loop", "many"),
    [
        ({"rate": 100, "lifetime": 1.0}, True, None),  # just enough
        ({"rate": 101, "lifetime": 1.0}, True, "about 101"),
        ({"rate": 100, "lifetime": (1.0, 2.0)}, True, "about 150"),
        ({"rate": 1, "lifetime": float("inf")}, True, "ever more"),
        ({"rate": 1, "lifetime": float("inf")}, False, None),
        ({"rate": 0, "bursts": [gp.Burst(1, 101)], "lifetime": 0.5}, True, "about 101"),
        ({"rate": 0, "bursts": [gp.Burst(1, 60)], "lifetime": 3.5}, True, "about 120"),
        ({"rate": 0, "bursts": [gp.Burst(0, 60), gp.Burst(2, 60)], "lifetime": 1.5}, True, "120"),
        ({"rate": 0, "bursts": [gp.Burst(0, 60), gp.Burst(2, 60)], "lifetime": 1.5}, False, None),
        ({"rate": 0, "lifetime": float("inf")}, True, None),
    ],
)
def test_info_warns_of_births_beyond_the_capacity(
    tmp_path: Path,
    emitter: dict[str, object],
    loop: bool,
    many: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gpuparticles.cli.inspect._cost", lambda effect: (0, 0))
    path = tmp_path / "a.json"
    made = gp.Emitter("e", capacity=100, **emitter)
    gp.save(gp.Effect("a", duration=3, loop=loop, emitters=[made]), path)

    code, stdout, stderr = invoke("info", path)

    assert code == 0
    assert "warning" not in stdout
    if many is None:
        assert stderr == ""
    else:
        assert stderr.startswith("warning: e: ")
        assert f"{many} particles would live at once, but its capacity is 100; " in stderr


def test_schema_is_the_one_of_the_library() -> None:
    code, stdout, stderr = invoke("schema")

    assert (code, stderr) == (0, "")
    assert json.loads(stdout) == gp.schema()


# The program


@pytest.mark.parametrize("arguments", [["--help"], ["render", "--help"], ["--version"]])
def test_help_needs_neither_opengl_nor_numpy(arguments: list[str]) -> None:
    script = (
        "import sys\nfrom gpuparticles.cli import main\nsys.argv[1:] = "
        f"{arguments!r}\ntry:\n    main()\nfinally:\n"
        "    print({'moderngl', 'glcontext', 'numpy', 'PIL'} & set(sys.modules), file=sys.stderr)"
    )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert result.returncode == 0
    assert result.stderr == "set()\n"
    assert "gpuparticles" in result.stdout


def test_version() -> None:
    assert invoke("--version") == (0, f"gpuparticles {gp.__version__}\n", "")


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gpuparticles", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(60)


def test_info_and_check_know_models(tmp_path: Path) -> None:
    assert re.search(r"^rocks .* 20 triangles$", run("info", "rubble").stdout, re.M)

    path = tmp_path / "rocks.json"
    mesh = '{"vertices":[[0,0,0],[1,0,0],[0,1,0]],"faces":[[0,1,2]]}'
    path.write_text(
        '{"format":"gpuparticles/1","name":"rocks","emitters":[{"name":"a","model":'
        f'{{"mesh":{mesh},"texture":"nothere.png"}},"sprite":{{"lit":{{"normals":"nor.png"}}}}}}]}}'
    )
    result = run("check", path)
    assert result.returncode == 1
    assert "emitters[0].model.texture: " in result.stderr
    assert "emitters[0].sprite.lit.normals: " in result.stderr


def test_presets_are_listed_rendered_and_effects_by_name(tmp_path: Path) -> None:
    listed = run("presets", "--json")
    names = [entry["name"] for entry in json.loads(listed.stdout)]
    assert "campfire" in names
    assert all(entry["description"] for entry in json.loads(listed.stdout))
    assert run("check", "campfire", cwd=tmp_path).stdout == "campfire: ok\n"
    refused = run("presets", "--sheet", "all.gif", cwd=tmp_path)
    assert refused.returncode == 1
    assert "a sheet is one picture" in refused.stderr
    assert not list(tmp_path.iterdir())


def test_info_measures_bounds_on_request(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    ball = gp.Emitter("e", shape=gp.Sphere(1, thickness=0), speed=0, size=0.5, lifetime=0.5)
    gp.save(gp.Effect("e", [ball], duration=0.5), path)
    assert '"bounds"' not in run("info", path).stdout
    said = run("info", "--bounds", path).stdout.splitlines()
    (line,) = [each for each in said if "bounds" in each]
    lower, upper = json.loads(line.partition(": ")[2])
    assert all(-2 < low < -1.1 and 1.1 < high < 2 for low, high in zip(lower, upper, strict=True))
    path.write_text(path.read_text().replace("{", "{" + line + ",", 1))
    assert gp.load(path).bounds == (tuple(lower), tuple(upper))
    assert json.loads(run("info", "--json", path).stdout)["bounds"] == [lower, upper]

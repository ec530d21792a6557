"""Pages for a browser: their content and, if Chromium is installed, the picture that they show."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pysuite import commands, engine
from pysuite.pictures import Scene, view

HEAD = """ITEM: UNITS
si
ITEM: TIME
{time}
ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
{count}
ITEM: BOX BOUNDS ff ff ff
-2 3
-2 2
-2 2
ITEM: ATOMS id type x y z radius vx vy vz
"""
FRAMES = (
    ["1 1 -1 0 0 0.99 0 0 0", "2 2 1 0 0 1 3 0 4"],
    ["1 1 -1 0 0 0.99 0 0 1", "2 2 1 0 0.8 1 3 0 4", "3 1 2.5 0 0 0.5 0 2 0"],
)
SIZE = (800, 600)
ASIDE = 11 * 16  # width of the legend in pixels


@pytest.fixture
def dump(tmp_path) -> Path:
    path = tmp_path / "grains.dump"
    heads = [HEAD.format(step=n, time=n / 4, count=len(rows)) for n, rows in enumerate(FRAMES)]
    path.write_text("".join(h + "\n".join(r) + "\n" for h, r in zip(heads, FRAMES, strict=True)))
    return path


@pytest.fixture
def page(dump) -> Path:
    path = dump.with_name("run.html")
    assert commands.main(["view", str(dump), "-o", str(path), "--box"]) == 0
    return path


def contents(page: Path) -> tuple[dict, bytes]:
    text = page.read_text()
    found = [
        re.search(rf'<script id="{name}" type="[^"]*">(.*?)</script>', text, re.DOTALL)
        for name in ("scene", "bytes")
    ]
    return json.loads(found[0][1]), base64.b64decode(found[1][1])


def numbers(data: bytes, place: list[int], kind: type = np.uint16) -> np.ndarray:
    return np.frombuffer(data, kind, offset=place[0], count=place[1])


# ------------------------------------------------------------------------------ without a browser


def test_a_page_has_places_radii_and_values_of_all_frames(dump, page):
    scene, data = contents(page)
    table = engine.parse_dump(dump.read_text())
    assert [frame["count"] for frame in scene["frames"]] == [2, 3]
    assert [frame["text"] for frame in scene["frames"]] == ["t = 0 s", "t = 0.25 s"]
    assert [column["title"] for column in scene["columns"]] == ["speed (m/s)", "type", "radius (m)"]
    for step, frame in enumerate(scene["frames"]):
        rows = table[table["step"] == step]
        spheres = numbers(data, frame["spheres"]).reshape(-1, 4) / 65535
        places = scene["origin"] + spheres[:, :3] * scene["size"]
        extent = np.ptp(table[["x", "y", "z"]].to_numpy(), axis=0).max()
        np.testing.assert_allclose(places, rows[["x", "y", "z"]], atol=extent / 65535)
        np.testing.assert_allclose(scene["largest"] * spheres[:, 3], rows["radius"], atol=2e-5)
        speed = numbers(data, frame["values"][0]) / 65534 * scene["columns"][0]["most"]
        known = np.linalg.norm(rows[["vx", "vy", "vz"]], axis=1)
        np.testing.assert_allclose(speed, known, atol=1e-4)
    assert scene["columns"][1]["names"] == ["1", "2"]
    assert len(scene["boxes"]) == 1
    ends = numbers(data, scene["boxes"][0], np.float32).reshape(12, 2, 3)
    assert sorted(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)) == [*[4] * 8, *[5] * 4]


def test_a_page_fetches_nothing(page):
    text = page.read_text()
    assert re.findall(r"<(?:script|link|img)[^>]* (?:src|href)=", text) == []
    assert "Permission is hereby granted" in text  # the licence of three.js


def test_values_that_are_no_numbers_have_a_number_of_their_own(tmp_path):
    table = pd.DataFrame({"step": 0, "id": [1, 2], "x": [0.0, 1.0], "y": 0.0, "z": 0.0})
    table = table.assign(radius=1.0, heat=[np.nan, 2.0])
    path = tmp_path / "a.html"
    assert view(table, path, Scene(), colours=["heat"]) == 1
    scene, data = contents(path)
    assert numbers(data, scene["frames"][0]["values"][0]).tolist() == [65535, 0]
    assert scene["columns"][0]["most"] == 2


def test_a_film_of_20000_grains_stays_small(tmp_path):
    """A page with 50 frames has less than 50 MB. Data that do not change are stored once."""
    count, frames = 20_000, 4
    random = np.random.default_rng(1)
    names = ["x", "y", "z", "vx", "vy", "vz"]
    table = pd.DataFrame(random.normal(size=(frames * count, 6)), columns=names)
    table.insert(0, "step", np.repeat(np.arange(frames), count))
    radii, types = random.uniform(size=count), random.integers(1, 4, count)
    table = table.assign(radius=np.tile(radii, frames), type=np.tile(types, frames))
    path = tmp_path / "a.html"
    view(table, path, Scene())
    scene, data = contents(path)
    per_frame = len(data) / frames / count
    assert 50 * count * per_frame * 4 / 3 < 50e6
    assert len({tuple(frame["values"][1]) for frame in scene["frames"]}) == 1
    assert path.stat().st_size < len(data) * 4 / 3 + 1e6


def test_walls_are_those_of_each_frame(dump, tmp_path):
    pyvista = pytest.importorskip("pyvista", reason="walls need the extra `pictures`")
    for step in (0, 1):
        plane = pyvista.Plane(center=(0, 0, -1.2 - step), i_size=4, j_size=4)
        plane.triangulate().save(tmp_path / f"f.{step}.vtp")
    pyvista.Plane(center=(9, 0, 0)).triangulate().save(tmp_path / "lid.stl")
    log = tmp_path / "log"
    log.write_text("region big block -4 4 -4 4 -4 4\n")
    page = tmp_path / "a.html"
    meshes = sorted(map(str, [*tmp_path.glob("*.vtp"), tmp_path / "lid.stl"]))
    words = ["view", str(dump), "-o", str(page), "--meshes", *meshes]
    assert commands.main([*words, "--log", str(log), "--regions", "big"]) == 0
    scene, data = contents(page)
    assert [len(frame["meshes"]) for frame in scene["frames"]] == [3, 3]
    lowest = []
    for frame in scene["frames"]:
        surfaces = [numbers(data, scene["meshes"][n], np.float32) for n in frame["meshes"]]
        lowest.append([surface.reshape(-1, 3, 3)[..., 2].min() for surface in surfaces])
    np.testing.assert_allclose(lowest, [[-4, -1.2, -0.5], [-4, -2.2, -0.5]], atol=0.51)
    assert scene["reach"] > 5


def test_what_cannot_be_shown_is_told(dump, capsys):
    for words, told in (
        (["-o", "run.txt"], "the name of the page, run.txt, must end in .html"),
        (["-o", "a.html", "--every", "0"], "--every 0 must be >= 1"),
        (["-o", "a.html", "--colours", "heat"], "the dump has no column heat"),
        (["-o", "a.html", "--timestep", "0"], "--timestep 0 must be > 0"),
        (["-o", "a.html", "--regions", "big"], "--regions needs --log"),
        (["-o", "a.html", "--units", "SI"], "units SI: unknown"),
    ):
        assert commands.main(["view", str(dump), *words]) == 2
        assert told in " ".join(capsys.readouterr().err.split())


def test_every_second_frame(dump, capsys):
    page = dump.with_name("a.html")
    assert commands.main(["view", str(dump), "-o", str(page), "--every", "2"]) == 0
    assert "1 frame, 0." in capsys.readouterr().out
    assert len(contents(page)[0]["frames"]) == 1


# --------------------------------------------------------------------------------- in a browser


def browse(page: Path, task: str, place: str = "", script: str = "") -> str:
    """Open a page, run a script in it, and return the output of the browser."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None and "GITHUB_ACTIONS" not in os.environ:
        pytest.skip("Chromium is not installed")
    assert browser is not None
    copy = page.with_name("copy.html")
    copy.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
    options = ["--headless", "--no-sandbox", "--disable-background-networking"]
    options += ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"]
    options += [f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=3000"]
    options += [f"--window-size={SIZE[0]},{SIZE[1]}", task, f"{copy.as_uri()}#{place}"]
    done = subprocess.run([browser, *options], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(page: Path, place: str = "", script: str = "") -> np.ndarray:
    picture = page.with_suffix(".png")
    browse(page, f"--screenshot={picture}", place, script)
    with Image.open(picture) as image:
        return np.asarray(image.convert("RGB")).astype(int)[:, : SIZE[0] - ASIDE]


def text_of(page: Path, place: str = "", script: str = "") -> str:
    found = re.search(r"<body[^>]*>.*?</footer>", browse(page, "--dump-dom", place, script), re.S)
    assert found is not None
    return found[0]


def grains_of(pixels: np.ndarray) -> np.ndarray:
    """Return a mask of the coloured pixels."""
    return np.ptp(pixels, axis=2)[:500] > 30


def test_a_browser_draws_grains_and_colours_them_by_another_column(page):
    speed = shown(page)
    grains = grains_of(speed)
    assert 0.05 < grains.mean() < 0.6
    # slow grains are violet and on the left, fast ones are yellow and on the right
    columns = np.nonzero(grains.any(axis=0))[0]
    third = np.ptp(columns) // 3
    left, right = speed[:500, : columns[0] + third], speed[:500, columns[-1] - third :]
    assert (left[..., 2] - left[..., 0]).max() > 10
    assert (left[..., 0] - left[..., 2]).max() < 100 < (right[..., 0] - right[..., 2]).max()
    kinds = shown(page, "colour=type")
    assert (grains_of(kinds) == grains).mean() > 0.98
    assert np.abs(kinds - speed).max(axis=2)[:500][grains].mean() > 50
    text = text_of(page, "colour=type")
    assert 'data-colour="type"' in text
    assert "t = 0 s" in text
    assert "frame 1 of 2, 2 grains" in text


def test_a_browser_without_webgl_tells_what_is_missing(page):
    disabled = "HTMLCanvasElement.prototype.getContext = () => null;"
    page.write_text(page.read_text().replace("<script>", f"<script>{disabled}</script><script>", 1))
    assert "This page needs WebGL 2" in text_of(page)


def test_frames_differ_and_play_goes_on(page):
    assert (grains_of(shown(page)) != grains_of(shown(page, "frame=2"))).mean() > 0.01
    key = "window.dispatchEvent(new KeyboardEvent('keydown', {key: ' '}));"
    count = "let seen = new Set(); setInterval(() => { seen.add(byId('number').textContent);"
    count += " document.body.dataset.seen = [...seen].sort().join('; '); }, 20);"
    text = text_of(page, script=key + count)
    assert ">Pause</button>" in text
    assert 'data-seen="frame 1 of 2, 2 grains; frame 2 of 2, 3 grains"' in text


def test_mouse_turns_and_zooms_and_r_goes_back(page):
    still = grains_of(shown(page))
    wheel = "canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: 400, cancelable: true}));"
    assert grains_of(shown(page, script=wheel)).sum() < 0.9 * still.sum()
    drag = "canvas.setPointerCapture = canvas.releasePointerCapture = () => {};"
    for kind, x in (("down", 100), ("move", 180), ("move", 260), ("up", 260)):
        words = f"pointerId: 1, button: 0, clientX: {x}, clientY: 100, bubbles: true"
        drag += f"canvas.dispatchEvent(new PointerEvent('pointer{kind}', {{{words}}}));"
    assert (grains_of(shown(page, script=drag)) != still).mean() > 5e-3
    back = "window.dispatchEvent(new KeyboardEvent('keydown', {key: 'r'}));"
    assert (grains_of(shown(page, script=wheel + drag + back)) != still).mean() < 1e-3


def test_the_range_of_the_colours_can_be_changed(page):
    change = "byId('high').value = 20; byId('high').dispatchEvent(new Event('change'));"
    assert ">20</span>" in text_of(page, script=change)
    pictures = shown(page), shown(page, script=change)
    yellow = [(picture[..., 0] - picture[..., 2]).max() for picture in pictures]
    assert yellow[0] > 100 > yellow[1]

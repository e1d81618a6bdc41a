"""Every game in a page, in Chromium: played by real keys and mouse as its script asks, heard, and
remembered.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import state_hashes
from ecs_softbody.cli.new import make_game
from tests.helpers import chromium
from tests.helpers.driver import Driver
from tests.helpers.pages import READY, included_site, needs_chromium, pyodide
from tests.helpers.random_input import disturb
from tests.helpers.starts import WHOLE

pytestmark = [needs_chromium, pytest.mark.browser, pytest.mark.slow]
SIZES = {"telephone": (844, 390), **({"desktop": (1280, 720)} if WHOLE else {})}
FRAMES = 1200 if WHOLE else 60
"""That a script plays, unless the game ends before."""
SECONDS = 600.0 if WHOLE else 8.0
"""Of random input."""
KEPT = "new Promise(done => setTimeout(done, 2500))"
"""The browser writes a second later."""
PICTURES = os.environ.get("ECS_SOFTBODY_PICTURES_OF_PAGES", "")
"""A folder for what the tests have seen, to be looked at."""


def look(driver: Driver, name: str) -> None:
    """See that there is a picture; keep it where that is asked."""
    shot = driver.page.screenshot()
    if PICTURES:
        (Path(PICTURES) / f"{name}.png").write_bytes(shot)
    assert np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), float).std() > 12.0, name


def sounds(driver: Driver) -> int:
    assert driver.page.evaluate("ecs_softbody.script.sound.context.state") == "running"
    return int(driver.page.evaluate("ecs_softbody.script.sound.started"))


def assert_quiet(page: chromium.Page) -> None:
    assert not [line for line in page.said if line.startswith(("error", "warning"))], page.said


@pytest.mark.parametrize("size", SIZES)
def test_all_games_are_played_and_remembered(size: str) -> None:
    with chromium.served(included_site()) as address, chromium.opened(SIZES[size]) as page:
        driver = Driver(page)
        driver.open(address)
        saved = {}
        for name in state_hashes.GAMES:
            heard = sounds(driver)
            driver.change(name)
            driver.begin()
            ended = driver.play(FRAMES)
            look(driver, f"{name}-{size}")
            assert driver.told["frames"] >= 30
            assert ended in ("playing", "won")
            assert sounds(driver) > heard, name
            saved[name] = driver.told["saved"]
        driver.change(state_hashes.GAMES[0])
        driver.begin()
        driver.tap("m")  # kept for all games
        assert driver.told["muted"]
        page.evaluate(KEPT)
        driver.open(f"{address}?again")
        assert driver.told["muted"]
        for name, values in saved.items():
            if values:
                driver.change(name)
                assert driver.told["saved"] == values, name
        assert_quiet(page)


@pytest.mark.parametrize(("game", "seed"), [("jelly-platformer", 2), ("slingshot", 1)])
def test_hands_of_all_kinds_stop_no_game(game: str, seed: int) -> None:
    with chromium.served(included_site()) as address, chromium.opened() as page:
        page.open(f"{address}?game={game}")
        page.wait_for(READY)
        page.click("#play")
        page.wait_for("ecs_softbody.pictures > 20")
        memory = disturb(page, seed, SECONDS, leaves=True)
        half = len(memory) // 2
        if half > 3:  # what a game needs at all is there after half of the time
            assert max(python for python, _ in memory[half:]) <= 1.25 * max(
                python for python, _ in memory[1:half]
            )
        assert_quiet(page)


SHELF = """from pathlib import Path

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.play import Button, Controls, Game
from ecs_softbody.rendering import Look, Skin

HERE = Path(__file__).parent


class Shelf(Game):
    name = "shelf"
    title = "Shelf"
    actions = {"ding": Button("space")}

    def start(self):
        self.close()
        self.sim = Simulation(world="shelf")
        self.sim.spawn(StaticCollider([(-9, 0), (9, 0)]), Look(style="ground"))
        self.sim.spawn(*blueprints.box((0, 2), 3.0), Skin(HERE / "face.png"))
        self.sounds.add("ding", HERE / "ding.wav")
        self.camera.fit((-5, -1, 5, 5))

    def update(self, controls, dt):
        if controls.was_pressed("ding"):
            self.sounds.play("ding")
            self.saves["dings"] = self.saves.whole("dings", 0) + 1

    def autopilot(self):
        return Controls(pressed={"ding"} if self.sim.frame % 30 == 5 else set())
"""


def write_shelf(folder: Path) -> None:
    """Write a package with a picture and a sound."""
    folder.mkdir()
    Image.new("RGB", (64, 64), (255, 0, 255)).save(folder / "face.png")
    with wave.open(str(folder / "ding.wav"), "wb") as file:
        file.setparams((1, 2, 22050, 0, "NONE", ""))
        file.writeframes((8000 * np.sin(0.2 * np.arange(4410))).astype("<i2").tobytes())
    (folder / "__init__.py").write_text(SHELF)


def write_page(name: str, folder: Path) -> Path:
    """Write the page of a game as a maker does, in a process of its own, from the folder that it
    lies in.
    """
    command = [
        sys.executable,
        "-c",
        "import sys; from ecs_softbody.cli.main import main; sys.exit(main())",
    ]
    options = ["web", name, "--out", str(folder / "site"), "--pyodide", str(pyodide().folder)]
    paths = os.pathsep.join([str(folder), *sys.path])
    subprocess.run(
        [*command, *options], cwd=folder, env={**os.environ, "PYTHONPATH": paths}, check=True
    )
    return folder / "site"


@pytest.mark.parametrize("form", ["package", "one file"])
def test_a_game_with_a_picture_and_a_sound_is_played(tmp_path: Path, form: str) -> None:
    write_shelf(tmp_path / "shelf")
    if form == "one file":
        shutil.move(tmp_path / "shelf" / "__init__.py", tmp_path / "shelf" / "toy.py")
    name = "shelf:Shelf" if form == "package" else str(tmp_path / "shelf" / "toy.py") + ":Shelf"
    with chromium.served(write_page(name, tmp_path)) as address, chromium.opened() as page:
        driver = Driver(page)
        driver.open(address)
        driver.begin()
        heard = sounds(driver)
        driver.play(60)
        assert sounds(driver) > heard
        assert driver.told["saved"] == {"dings": "2"}
        look(driver, form)
        shown = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), int)
        # its picture is on the box
        assert (np.abs(shown - (255, 0, 255)).max(axis=2) < 60).mean() > 0.05
        assert_quiet(page)


def test_a_new_game_is_played(tmp_path: Path) -> None:
    make_game(tmp_path / "lights")
    with (
        chromium.served(write_page("lights.game:Lights", tmp_path / "lights")) as address,
        chromium.opened() as page,
    ):
        driver = Driver(page)
        driver.open(address)
        driver.begin()
        assert driver.play(FRAMES) in ("playing", "won")
        look(driver, "a new game")
        assert_quiet(page)

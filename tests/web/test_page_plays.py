"""A game in a page, in Chromium: it starts, is played by real keys, keeps what it saves, and says
what is wrong.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_softbody.cli.main import main
from ecs_softbody.web.links import scene_to_text
from tests.helpers import chromium
from tests.helpers.pages import begin, included_site, needs_chromium, pyodide

pytestmark = [needs_chromium, pytest.mark.browser, pytest.mark.slow]
SCENE = b"""
title = "A ball by link"

[entities.ball]
ball = { center = [0, 3], radius = 0.5 }
"""
BURSTS = """from ecs_softbody import Simulation
from ecs_softbody.play import Game


class Bursts(Game):
    name = "bursts"
    title = "Bursts"

    def start(self):
        self.close()
        self.sim = Simulation(world="bursts")
        self.frames = 0

    def after_step(self, dt):
        self.frames += 1
        if self.frames > 400:
            raise RuntimeError("it burst")
"""


@pytest.fixture(scope="module")
def site() -> Path:
    return included_site()


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Page]:
    with chromium.opened((960, 540)) as opened:
        yield opened


@pytest.fixture
def page(browser: chromium.Page) -> chromium.Page:
    browser.said.clear()
    return browser


def python(page: chromium.Page, expression: str) -> object:
    page.evaluate("ecs_softbody.py.globals.set('stage', ecs_softbody.stage)")
    return page.evaluate(f"ecs_softbody.py.runPython(`{expression}`)")


def seen(page: chromium.Page) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), float)


def test_a_game_is_played_and_remembers(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        begin(page, address)
        assert python(page, "stage.screen.state") == "title"
        page.tap("Space", " ")
        page.wait_for("ecs_softbody.stage.screen.state === 'playing'")
        before = python(page, "float(stage.screen.game.camera.center[0])")
        page.key("ArrowRight", "ArrowRight", down=True)
        page.wait_for(f"ecs_softbody.stage.screen.game.camera.center.toJs()[0] > {before} + 1.0")
        page.key("ArrowRight", "ArrowRight", down=False)
        assert page.evaluate("ecs_softbody.script.sound.context.state") == "running"
        page.wait_for("ecs_softbody.script.sound.started > 0")
        assert seen(page).std() > 20.0  # there is a picture
        page.tap("KeyM", "m")
        page.wait_for("ecs_softbody.stage.screen.game.sounds.muted")
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        page.wait_for("ecs_softbody.stage.screen.state === 'paused'")
        # the browser writes a second later
        page.evaluate("new Promise(done => setTimeout(done, 2500))")
        begin(page, f"{address}?again")
        page.wait_for("ecs_softbody.stage.screen.game.sounds.muted")
    assert not [line for line in page.said if line.startswith(("error", "warning"))], page.said


def test_an_address_chooses_another_game(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        begin(page, f"{address}?game=slingshot")
        assert python(page, "stage.screen.game.name") == "slingshot"


def test_a_link_brings_a_scene(
    site: Path, page: chromium.Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ball.toml"
    file.write_bytes(SCENE)
    assert main(["share", str(file), "--page", "https://example.org/jelly/"]) == 0
    link, length = capsys.readouterr().out.splitlines()
    assert link == f"https://example.org/jelly/#scene={scene_to_text(SCENE)}"
    assert length == f"{len(link)} letters"
    with chromium.served(site) as address:
        begin(page, f"{address}#{link.partition('#')[2]}")
        assert python(page, "stage.screen.game.title") == "A ball by link"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("AAAA", "the link carries no"),
        (scene_to_text(b'[entities.a]\nball = { center = [0, 3], radius = -1.0 }'), "radius"),
        (scene_to_text(b'include = "/etc/passwd"'), "include"),
    ],
)  # fmt: skip
def test_a_link_with_something_else_is_refused(
    site: Path, page: chromium.Page, text: str, told: str
) -> None:
    with chromium.served(site) as address:
        page.open(f"{address}#scene={text}")
        page.wait_for("document.getElementById('wrong')?.hidden === false")
        assert told in str(page.evaluate("document.getElementById('wrong').innerText"))


def test_fingers_have_buttons_on_the_glass(site: Path) -> None:
    with chromium.served(site) as address, chromium.opened((844, 390), touch=True) as page:
        begin(page, address)
        page.touch((400, 200))
        page.touch()
        page.wait_for("document.querySelector('#glass [data-key=right]') !== null")
        x, y = page.evaluate(
            "(b => [b.x + b.width / 2, b.y + b.height / 2])"
            "(document.querySelector('#glass [data-key=right]').getBoundingClientRect())"
        )
        page.touch((x, y))
        page.wait_for("ecs_softbody.stage._devices.controls.held.has('right')")
        page.touch()
        page.wait_for("!ecs_softbody.stage._devices.controls.held.has('right')")


def test_a_file_that_was_changed_is_refused(
    site: Path, page: chromium.Page, tmp_path: Path
) -> None:
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(site, broken)
    content = bytearray((broken / "game.pack").read_bytes())
    content[len(content) // 2] ^= 1
    (broken / "game.pack").write_bytes(content)
    with chromium.served(broken) as address:
        page.open(address)
        page.wait_for("document.getElementById('wrong')?.hidden === false")
        assert "is not the file that this page was made with" in str(
            page.evaluate("document.getElementById('sentence').innerText")
        )


def test_a_game_of_ones_own_that_stops_says_where(page: chromium.Page, tmp_path: Path) -> None:
    (tmp_path / "bursts.py").write_text(BURSTS)
    folder = tmp_path / "site"
    asked = f"{tmp_path / 'bursts.py'}:Bursts"
    assert (
        main(["web", asked, "--out", str(folder), "--pyodide", str(pyodide().folder), "--zip"]) == 0
    )
    assert (tmp_path / "site.zip").stat().st_size > 1e6
    with chromium.served(folder) as address:
        begin(page, address)
        page.tap("Space", " ")
        page.wait_for("document.getElementById('wrong').hidden === false")
        told = str(page.evaluate("document.getElementById('wrong').innerText"))
        assert "RuntimeError: it burst (bursts.py, line 17, in after_step)" in told

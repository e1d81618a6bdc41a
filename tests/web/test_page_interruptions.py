"""What comes between a player and a page: lost pictures, hidden tabs, other windows, damaged saves,
controllers.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from tests.helpers import chromium
from tests.helpers.pages import begin, included_site, needs_chromium

pytestmark = [needs_chromium, pytest.mark.browser, pytest.mark.slow]
GAME = "?game=cut-and-tear"
STATE = "ecs_softbody.stage.screen.state"
WRONG = "document.getElementById('wrong').hidden === false"
HIDE = """(hidden => {
  Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
  document.dispatchEvent(new Event('visibilitychange'));
})"""
FRAMES = "ecs_softbody.stage.screen._frames"
STORE = """(async saves => {
  const done = asked => new Promise(good => { asked.onsuccess = asked.oncomplete = () => good(asked.result); });
  const opening = indexedDB.open('ecs_softbody', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('saves');
  const change = (await done(opening)).transaction('saves', 'readwrite');
  for (const [name, content] of saves) change.objectStore('saves').put(content, name);
  await done(change);
})"""
KEPT = """new Promise(done => { indexedDB.open('ecs_softbody', 1).onsuccess = event => {
  const asked = event.target.result.transaction('saves').objectStore('saves').get('settings.json');
  asked.onsuccess = () => done(asked.result instanceof Uint8Array);
}; })"""
PADS = """
window.plugged = [];
navigator.getGamepads = () => plugged;
window.pad = held => ({
  index: 0, id: 'Xbox pad', mapping: 'standard', axes: [0, 0, 0, 0],
  buttons: Array.from({length: 17}, (_, number) => ({pressed: number === held, value: +(number === held)})),
});
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with chromium.served(included_site()) as found:
        yield found


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[chromium.Page]:
    """One page for all: each test leaves a game that is played."""
    with chromium.opened((640, 360)) as opened:
        opened.before(PADS)
        begin(opened, address + GAME)
        yield opened


@pytest.fixture
def page(browser: chromium.Page) -> chromium.Page:
    """A game that is played."""
    browser.said.clear()
    if browser.evaluate(STATE) != "playing":
        browser.tap("Space", " ")
        browser.wait_for(f"{STATE} === 'playing'")
    return browser


def seen(page: chromium.Page) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), float)


def test_a_picture_that_the_browser_has_let_go_of_comes_back(page: chromium.Page) -> None:
    page.tap("KeyP", "p")  # nothing moves
    page.wait_for(f"{STATE} === 'paused'")
    time.sleep(0.5)
    before = seen(page)
    page.evaluate("void (window.loser = document.getElementById('canvas').getContext('webgl2')"
                  ".getExtension('WEBGL_lose_context'), loser.loseContext())")  # fmt: skip
    time.sleep(0.5)
    assert np.abs(seen(page) - before).mean() > 20.0  # it is gone
    page.evaluate("loser.restoreContext()")
    time.sleep(1.0)
    assert np.abs(seen(page) - before).mean() < 1.0  # letters, pictures and colours
    page.tap("Space", " ")
    page.wait_for(f"{STATE} === 'playing'")
    assert not page.evaluate(WRONG)


def test_a_hidden_tab_is_paused_and_catches_up_with_nothing(page: chromium.Page) -> None:
    page.evaluate("void (window.later = [], window.ask = requestAnimationFrame.bind(window),"
                  " window.requestAnimationFrame = call => later.push(call))")  # fmt: skip
    page.wait_for("later.length > 0")  # as in a hidden tab
    page.evaluate(f"{HIDE}(true)")
    assert page.evaluate(STATE) == "paused"
    assert page.evaluate("ecs_softbody.script.sound.context.state") != "closed"
    page.wait_for("ecs_softbody.script.sound.context.state === 'suspended'")
    before = page.evaluate(FRAMES)
    time.sleep(3.0)
    page.evaluate(f"{HIDE}(false)")
    page.evaluate("void later.splice(0).forEach(call => call(performance.now()))")
    assert page.evaluate(FRAMES) <= before + 10
    assert page.evaluate(STATE) == "paused"
    page.wait_for("ecs_softbody.script.sound.context.state === 'running'")
    page.evaluate("void (window.requestAnimationFrame = ask, later.splice(0).forEach(ask))")
    page.tap("Space", " ")
    page.wait_for(f"{STATE} === 'playing'")


def test_another_window_lets_go_of_keys_and_the_game_goes_on_after_it(page: chromium.Page) -> None:
    held = "ecs_softbody.stage._devices.controls.held.has('x')"
    page.key("KeyX", "x", down=True)
    page.wait_for(held)
    page.evaluate("void dispatchEvent(new Event('blur'))")
    page.wait_for(f"!{held} && {STATE} === 'paused'")
    page.key("KeyX", "x", down=False)
    page.evaluate("void dispatchEvent(new Event('focus'))")
    page.tap("Space", " ")
    page.wait_for(f"{STATE} === 'playing'")


def test_the_screen_is_filled_and_left_again(page: chromium.Page) -> None:
    page.tap("F11", "F11")
    page.wait_for("document.fullscreenElement !== null")
    page.wait_for(
        "document.getElementById('canvas').width === document.getElementById('canvas').clientWidth"
    )
    page.tap("F11", "F11")
    page.wait_for("document.fullscreenElement === null")
    assert page.evaluate(STATE) == "playing"


def test_films_are_told_to_be_impossible(page: chromium.Page) -> None:
    page.tap("F9", "F9")
    page.wait_for("ecs_softbody.stage._told === 'Films cannot be saved here; F12 saves a picture'")


def test_a_controller_comes_and_goes(page: chromium.Page) -> None:
    page.evaluate("void (plugged = [null, pad(9)])")  # "start" is down
    page.wait_for(f"{STATE} === 'paused' && ecs_softbody.stage.pads.count === 1")
    page.evaluate("void (plugged = [null, pad(-1)])")
    page.wait_for("!ecs_softbody.stage._devices.controls.held.has('pad_start')")
    page.evaluate("void (plugged = [null, pad(0)])")  # "A"
    page.wait_for(f"{STATE} === 'playing' && ecs_softbody.stage._devices.controls.device === 'pad'")
    page.evaluate("void (plugged = [])")
    page.wait_for(f"{STATE} === 'paused' && ecs_softbody.stage.pads.count === 0")
    page.tap("Space", " ")
    page.wait_for(f"{STATE} === 'playing'")


BAD = """['cut-and-tear.json', new Uint8Array([1, 2, 255])], ['../../etc/passwd', new Uint8Array([1])],
  ['.', new Uint8Array([1])], [7, new Uint8Array([1])], ['other.json', 'text'], ['settings.json', {}]"""


def test_damaged_saves_stop_no_game_and_are_told(page: chromium.Page, address: str) -> None:
    page.evaluate(f"{STORE}([{BAD}])")
    begin(page, f"{address}{GAME}&again")
    page.wait_for("ecs_softbody.stage._told.includes('is damaged: it is left out')")
    assert "damaged" in page.evaluate("ecs_softbody.stage.screen.game.saves.notice")
    page.tap("KeyM", "m")
    page.wait_for("ecs_softbody.stage.screen.game.sounds.muted")
    page.wait_for(KEPT)  # what is good is kept all the same
    page.tap("Space", " ")
    page.wait_for(f"{STATE} === 'playing'")
    assert not page.evaluate(WRONG)


def test_a_picture_that_stays_away_is_told(page: chromium.Page) -> None:
    page.evaluate(
        "document.getElementById('canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()"
    )
    page.wait_for(WRONG)
    assert "let go of the picture: reload" in page.evaluate(
        "document.getElementById('sentence').innerText"
    )

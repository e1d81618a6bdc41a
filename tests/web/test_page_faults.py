"""Damaged pages, browsers that lack something, and players with two tabs,
fingers or mouse buttons.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecs_softbody.web.links import scene_to_text
from ecs_softbody.web.making.writing import FILTERS
from tests.helpers import chromium
from tests.helpers.pages import READY, begin, included_site, needs_chromium
from tests.helpers.starts import WHOLE

pytestmark = [needs_chromium, pytest.mark.browser, pytest.mark.slow]
SHOWN = "document.getElementById('wrong')?.hidden === false"
BALL = 'title = "{}"\n[entities.ball]\nball = {{ center = [0, 3], radius = 0.5 }}\n'
NO_GL = "HTMLCanvasElement.prototype.getContext = () => null"
NO_PLACE = "Object.defineProperty(window, 'indexedDB', {value: undefined})"
NO_ROOM = (
    "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }"
)


@pytest.fixture(scope="module")
def site() -> Path:
    return included_site()


@pytest.fixture
def broken(site: Path, tmp_path: Path) -> Path:
    """A copy of the page, to be damaged."""
    return Path(shutil.copytree(site, tmp_path / "broken"))


@pytest.fixture(scope="module")
def page() -> Iterator[chromium.Page]:
    """One browser for all tests that leave it as it was."""
    with chromium.opened((640, 360)) as opened:
        yield opened


@pytest.fixture
def own_page() -> Iterator[chromium.Page]:
    """A browser that the test changes."""
    with chromium.opened((640, 360)) as opened:
        yield opened


def told(page: chromium.Page) -> str:
    page.wait_for(SHOWN)
    return str(page.evaluate("document.getElementById('sentence').innerText"))


WAYS = ("missing", "cut", "swapped")


@pytest.mark.parametrize("way", WAYS)
def test_damaged_files_are_told_in_a_sentence(broken: Path, page: chromium.Page, way: str) -> None:
    names = [each["url"] for each in json.loads((broken / "lock.json").read_bytes())["runtime"]]
    page.keep_nothing()
    if not WHOLE:
        names = names[WAYS.index(way) :: len(WAYS)]
    with chromium.served(broken) as address:
        for number, name in enumerate(names):
            content = (broken / name).read_bytes()
            if way == "missing":
                (broken / name).unlink()
            else:
                (broken / name).write_bytes(
                    content[:-100] if way == "cut" else b"<!doctype html><p>not found"
                )
            page.open(f"{address}?{way}{number}")
            page.wait_for(f"location.search === '?{way}{number}'")
            sentence = told(page)
            assert sentence.startswith(name), sentence
            assert "reload the page" in sentence
            (broken / name).write_bytes(content)
    page.keep_nothing(nothing=False)


@pytest.mark.parametrize("content", [None, b"", b"<!doctype html>", b"{}", b"[1]"])
def test_a_damaged_lock_is_told(broken: Path, page: chromium.Page, content: bytes | None) -> None:
    (broken / "lock.json").unlink()
    if content is not None:
        (broken / "lock.json").write_bytes(content)
    with chromium.served(broken) as address:
        page.open(address)
        assert told(page).startswith("lock.json")


def test_what_an_older_page_has_left_is_fetched_anew(broken: Path, page: chromium.Page) -> None:
    with chromium.served(broken) as address:
        begin(page, address)
        lock = json.loads((broken / "lock.json").read_bytes())
        (each,) = (each for each in lock["runtime"] if each["url"] == "game.pack")
        content = lzma.decompress((broken / "game.pack").read_bytes())
        newer = lzma.compress(content, lzma.FORMAT_ALONE, filters=[{**FILTERS[0], "preset": 1}])
        each |= {"bytes": len(newer), "sha256": hashlib.sha256(newer).hexdigest()}
        (broken / "game.pack").write_bytes(newer)
        (broken / "lock.json").write_text(json.dumps(lock))
        begin(page, f"{address}?again")


def test_a_page_without_its_script_says_so(broken: Path, page: chromium.Page) -> None:
    (broken / "page.js").unlink()
    with chromium.served(broken) as address:
        page.open(address)
        page.wait_for(
            "document.getElementById('said')?.innerText.startsWith('page.js cannot be had')"
        )


def test_a_browser_without_webgl_is_told_before_anything_is_fetched(
    site: Path, own_page: chromium.Page
) -> None:
    own_page.before(NO_GL)
    with chromium.served(site) as address:
        own_page.open(address)
        assert "no WebGL 2" in told(own_page)
        fetched = (
            "performance.getEntriesByType('resource').some(each => each.name.endsWith('.pack'))"
        )
        assert own_page.evaluate(fetched) is False


@pytest.mark.parametrize("lack", [NO_PLACE, NO_ROOM])
def test_a_browser_that_keeps_nothing_says_so(
    site: Path, own_page: chromium.Page, lack: str
) -> None:
    own_page.before(lack)
    with chromium.served(site) as address:
        begin(own_page, address)
        own_page.tap("KeyM", "m")
        own_page.wait_for("ecs_softbody.stage._told.startsWith('The browser keeps nothing')")
        assert not own_page.evaluate(SHOWN)


def test_two_tabs_leave_each_other_what_they_keep(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        begin(page, address)  # it has nothing yet
        page.evaluate(
            "new Promise(done => { const opening = indexedDB.open('ecs_softbody', 1); "
            "opening.onsuccess = () => {"
            " const change = opening.result.transaction('saves', 'readwrite');"
            " change.objectStore('saves').put(new TextEncoder().encode('{}'), 'other.json');"
            " change.oncomplete = done; }; })"
        )
        page.tap("KeyM", "m")
        page.wait_for(
            "new Promise(done => { const opening = indexedDB.open('ecs_softbody', 1); "
            "opening.onsuccess = () => {"
            " const asked = opening.result.transaction('saves').objectStore('saves').getAllKeys();"
            " asked.onsuccess = () => done(asked.result.includes('other.json') && "
            "asked.result.length > 1); }; })"
        )


def test_another_link_in_the_same_tab_is_opened(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        first, second = (
            f"#scene={scene_to_text(BALL.format(title).encode())}" for title in ("One", "Two")
        )
        page.open(address + first)
        page.wait_for(f"{READY} && document.querySelector('#cover h1').innerText === 'One'")
        page.evaluate(f"void (location.hash = '{second}')")
        page.wait_for(f"{READY} && document.querySelector('#cover h1').innerText === 'Two'")


def test_what_stops_a_page_is_silent_and_can_be_copied(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        begin(page, address)
        key = "new KeyboardEvent('keydown', {code: 'Space', key: ' ', cancelable: true})"
        page.evaluate("ecs_softbody.script.wrong('it burst\\nthere')")
        page.wait_for("ecs_softbody.script.sound.context.state === 'suspended'")
        assert (
            page.evaluate(f"(event => (dispatchEvent(event), event.defaultPrevented))({key})")
            is False
        )
        assert (
            page.evaluate("document.querySelector('#wrong h1').innerText")
            == "Jelly platformer has stopped"
        )


def test_keys_of_the_browser_stay_its_own(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        begin(page, address)
        pressed = (
            "(e => (dispatchEvent(e), e.defaultPrevented))"
            "(new KeyboardEvent('keydown', {{code: 'KeyR', key: 'r', ctrlKey: {}, "
            "cancelable: true}}))"
        )
        assert page.evaluate(pressed.format("true")) is False
        assert page.evaluate(pressed.format("false")) is True


HELD = "(key => ecs_softbody.stage._devices.controls.held.has(key))"


def test_buttons_of_the_mouse_come_and_go_by_themselves(site: Path, page: chromium.Page) -> None:
    with chromium.served(site) as address:
        begin(page, address)
        for buttons, left, right in (
            (1, True, False),
            (3, True, True),
            (2, False, True),
            (0, False, False),
        ):
            kind = "pointerdown" if buttons == 1 else "pointermove" if buttons else "pointerup"
            event = (
                f"new PointerEvent('{kind}', {{pointerId: 1, pointerType: 'mouse', buttons: "
                f"{buttons}}})"
            )
            page.evaluate(
                "(canvas => { canvas.setPointerCapture = () => 0; "
                f"canvas.dispatchEvent({event}); }})(document.getElementById('canvas'))"
            )
            assert page.evaluate(f"{HELD}('mouse_left')") is left
            assert page.evaluate(f"{HELD}('mouse_right')") is right


def test_two_fingers_play_at_once(site: Path) -> None:
    with chromium.served(site) as address, chromium.opened((390, 844), touch=True) as page:
        begin(page, address)
        page.touch((200, 300))
        page.touch()
        page.wait_for("document.querySelector('#glass [data-key=right]') !== null")
        boxes = page.evaluate(
            "[...document.querySelectorAll('#glass button')].map(b => b.getBoundingClientRect())"
            ".map(b => [b.left, b.top, b.right, b.bottom])"
        )
        for number, (left, bottom, right, top) in enumerate(boxes):
            assert 0 <= left < right <= 390
            for a, b, c, d in boxes[:number]:
                # none lies on another
                assert c <= left or right <= a or d <= bottom or top <= b
        places = {
            key: tuple(page.evaluate(
                "(b => [b.x + b.width / 2, b.y + b.height / 2])"
                f"(document.querySelector('#glass [data-key={key}]').getBoundingClientRect())"
            ))
            for key in ("right", "space")
        }  # fmt: skip
        page.touch(places["right"])
        page.touch(places["right"], places["space"])
        page.wait_for(f"{HELD}('right') && {HELD}('space')")
        page.touch()
        page.wait_for(f"!{HELD}('right') && !{HELD}('space')")
        page.touch(places["right"])
        page.touch(places["right"], (200, 300))  # the second finger is the mouse
        page.wait_for(f"{HELD}('right') && {HELD}('mouse_left')")
        page.touch()
        page.wait_for(f"!{HELD}('mouse_left')")
        assert page.evaluate("ecs_softbody.stage._devices.controls.device") == "touch"

"""A stage in a page, with a stand-in for the page: keys, fingers, controllers, sound, what stops a
game.
"""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ecs_softbody import Simulation, blueprints, scenes
from ecs_softbody.cli import in_page
from ecs_softbody.cli.in_page import begin
from ecs_softbody.cli.main import main
from ecs_softbody.play import Axis, Button, Controls, Game
from ecs_softbody.play.input.hints import game_hints
from ecs_softbody.play.launch.playing import playing
from ecs_softbody.play.screens.keybar import Bar
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.play.session import Session
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.web.glass import buttons_of_game, glass_of, mode_of
from ecs_softbody.web.keys import key_name
from ecs_softbody.web.links import scene_to_text, text_to_scene
from ecs_softbody.web.media import WebMedia
from ecs_softbody.web.stage import WebStage
from included import included_games
from tests.helpers.internals import cells_of, controls_of, set_clock, shown_on, value_place

SCENE = b'[scene]\ntitle = "Box"\n\n[[body]]\nkind = "ball"\nposition = [0.0, 3.0]\nradius = 0.5\n'


class FakePage:
    """In place of page.js: keeps what it is called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.sound = self
        self.downloads: list[tuple[str, bytes, str]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.calls.append((name, *values))

    def backend(self, shaders: str) -> FakePage:
        assert json.loads(shaders)["vertex"].startswith("#version 300 es")
        return self

    def download(self, name: str, address: int, length: int, kind: str) -> None:
        self.downloads.append((name, ctypes.string_at(address, length), kind))

    def read(self, address: int, width: int, height: int) -> None:
        ctypes.memset(address, 200, 4 * width * height)

    def player(self) -> FakePage:
        return self

    def buffer(self, address: int, frames: int, rate: int) -> bytes:
        return ctypes.string_at(address, 4 * frames)

    def said(self, name: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == name]


class Hopper(Game):
    """A ball that is pushed."""

    name: ClassVar[str] = "hopper"
    title: ClassVar[str] = "Hopper"
    actions: ClassVar[dict[str, Any]] = {
        "go": Axis("left a", "right d", "stick_x"),
        "hop": Button("space", "pad_a"),
    }

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world=self.name)
        self.sim.spawn(*blueprints.ball((0, 1), 0.5))
        self.seen: list[tuple[float, bool]] = []

    def update(self, controls: Any, dt: float) -> None:
        self.seen.append((controls.axis("go"), controls.was_pressed("hop")))
        if controls.is_pressed("x"):
            raise RuntimeError("it burst")


@pytest.fixture
def page() -> FakePage:
    return FakePage()


@pytest.fixture
def stage(page: FakePage) -> WebStage:
    return WebStage(page, (640, 360))


def play(stage: WebStage, pictures: int) -> None:
    # a clock that goes on by a frame for each look
    set_clock(stage, iter(np.arange(1e6) / 60.0).__next__)
    for _ in range(pictures):
        assert stage.picture()


def begun(stage: WebStage) -> Hopper:
    game = Hopper()
    stage.begin(lambda shown: playing(game, shown))
    while shown_on(stage) is None:
        assert stage.picture()
    stage.key("Space", " ", True)
    play(stage, 3)
    stage.key("Space", " ", False)
    play(stage, 3)
    return game


def test_keys_reach_the_game(stage: WebStage) -> None:
    game = begun(stage)
    assert stage.key("ArrowRight", "ArrowRight", True)
    assert stage.key("Space", " ", True)
    assert not stage.key("CapsLock", "CapsLock", True)
    play(stage, 4)
    assert (1.0, True) in game.seen
    stage.key("ArrowRight", "ArrowRight", False)
    play(stage, 4)
    assert game.seen[-1][0] == 0.0


def test_a_key_is_let_go_whatever_it_writes_by_then(stage: WebStage) -> None:
    begun(stage)
    stage.key("Slash", "-", True)
    assert "minus" in controls_of(stage).held
    stage.key("Slash", "_", False)
    assert not controls_of(stage).held


def test_a_controller_plays(stage: WebStage) -> None:
    game = begun(stage)
    pad = {"index": 0, "id": "Wireless Controller (STANDARD GAMEPAD Vendor: 054c Product: 0ce6)"}
    pad |= {"axes": [-1, 0, 0, 0], "held": [True, *[False] * 16], "far": [1, *[0] * 16]}
    stage.read_pads(json.dumps([pad]))
    play(stage, 4)
    assert (-1.0, True) in game.seen
    assert controls_of(stage).family == "PS"
    stage.read_pads("[]")
    play(stage, 2)
    assert stage.pads.count == 0


def test_another_tab_pauses(stage: WebStage) -> None:
    begun(stage)
    stage.hide()
    assert shown_on(stage).is_still
    stage.unhide()
    play(stage, 2)


def keys_on(page: FakePage) -> list[str]:
    return [each["key"] for each in json.loads(page.said("glass")[-1][0])]


def test_buttons_on_the_glass_are_the_actions_of_the_game(page: FakePage, stage: WebStage) -> None:
    game = begun(stage)
    shown = json.loads(page.said("glass")[-1][0])
    assert [(each["key"], each["side"]) for each in shown] == [
        ("left", "left"), ("right", "left"), ("space", "right"), ("p", "corner"),
    ]  # fmt: skip
    assert shown[2]["label"] == "hop"
    stage.touch("left", True)
    play(stage, 3)
    assert game.seen[-1][0] == -1.0


def tapped(stage: WebStage, key: str) -> None:
    stage.touch(key, True)
    stage.touch(key, False)
    play(stage, 3)


def test_fingers_reach_what_lies_around_a_game(page: FakePage, stage: WebStage) -> None:
    stage.fingers(True)
    stage.begin(lambda shown: playing(Hopper(), shown))
    while shown_on(stage) is None:
        assert stage.picture()
    play(stage, 2)
    assert keys_on(page) == ["o", "f11", "escape"]
    tapped(stage, "o")
    assert keys_on(page) == ["escape"]
    tapped(stage, "escape")
    tapped(stage, "space")
    game = shown_on(stage).game
    tapped(stage, "p")
    assert keys_on(page) == ["r", "o", "f11", "escape"]
    tapped(stage, "f11")
    assert page.said("fullscreen")
    frames = len(game.seen)
    tapped(stage, "r")
    assert len(game.seen) < frames  # it has begun anew
    assert keys_on(page)[-1] == "p"
    game.outcome = "won"
    play(stage, 3)
    assert keys_on(page) == ["r", "escape"]
    before = len(page.said("glass"))
    play(stage, 30)
    assert len(page.said("glass")) == before  # told when it changes


def test_a_finger_scrolls_the_menu_and_chooses_where_it_rests() -> None:
    menu = Menu([Choice(f"game{number}", "Game", "") for number in range(30)])
    menu.picture(390, 844)

    def touched(place: tuple[float, float], **what: set[str]) -> None:
        menu.frame(Controls(device="touch", pointer_screen=place, **what))
        menu.picture(390, 844)

    def at(number: int) -> float:
        return cells_of(menu)[number].top

    down = {"mouse_left"}
    first = at(0)
    touched((200.0, 300.0), held=down, pressed=down)
    touched((200.0, 360.0), held=down)
    touched((200.0, 500.0), held=down)
    touched((200.0, 500.0), released=down)
    for _ in range(30):
        touched((200.0, 500.0))
    assert at(0) == pytest.approx(first + 200.0, abs=1.0)
    assert menu.chosen is None
    card = cells_of(menu)[4]
    touched((card.left + 20.0, card.top - 20.0), held=down, pressed=down)
    assert menu.chosen is None
    touched((card.left + 24.0, card.top - 20.0), released=down)
    assert menu.chosen == f"game{card.number}"


def test_a_page_without_a_game_has_the_menu(page: FakePage) -> None:
    stage = begin(page, 640, 360, "", "", "")
    assert stage is not None
    while not isinstance(shown_on(stage), Menu):
        assert stage.picture()
    play(stage, 3)
    assert [each.name for each in shown_on(stage).choices if each.group != "test"]
    assert keys_on(page) == ["o", "f11"]
    tapped(stage, "enter")
    for _ in range(200):
        assert stage.picture()
        if isinstance(shown_on(stage), Session):
            break
    assert shown_on(stage).game.name in included_games()


def test_a_screen_that_is_no_game_has_buttons_of_its_own() -> None:
    assert mode_of(Menu([])) == "menu"
    assert [each["key"] for each in glass_of("menu")] == ["o", "f11"]


@pytest.mark.parametrize(("beside", "volume"), [(5.0, 0.7), (60.0, 0.9)])
def test_a_finger_turns_volumes_up_and_down(stage: WebStage, beside: float, volume: float) -> None:
    game = begun(stage)
    game.sounds.volume = 0.8
    stage.fingers(True)
    tapped(stage, "p")
    tapped(stage, "o")
    shown = shown_on(stage).settings_shown
    assert not shown.parts  # fingers have no keys to choose
    x, y = value_place(shown, "volume")
    stage.point((x + beside) * stage.pixels_per_point, y * stage.pixels_per_point)
    stage.button(0, True)
    play(stage, 3)
    assert game.sounds.volume == pytest.approx(volume)


class Pictured(Hopper):
    """Its list of keys names more than its actions."""

    actions: ClassVar[dict[str, Any]] = {
        "fly": Axis("down s", "up w"),
        "hop": Button("space"),
        "shoot": Button("mouse_left"),
    }
    keys: ClassVar[list[tuple[str, str]]] = [
        ("horizontal", "roll"),
        ("mouse", "pull"),
        ("T", "table"),
        ("hop", "hop"),
    ]


def test_what_the_list_of_keys_names_is_on_the_glass_too() -> None:
    shown = buttons_of_game(Pictured())
    assert [each["key"] for each in shown if each["side"] == "left"] == [
        "left",
        "right",
        "up",
        "down",
    ]
    assert [(each["key"], each["label"]) for each in shown if each["side"] == "right"] == [
        ("space", "hop"),
        ("t", "T"),
    ]


@pytest.mark.parametrize("name", included_games())
def test_every_action_of_the_included_games_is_under_a_finger(name: str) -> None:
    game = included_games()[name].load()()
    buttons = buttons_of_game(game)
    keys = [each["key"] for each in buttons]
    assert len(keys) == len(set(keys))
    words = {word for text, _ in game.keys for word in text.split() if text not in game.by_pointer}
    assert set("←→↑↓") & words <= {each["label"] for each in buttons}
    for part in game.bindings.parts() + [
        f"{word}{end}" for word in words & {"horizontal", "vertical"} for end in "-+"
    ]:
        reached = set(game.bindings.keys(part)) & set(keys)
        assert bool(reached) != (part.rstrip("-+") in game.by_pointer), part


class Slung(Hopper):
    """The mouse does what an axis and two keys do."""

    keys: ClassVar[list[tuple[str, str]]] = [
        ("mouse", "pull"),
        ("go", "aim"),
        ("↑ ↓", "look"),
        ("hop", "hop"),
    ]
    by_pointer: ClassVar[tuple[str, ...]] = ("go", "↑ ↓")


def test_what_the_pointer_does_needs_no_button() -> None:
    assert [each["key"] for each in buttons_of_game(Slung())] == ["space"]


@pytest.mark.parametrize(("wrong", "named"), [("go", "go"), (("going",), "going"), ((None,), None)])
def test_what_the_pointer_does_is_checked(
    monkeypatch: pytest.MonkeyPatch, wrong: object, named: object
) -> None:
    monkeypatch.setattr(Slung, "by_pointer", wrong)
    with pytest.raises(
        TypeError,
        match=f"Slung.by_pointer: {named!r} is not allowed; expected a list of some .*'go', 'hop'",
    ):
        Slung()


def test_fingers_are_told_what_fingers_do(stage: WebStage) -> None:
    game = begun(stage)
    controls = controls_of(stage)
    stage.fingers(True)
    keys = [("go", "go"), ("hop", "hop"), ("mouse", "pull")]
    assert game_hints(keys, game.bindings, controls) == [
        ("← →", "go"),
        ("hop", "hop"),
        ("finger", "pull"),
    ]
    assert Bar(Picture(640, 360), controls).call("title.press") == "Tap to play"
    stage.touch("p", True)
    play(stage, 2)
    assert shown_on(stage).state == "paused"
    stage.touch("p", False)
    stage.button(0, True)
    play(stage, 2)
    assert shown_on(stage).state == "playing"
    assert controls_of(stage).device == "touch"
    stage.fingers(False)
    stage.key("KeyQ", "q", True)
    assert game_hints(keys[1:2], game.bindings, controls_of(stage)) == [("space", "hop")]


def test_what_stops_a_game_is_told_with_its_line(page: FakePage, stage: WebStage) -> None:
    begun(stage)
    stage.key("KeyX", "x", True)
    play(stage, 4)
    (told,) = page.said("wrong")
    assert "Hopper has stopped" in told[0]
    assert "it burst (test_stage.py, line " in told[0]


def test_a_screenshot_is_a_download(page: FakePage, stage: WebStage) -> None:
    begun(stage)
    stage.key("F12", "F12", True)
    ((name, content, kind),) = page.downloads
    assert name.endswith(".png")
    assert content.startswith(b"\x89PNG")
    assert kind == "image/png"


def test_sounds_are_handed_over_as_they_are(page: FakePage) -> None:
    samples = np.arange(8, dtype=np.int16).reshape(4, 2)
    player = WebMedia(page).source(samples, 22050).play()
    assert page.said("start") == [(samples.tobytes(), False, 1.0, 1.0)]
    player.volume = 0.5
    player.pitch = 2.0
    player.pause()
    assert (page.said("volume"), page.said("pitch"), page.said("end")) == ([(0.5,)], [(2.0,)], [()])


@pytest.mark.parametrize(
    ("code", "sign", "name"),
    [
        ("KeyA", "q", "q"),
        ("KeyA", "Q", "q"),
        ("KeyA", "ф", "a"),
        ("Digit1", "!", "1"),
        ("Numpad4", "4", "4"),
        ("Slash", "-", "minus"),
        ("Equal", "+", "plus"),
        ("F3", "F3", "f3"),
        ("F13", "F13", ""),
        ("Minus", "ß", "minus"),
    ],
)
def test_names_of_keys(code: str, sign: str, name: str) -> None:
    assert key_name(code, sign) == name


@pytest.mark.parametrize("content", [b"", SCENE, bytes(range(256)) * 30])
def test_a_link_carries_a_scene(content: bytes) -> None:
    text = scene_to_text(content)
    assert text.replace("-", "").replace("_", "").isalnum()
    assert text_to_scene(text) == content
    with pytest.raises(ValueError, match="not all of it was copied"):
        text_to_scene(text[: len(text) // 2])


@pytest.mark.parametrize("text", ["ä", "a=b", "%%%", "AAAA", "x" * 70_000])
def test_what_is_no_scene_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the link carries"):
        text_to_scene(text)


def test_a_link_that_would_fill_the_memory_is_refused() -> None:
    import base64
    import zlib

    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(bytes(40_000_000)) + packer.flush()
    with pytest.raises(ValueError, match="more than 1000000 bytes"):
        text_to_scene(base64.urlsafe_b64encode(bomb).decode().rstrip("="))


@pytest.mark.parametrize(
    ("asked", "scene", "told"),
    [
        ("nothing-of-this", "", "is not installed"), ("", "AAAA", "the link carries no"),
        ("os:system", "", "is not installed"),
    ],
)  # fmt: skip
def test_a_page_says_what_is_wrong_with_its_address(
    page: FakePage, asked: str, scene: str, told: str
) -> None:
    assert begin(page, 640, 360, "jelly-platformer", asked, scene) is None
    assert told in page.said("wrong")[0][0]


def test_nested_json_is_refused_before_a_parser_calls_itself(
    page: FakePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_page, "SHARED", tmp_path)
    assert (
        begin(page, 640, 360, "jelly-platformer", "", scene_to_text(b'{"a":' + b"[" * 200_000))
        is None
    )
    assert "so many nested brackets are not allowed" in page.said("wrong")[0][0]


FLOOR = "[entities.floor]\nStaticCollider = { vertices = [[-9, 0], [9, 0]] }\n"
HEAVY = (
    FLOOR
    + "[entities.jelly]\nbox = { center = [0, 5], size = [8, 8], rows = 400, columns = 400 }\n"
)
MANY = FLOOR + "".join(
    f"[entities.b{number}]\nball = {{ center = [{number}, 3], radius = 0.3 }}\n"
    for number in range(2000)
)
TOO_HEAVY = [
    (HEAVY, "160000 particles are not allowed; expected at most 8000 in all"),
    (MANY, "2001 entities are not allowed; expected at most 2000"),
]


@pytest.mark.parametrize(("content", "told"), TOO_HEAVY)
def test_a_heavy_scene_of_a_link_is_refused(
    page: FakePage,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: str,
    told: str,
) -> None:
    monkeypatch.setattr(in_page, "SHARED", tmp_path)
    assert begin(page, 640, 360, "jelly-platformer", "", scene_to_text(content.encode())) is None
    assert told in page.said("wrong")[0][0]
    (tmp_path / "heavy.toml").write_text(content)
    assert not scenes.check(tmp_path / "heavy.toml")  # here it may be as heavy
    assert main(["share", str(tmp_path / "heavy.toml")]) == 2
    assert told in capsys.readouterr().err


def test_a_light_scene_of_a_link_is_shown(
    page: FakePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_page, "SHARED", tmp_path)
    light = HEAVY.replace("400", "80")
    assert begin(page, 640, 360, "jelly-platformer", "", scene_to_text(light.encode())) is not None

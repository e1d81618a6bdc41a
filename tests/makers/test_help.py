"""What `help` shows: what a user needs, attributes included, and nothing private."""

from __future__ import annotations

import pydoc
import re

import pytest

from ecs_softbody import Character, Particles, Simulation, Springs
from ecs_softbody.play import Game, Session, play, show
from ecs_softbody.rendering import Look

NEEDED = {
    Simulation: (
        "time time_scale paused profiler gravity substeps get has exists entities center "
        "pick on off spawn"
    ),
    Game: (
        "sim camera sounds effects outcome title tagline keys name start update "
        "after_step draw autopilot"
    ),
    Session: "game state exit_requested frame picture restart close",
    Particles: (
        "position velocity mass radius pinned kinematic can_sleep gravity_scale force "
        "center pose free"
    ),
    Character: (
        "move jump squash stick launch speed jump_height coyote_time grounded on_wall "
        "sliding standing slime"
    ),
    Springs: "pairs stiffness damping rest_length",
    Look: "fill outline style eyes eye_size mood opacity shadow glow layer_offset",
}
PRIVATE = {
    "angular_budget", "loose", "reserved", "table", "play", "row_arrays", "row_start", "slot",
    "stage_column", "types", "jointed", "refer_to", "check_fit", "complete", "drives",
}  # fmt: skip


def shown(kind: object) -> str:
    return pydoc.plain(pydoc.render_doc(kind))


@pytest.mark.parametrize("kind", NEEDED)
def test_help_shows_what_a_user_needs(kind: type) -> None:
    text = shown(kind)
    missing = [
        name
        for name in NEEDED[kind].split()
        if not re.search(rf"^ \|[ ,\w]*\b{name}\b", text, re.MULTILINE)
    ]
    assert missing == []


@pytest.mark.parametrize("kind", NEEDED)
def test_help_shows_nothing_private(kind: type) -> None:
    text = shown(kind)
    headings = set(re.findall(r"^ \|  (\w+)(?:\(| =|$)", text, re.MULTILINE))
    assert headings & PRIVATE == set()
    assert [name for name in headings if name.startswith("_") and not name.endswith("__")] == []


@pytest.mark.parametrize("name", ["position", "mass", "can_sleep"])
def test_a_column_tells_its_meaning_and_unit(name: str) -> None:
    assert re.search(rf"^ \|  {name}\n \|      \w.*\.$", shown(Particles), re.MULTILINE)


def test_a_component_lists_its_attributes_for_completion() -> None:
    assert {"position", "velocity", "center"} < set(dir(Particles([(0, 0)])))
    assert not PRIVATE & set(dir(Particles([(0, 0)])))


def test_help_of_a_look_shows_its_fields_as_arguments() -> None:
    # from Python 3.13 on a line each
    text = re.sub(r"\s*\n \|\s*|(?<=\()\s+", " ", shown(Look))
    assert re.search(r"Look\( ?fill: 'Colour \| None' = None, outline:", text)


@pytest.mark.parametrize("function", [play, show])
def test_play_and_show_say_what_they_raise(function: object) -> None:
    assert "NoDisplay" in shown(function)
    assert "GameStopped" in shown(function)

"""Writing: what is not changed stays as it stands, in TOML and in JSON.

Checking: all mistakes at once.
"""

from __future__ import annotations

import copy
import json
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody import Particles, blueprints, scenes
from ecs_softbody.scenes.text.json_text import REMOVED
from ecs_softbody.scenes.text.toml_lists import WrittenList
from ecs_softbody.scenes.text.writing import edited

TOML = """# a level
[world]
substeps = 8  # enough

[entities.hero]  # who plays
ball = { center = [0, 1], radius = 0.5 }
at = [0, 0]
"""
JSON = """{
    "title": "x",   "world": {"substeps": 8},
    "entities": {"hero": {"ball": {"center": [0, 1], "radius": 0.5}, "at": [0, 0]}},
    "data": {"a": [1, 2, 3]}
}
"""
NAMES = st.text('abz é"\\\n{}[],:', min_size=1, max_size=4)
LEAVES = (
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(allow_nan=False, width=32) | NAMES
)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4)
)
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, TREES, max_size=3) | TREES, max_size=4)


def moved(path: Path) -> bytes:
    """Load a scene, move its hero, save it, and return the file."""
    scene = scenes.open(path)
    scene.sim.get(scene["hero"], Particles).position += (1.0, 0.5)
    scenes.save(scene)
    scene.sim.close()
    return path.read_bytes()


@pytest.mark.brief(6)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(("name", "text"), [("a.toml", TOML), ("a.json", JSON)])
def test_a_moved_body_changes_its_place_and_nothing_else(
    tmp_path: Path, name: str, text: str, mark: bytes, ends: str
) -> None:
    path = tmp_path / name
    path.write_bytes(mark + text.replace("\n", ends).encode())
    expected = mark + text.replace("[0, 0]", "[1.0, 0.5]").replace("\n", ends).encode()
    assert moved(path) == expected


def test_a_file_on_one_line_and_what_comes_and_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '{"entities":{"hero":{"ball":{"center":[0,1],"radius":0.5}},"other":{"ball":{"center":[3,1],"radius":1}}}}'
    )
    scene = scenes.open(path)
    scene.sim.get(scene["hero"], Particles).position += (1.0, 0.5)
    scene.sim.despawn(scene["other"])
    scenes.save(scene)
    assert (
        path.read_text()
        == '{"entities":{"hero":{"ball":{"center":[0,1],"radius":0.5}, "at": [1.0, 0.5]}}}'
    )
    scene.sim.close()


@pytest.mark.slow
@given(TABLES, st.data())
@settings(max_examples=150, deadline=None)
def test_edits_of_any_json_are_what_they_say(tree: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(
        tree, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 1, 4]))
    )
    wanted = copy.deepcopy(tree)
    edits = []
    for _ in range(data.draw(st.integers(1, 3))):
        table = wanted
        path = ()
        while True:
            key = data.draw(NAMES | st.sampled_from(sorted(table)) if table else NAMES)
            path = (*path, key)
            if not isinstance(table.get(key), dict) or data.draw(st.booleans()):
                break
            table = table[key]
        if key in table and data.draw(st.booleans()):
            del table[key]
            edits.append((path, REMOVED))
        else:
            table[key] = data.draw(TREES)
            edits.append((path, table[key]))
    made = edited(text, tree, edits, toml=False)
    assert json.loads(made) == json.loads(
        json.dumps(wanted).replace("Infinity", '"inf"').replace('-"inf"', '"-inf"')
    )


@pytest.mark.slow
@given(TREES)
@settings(max_examples=150, deadline=None)
def test_lists_are_written_as_by_tomlkit(tree: Any) -> None:
    value = [[json.loads(json.dumps(tree).replace("null", "0"))]]
    for in_lines in (False, True):
        expected = tomlkit.item(value).multiline(in_lines).as_string()
        assert WrittenList(value, in_lines=in_lines).as_string() == expected


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_what_is_written_takes_time_as_it_is_long(tmp_path: Path, ending: str) -> None:
    """The square of 4000 entries would take ten seconds and more."""
    path = tmp_path / f"level{ending}"
    tree = {"a": {f"k{number}": {"x": 1, "y": [2]} for number in range(500)}}
    text = tomlkit.dumps(tree) if ending == ".toml" else json.dumps(tree, indent=2)
    edits = [(("a", f"k{number}", "x"), [[float(number), 2.0]] * 3) for number in range(500)]
    edits.append((("a", "long"), [[float(number), 1.0] for number in range(4000)]))
    started = time.process_time()
    made = edited(text, tree, edits, toml=ending == ".toml")
    assert time.process_time() - started < 4.0
    path.write_text(made)
    assert (tomllib.loads if ending == ".toml" else json.loads)(made)["a"]["k9"] == {
        "x": [[9.0, 2.0]] * 3,
        "y": [2],
    }


@pytest.mark.slow
def test_a_scene_that_could_not_be_opened_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(TOML)
    scene = scenes.open(path)
    scene.sim.spawn(*blueprints.rope((0, 5), (9, 5), segments=30_000))
    with pytest.raises(
        ValueError, match=r" a\.toml would have \d+ bytes; expected at most 2000000"
    ):
        scenes.save(scene)
    assert path.read_text() == TOML
    scene.sim.close()


def test_a_new_table_has_room_on_both_sides() -> None:
    text = "[a.b]\nx = 1\n\n[c]\ny = 2\n"
    made = edited(
        text, {"a": {"b": {"x": 1}}, "c": {"y": 2}}, [(("a", "new"), {"z": 3})], toml=True
    )
    assert made == "[a.b]\nx = 1\n\n[a.new]\nz = 3\n\n[c]\ny = 2\n"


def test_a_file_that_is_missing_hides_no_other_mistake(tmp_path: Path) -> None:
    (tmp_path / "more.toml").write_text(
        "[materials.x]\nfriction = -1\n[prefabs.p]\nblb = {}\n[prefabs.p.ball]\nradius = 'a'\n"
    )
    path = tmp_path / "a.toml"
    path.write_text(
        'include = ["none.toml", "more.toml"]\n[world]\nsubsteps = 0\n[entities.a]\nprefab = "p"\n'
        '[entities.b]\nprefab = "in none.toml"\nball = { radius = 1, mas = 3 }\nat = 3\n'
    )
    told = [(one.file, one.line, one.path) for one in scenes.check(path)]
    assert sorted(told) == sorted(
        [
            ("a.toml", 1, "include[0]"),
            ("a.toml", 3, "world.substeps"),
            ("a.toml", 8, "entities.b.ball.mas"),
            ("a.toml", 9, "entities.b.at"),
            ("more.toml", 2, "materials.x.friction"),
            ("more.toml", 4, "prefabs.p.blb"),
            ("more.toml", 6, "prefabs.p.ball.radius"),
        ]
    )


def test_a_mistake_of_a_prefab_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    entities = "".join(f'[entities.e{k}]\nprefab = "p"\nat = [{k}, 0]\n' for k in range(20))
    path.write_text(f"[prefabs.p]\nball = {{ center = [0, 0], radius = -1 }}\n{entities}")
    assert [(one.line, one.path) for one in scenes.check(path)] == [(2, "prefabs.p.ball.radius")]

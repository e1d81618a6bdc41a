"""Broken and hostile files: one clear error each, soon, and nothing else."""

from __future__ import annotations

import base64
import random
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.imports import import_file, svg, tiled
from tests.imports.samples import a_map, broken, sources, write

LONGEST = 5.0
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'


def refusal_of(path: Path) -> str:
    """Return what is said about a file that is refused; an empty string where it is imported."""
    try:
        import_file(path)
    except ValueError as error:
        return str(error) or "nothing"
    return ""


def try_broken(folder: Path, ending: str, seeds: range) -> int:
    """Import files with something wrong; return how many were refused."""
    data = sources()[ending]
    refused = 0
    for seed in seeds:
        path = write(folder, f"broken{ending}", broken(ending, data, random.Random(seed)))
        started = time.process_time()
        said = refusal_of(path)
        assert time.process_time() - started < LONGEST, seed
        assert "\n" not in said, seed
        assert not said or path.name in said or "picture.source" in said, (seed, said)
        refused += bool(said)
    return refused


@pytest.mark.brief(4)
@pytest.mark.parametrize("ending", [".tmj", ".ldtk", ".svg", ".png"])
def test_mutated_files_are_imported_or_refused(tmp_path: Path, ending: str) -> None:
    assert try_broken(tmp_path, ending, range(25)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".tmj", ".ldtk", ".svg", ".png"])
def test_two_thousand_mutated_files_are_imported_or_refused(tmp_path: Path, ending: str) -> None:
    assert try_broken(tmp_path, ending, range(1000, 1500)) > 100


def test_a_refused_file_leaves_the_world_as_it_is(tmp_path: Path) -> None:
    with Simulation(world="unchanged") as sim:
        body = sim.spawn(*blueprints.blob((0, 1), 0.5))
        sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
        sim.step(1.0 / 60.0)
        before = sim.get(body, Particles).position.copy(), sim.entities()
        for seed in range(10):
            path = write(
                tmp_path, "broken.tmj", broken(".tmj", sources()[".tmj"], random.Random(seed))
            )
            refusal_of(path)
        assert sim.entities() == before[1]
        np.testing.assert_array_equal(sim.get(body, Particles).position, before[0])


def changed(**fields: Any) -> dict[str, Any]:
    raw = a_map()
    raw["layers"][0].update(fields)
    return raw


def deep_groups() -> dict[str, Any]:
    raw = a_map()
    layer = {"type": "group", "layers": []}
    raw["layers"] = [layer]
    for _ in range(300):
        inner: dict[str, Any] = {"type": "group", "layers": []}
        layer["layers"] = [inner]
        layer = inner
    return raw


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (changed(width=10**9), ": width is 1000000000"),
        (changed(width=2000, height=2000), "more than 1000000 cells"),
        (
            changed(data=base64.b64encode(zlib.compress(bytes(10**7))).decode()),
            "it has more than 288 cells",
        ),
        (changed(compression="lzma"), "'lzma' cannot be read"),
        (deep_groups(), "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 50, "is no JSON"),
        ("[]", "expected a JSON object"),
        ({**a_map(), "orientation": "hexagonal"}, "expected an orthogonal map"),
        ({**a_map(), "tilesets": [{"firstgid": 1, "source": "../none.tsj"}]}, "there is no file"),
        (
            {**a_map(), "tilesets": [{"firstgid": 1, "source": "/etc/passwd"}]},
            "expected the name of a file beside it",
        ),
    ],
)
def test_hostile_maps(tmp_path: Path, content: Any, said: str) -> None:
    started = time.process_time()
    with pytest.raises(ValueError, match=said):
        tiled(write(tmp_path, "map.tmj", content))
    assert time.process_time() - started < LONGEST


def scribble(count: int) -> str:
    points = np.random.default_rng(0).random((count, 2)) * 100
    return f'<path d="M{" ".join(f"{x:.1f} {y:.1f}" for x, y in points.tolist())} Z"/>'


def uses(number: int) -> str:
    return f'<g id="a{number}">' + f'<use href="#a{number - 1}"/>' * 10 + "</g>"


USES = "".join(uses(number) for number in range(1, 12))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (
            (
                f'<defs><g id="a0"><rect width="5" height="5"/></g>{USES}</defs><use '
                'href="#a11"/></svg>'
            ),
            "with [0-9]* elements it would take too long",
        ),
        ('<g id="a"><use href="#a"/></g></svg>', "uses itself"),
        (f"{scribble(1000)}</svg>", "crosses itself more than"),
        (f"{scribble(20_000)}</svg>", "more than 20000 points"),
        (f"{'<g>' * 300}{'</g>' * 300}</svg>", "nested too deeply"),
        ("<rect/></nothing>", "is no XML"),
    ],
)
def test_hostile_drawings(tmp_path: Path, inside: str, said: str) -> None:
    started = time.process_time()
    with pytest.raises(ValueError, match=said):
        svg(write(tmp_path, "drawing.svg", HEAD + inside))
    assert time.process_time() - started < LONGEST


LAUGHS = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 12))


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ('<!ENTITY a SYSTEM "file:///etc/passwd">', "lead to other files"),
        ('<!ENTITY % a "b">', "lead to other files"),
        ('<!ENTITY a "&b;"><!ENTITY b "&a;">', "within entities"),
        (f'<!ENTITY a0 "ha">{LAUGHS}<!ENTITY a "&a11;">', "too long by its entities"),
        ("", "line 1, letter .*: an entity is used that the file does not declare"),
    ],
)
def test_entities_that_lead_elsewhere_or_have_no_end_are_refused(
    tmp_path: Path, declared: str, said: str
) -> None:
    text = f"<!DOCTYPE x [{declared}]>{HEAD}<desc>&a;</desc></svg>"
    with pytest.raises(ValueError, match=said):
        svg(write(tmp_path, "drawing.svg", text))


def test_numbers_beyond_all_measure_are_refused_or_left_out(tmp_path: Path) -> None:
    path = '<path d="M0 0 L1e300 0 L0 1e300 Z"/><path d="M0 0 H10 V10 H0 Z"/></svg>'
    assert len(svg(write(tmp_path, "drawing.svg", HEAD + path)).entities) == 1


@pytest.mark.slow
def test_maps_as_large_as_they_may_be_take_seconds(tmp_path: Path) -> None:
    raw = a_map()
    side = 150
    cells = (np.random.default_rng(0).random(side * side) < 0.5).astype(int).tolist()
    raw["layers"] = [
        {"type": "tilelayer", "name": "", "width": side, "height": side, "data": cells}
    ]
    raw["width"] = raw["height"] = side
    started = time.process_time()
    said = refusal_of(write(tmp_path, "map.tmj", raw))
    assert not said or "more than" in said
    assert time.process_time() - started < LONGEST

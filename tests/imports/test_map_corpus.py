"""Every map of the corpus becomes what it is to become: outlines, bodies, places and notes; or one
sentence.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from ecs_softbody import scenes
from ecs_softbody.cli.main import main
from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.imports import Imported, import_file
from ecs_softbody.rendering import Look, Tiles
from tests.imports.map_corpus import Case, cases

CASES = list(cases())
READ = [case for case in CASES if not case.expected.refused]


def written(case: Case, folder: Path) -> Path:
    for name, content in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder / case.file


def colliders(found: Imported, *, closed: bool) -> list[StaticCollider]:
    made = [part for one in found.entities if one.kind == "ground" for part in one.components]
    return [
        part for part in made if isinstance(part, StaticCollider) and bool(part.closed) is closed
    ]


def colours(drawn: list[Tiles]) -> list[tuple[int, ...]]:
    """Return the colour in the middle of each tile."""
    found = []
    for one in drawn:
        size = (one.texture.width, -one.texture.height)
        for x, y in (one.uv.mean(axis=1) * size).astype(int).tolist():
            found.append(tuple(one.texture.level(0)[y, x, :3].tolist()))
    return found


def the_same(found: list[Any], expected: list[Any]) -> None:
    one = shapely.union_all(found)
    two = shapely.union_all(expected)
    assert one.symmetric_difference(two).area <= 1e-6 * max(two.area, 1.0), f"{one}\n{two}"


def test_the_corpus_is_large() -> None:
    assert len(CASES) >= 90
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_map_becomes_what_it_is_to_become(case: Case, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    expected = case.expected
    if expected.refused:
        with pytest.raises(ValueError, match=re.escape(expected.refused)) as refused:
            import_file(path)
        said = str(refused.value)
        assert "\n" not in said
        assert str(tmp_path) not in said
        assert "Error" not in said
        return
    found = import_file(path)
    closed = colliders(found, closed=True)
    the_same(
        [shapely.Polygon(one.vertices) for one in closed],
        [shapely.Polygon(one) for one in expected.ground],
    )
    if expected.colliders is not None:
        assert len(closed) == expected.colliders
    lines = [one.vertices for one in colliders(found, closed=False)]
    np.testing.assert_allclose(lines, expected.lines, atol=1e-6)
    for entity, (kind, middle, size) in zip(
        [one for one in found.entities if one.kind not in ("ground", "tiles")],
        expected.bodies,
        strict=True,
    ):
        part = entity.components[0]
        points = part.position if isinstance(part, Particles) else part.vertices
        assert entity.kind == kind
        np.testing.assert_allclose(
            0.5 * (points.min(axis=0) + points.max(axis=0)), middle, atol=1e-6
        )
        # less a particle's radius
        np.testing.assert_allclose(np.ptp(points, axis=0), size, atol=0.14 * max(size))
    places = [(one.name, one.kind, one.position, one.size) for one in found.places]
    assert [one[:2] for one in places] == [one[:2] for one in expected.places]
    for (*_, position, size), (*_, there, large) in zip(places, expected.places, strict=True):
        np.testing.assert_allclose((position, size), (there, large), atol=1e-6)
    kept = [one.properties for one in (*found.places, *found.entities) if one.properties]
    assert not expected.kept or kept[0] == expected.kept
    assert len(found.notes) == len(expected.notes), found.notes
    for note, part in zip(found.notes, expected.notes, strict=True):
        assert part in note, found.notes
    looks = [
        part
        for one in found.entities
        if one.kind == "ground"
        for part in one.components
        if isinstance(part, Look)
    ]
    if expected.clear is not None:
        assert sum(one.opacity == 0.0 for one in looks) == expected.clear
    drawn = [part for one in found.entities for part in one.components if isinstance(part, Tiles)]
    if expected.drawn is not None:
        assert sum(len(one.corners) for one in drawn) == expected.drawn
    if expected.colours:
        assert colours(drawn) == expected.colours


@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_a_map_is_described_checked_and_opened_as_a_scene(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(case, tmp_path)
    assert main(["import", str(path)]) == 0
    told = capsys.readouterr().out
    for note in case.expected.notes:
        assert note in told
    assert not scenes.check(path)
    scenes.open(path).sim.close()


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.expected.refused], ids=lambda case: case.name
)
def test_a_map_that_is_refused_is_told_by_the_commands(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(case, tmp_path)
    assert main(["import", str(path)]) != 0
    said = capsys.readouterr()
    assert case.expected.refused in said.out + said.err
    assert "Traceback" not in said.out + said.err
    if path.suffix != ".json":  # another one may be a scene
        assert main(["check", str(path)]) != 0
        assert "Traceback" not in capsys.readouterr().err

"""Odd drawings: transforms of every shape, drawings in drawings, symbols, what is unseen, and fill
rules.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, StaticCollider, imports

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" '
    'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100" '
    'width="100" height="100">'
)
RECT = '<rect width="10" height="10"/>'
SYMBOL = f'<symbol id="s" viewBox="0 0 10 10">{RECT}</symbol>'


def drawn(folder: Path, inside: str, head: str = HEAD) -> imports.Imported:
    """Return a drawing of a hundred pixels, each a metre."""
    path = folder / "drawing.svg"
    path.write_text(f"{head}{inside}</svg>")
    return imports.svg(path, height=100.0)


def area(points: Any) -> float:
    x, y = np.asarray(points).T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


BOXES: list[tuple[str, tuple[float, float, float, float]]] = [
    (
        '<rect x="10" y="10" width="20" height="10" transform="rotate(180 50 50)"/>',
        (70, 10, 90, 20),
    ),
    (
        '<g transform="translate(50 50)"><g transform="rotate(90)"><g transform="scale(2,1)">'
        '<rect width="10" height="5" transform="matrix(1 0 0 1 1 0)"/></g></g></g>',
        (45, 28, 50, 48),
    ),
    ('<ellipse cx="50" cy="50" rx="40" ry="10" transform="rotate(90 50 50)"/>', (40, 10, 60, 90)),
    ('<circle cx="25" cy="50" r="10" transform="scale(2,1)"/>', (30, 40, 70, 60)),
    ('<rect width="10" height="10" transform="skewX(45)"/>', (0, 90, 20, 100)),
    (
        '<g transform="scale(-1,1) translate(-100,0)"><rect width="10" height="20"/></g>',
        (90, 80, 100, 100),
    ),
    ('<polygon points="0,0 10,0 10,10 0,10" transform="translate(5 5)"/>', (5, 85, 15, 95)),
    (
        f'<svg x="50" y="50" width="50" height="50" viewBox="0 0 10 10">{RECT}</svg>',
        (50, 0, 100, 50),
    ),
    (
        f'<svg x="20" y="50" width="50" height="50" viewBox="0 0 20 20">{RECT}</svg>',
        (20, 25, 45, 50),
    ),
    (
        f'<g><svg x="50%" y="50%" width="50%" height="50%" viewBox="0 0 10 10">{RECT}</svg></g>',
        (50, 0, 100, 50),
    ),
    (
        f'<svg width="100" height="50" viewBox="0 0 10 10" preserveAspectRatio="none">{RECT}</svg>',
        (0, 50, 100, 100),
    ),
    (f'<svg width="100" height="50" viewBox="0 0 10 10">{RECT}</svg>', (25, 50, 75, 100)),
    (
        (
            '<svg width="100" height="50" viewBox="0 0 10 10" '
            f'preserveAspectRatio="xMaxYMin">{RECT}</svg>'
        ),
        (50, 50, 100, 100),
    ),
    (f'<svg x="50" y="50">{RECT}</svg>', (50, 40, 60, 50)),
    (
        '<svg x="50" width="50" height="50" viewBox="0 0 100 100"><svg x="50" y="50" '
        'width="50" height="50" '
        f'viewBox="0 0 10 10">{RECT}</svg></svg>',
        (75, 50, 100, 75),
    ),
    (f'{SYMBOL}<use href="#s" x="10" y="10" width="50" height="50"/>', (10, 40, 60, 90)),
    (
        f'{SYMBOL}<use xlink:href="#s" width="50" height="50" transform="translate(10 10)"/>',
        (10, 40, 60, 90),
    ),
    (
        '<defs><rect id="r" width="10" height="10"/></defs><use href="#r" x="20" y="20"/>',
        (20, 70, 30, 80),
    ),
    (
        f'<mask>{RECT}</mask><marker>{RECT}</marker><rect x="50" width="50" height="50"/>',
        (50, 50, 100, 100),
    ),
]


@pytest.mark.parametrize(("inside", "expected"), BOXES, ids=range(len(BOXES)))
def test_shapes_are_where_the_standard_has_them(
    tmp_path: Path, inside: str, expected: tuple[float, float, float, float]
) -> None:
    (one,) = drawn(tmp_path, inside).entities
    points = np.asarray(one.components[0].vertices)
    np.testing.assert_allclose((*points.min(axis=0), *points.max(axis=0)), expected, atol=0.06)


@pytest.mark.parametrize("size", [1.0, 10.0, 100.0, 4000.0])
@pytest.mark.parametrize("path", [
    "M10 50A40 40 0 1 1 90 50A40 40 0 1 1 10 50Z", "M10 50a40,40 0 1,1 80,0a40,40 0 1,1-80,0z",
    "M10 50a40 40 0 1180 0a40 40 0 11-80 0z",
])  # fmt: skip
def test_arcs_are_as_round_in_a_drawing_of_any_size(tmp_path: Path, path: str, size: float) -> None:
    scale = size / 100.0
    head = HEAD.replace(
        'viewBox="0 0 100 100" width="100" height="100"', f'viewBox="0 0 {size} {size}"'
    )
    (one,) = drawn(tmp_path, f'<g transform="scale({scale})"><path d="{path}"/></g>', head).entities
    assert area(one.components[0].vertices) == pytest.approx(1600.0 * np.pi, rel=0.004)


RULES = [
    ('fill-rule="evenodd"', "M0 0H90V90H0Z M20 20H70V70H20Z", [5600.0]),
    ('style="fill-rule:evenodd"', "M0 0H90V90H0Z M20 20H70V70H20Z", [5600.0]),
    ("", "M0 0H90V90H0Z M20 20H70V70H20Z", [8100.0]),
    ("", "M0 0H90V90H0Z M20 20V70H70V20Z", [5600.0]),
    ('fill-rule="evenodd"', "M0 0H90V90H0Z M10 10H80V80H10Z M30 30H60V60H30Z", [3200.0, 900.0]),
    ('fill-rule="evenodd"', "M0 0H90V90H0Z M10 10H30V30H10Z M50 50H70V70H50Z", [7300.0]),
    ("", "M0 0L50 50L50 0L0 50Z", [625.0, 625.0]),
]


@pytest.mark.parametrize(("said", "path", "areas"), RULES)
def test_holes_are_those_of_the_fill_rule(
    tmp_path: Path, said: str, path: str, areas: list[float]
) -> None:
    found = drawn(tmp_path, f'<path {said} d="{path}"/>').entities
    assert sorted(
        (area(one.components[0].vertices) for one in found), reverse=True
    ) == pytest.approx(areas)


def test_a_drawing_without_a_page_is_as_large_as_what_it_shows(tmp_path: Path) -> None:
    found = drawn(
        tmp_path,
        '<rect x="30" y="40" width="20" height="10"/>',
        '<svg xmlns="http://www.w3.org/2000/svg">',
    )
    assert found.bounds == pytest.approx((0.0, 0.0, 200.0, 100.0))


def test_a_turned_box_keeps_its_sides(tmp_path: Path) -> None:
    (one,) = drawn(
        tmp_path,
        '<rect class="box" x="40" y="40" width="20" height="10" transform="rotate(30 50 45)"/>',
    ).entities
    body = next(part for part in one.components if isinstance(part, Particles))
    turn = np.radians(30.0)
    c = np.cos(turn)
    s = np.sin(turn)
    sides = np.ptp((body.position - (50.0, 55.0)) @ np.array(((c, s), (-s, c))), axis=0)
    np.testing.assert_allclose(sides + 2.0 * body.radius.max(), (20.0, 10.0), rtol=1e-6)


def test_a_use_says_itself_what_its_shape_becomes(tmp_path: Path) -> None:
    inside = (
        '<defs><circle id="c" r="5"/></defs><use id="hero" class="blob" href="#c" x="20" y="20"/>'
        '<use href="#c" x="60" y="20"/>'
    )
    hero, ground = drawn(tmp_path, inside).entities
    assert (hero.name, hero.kind, ground.kind) == ("hero", "blob", "ground")
    np.testing.assert_allclose(hero.components[0].position.mean(axis=0), (20.0, 80.0), atol=1e-6)
    assert isinstance(ground.components[0], StaticCollider)


def test_what_is_left_out_is_noted(tmp_path: Path) -> None:
    found = drawn(tmp_path, f'{RECT}<text>Hi</text><image href="x.png" width="3" height="3"/>')
    assert len(found.entities) == 1
    assert [note.split()[0] for note in found.notes] == ["text", "pictures"]

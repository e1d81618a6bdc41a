"""Every page of the springs lab agrees with its formula within 1 %,
over the ranges of its sliders.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.play import Controls
from ecs_softbody.rendering import Picture
from ecs_softbody_games.springs_lab import SpringsLab
from ecs_softbody_games.springs_lab.measuring import centre, crossings, extremes, period
from ecs_softbody_games.springs_lab.page import Number, Page
from ecs_softbody_games.springs_lab.pages import PAGES
from ecs_softbody_games.springs_lab.pages.side_by_side import SideBySide
from ecs_softbody_games.springs_lab.pages.solvers import STRETCH

NAMES = [page.__name__ for page in PAGES]


@pytest.fixture
def lab() -> Iterator[SpringsLab]:
    made = SpringsLab()
    made.begin()
    yield made
    made.close()


def measured(lab: SpringsLab, number: int, **values: float | str) -> list[Number]:
    """Set the sliders of a page, let it measure to its end, and return its numbers."""
    page = lab.pages[number] = PAGES[number]()
    for name, value in values.items():
        page.set(name, value)
    lab.turn_to(number)
    while lab.sim.time < page.seconds:
        lab.advance(Controls())
    return list(page.numbers())


def drawn(lab: SpringsLab) -> dict[str, list[str]]:
    """Return the drawn rows of the table of numbers: by name what was measured, the formula, how
    far off.
    """
    picture = Picture(1280, 720)
    picture.clear(1280, 720, lab.camera.view(1280, 720, 1.0))
    lab.draw(picture, 1.0)
    left, low, right, top = lab.panels.layout.side
    inside = [
        text
        for text in picture.texts
        if left <= text.place[0] <= right and low <= text.place[1] <= top
    ]
    head = next(text.place[1] for text in inside if text.text == "measured")
    names = {
        one.name: f"{one.name} [{one.unit}]" if one.unit else one.name for one in lab.page.numbers()
    }
    found = {}
    for name, label in names.items():
        row = next(text.place[1] for text in inside if text.text == label and text.place[1] < head)
        texts = sorted(
            (text.place[0], text.text)
            for text in inside
            if text.place[1] == row and text.text != label
        )
        found[name] = [text for _, text in texts]
    return found


def number_in(text: str) -> float:
    return float(text.replace("−", "-"))


def check(lab: SpringsLab) -> None:
    """All numbers are drawn, the two of a row agree within 1 %, and the row says so."""
    rows = drawn(lab)
    assert rows
    for name, (measured, formula, off) in rows.items():
        seen = number_in(measured)
        exact = number_in(formula)
        last_digit = 10.0 ** -len(formula.partition(".")[2])
        assert abs(seen - exact) <= 0.01 * (abs(exact) or 1.0) + last_digit, (
            name,
            measured,
            formula,
        )
        assert (
            off in ("exact", "off") if exact == 0.0 else number_in(off.removesuffix(" %")) <= 1.0
        ), (name, off)
    for number in lab.page.numbers():  # drawn numbers are rounded
        assert number.error is not None, number
        assert abs(number.error) < 0.01, number


def ends(page: type[Page]) -> list[dict[str, float | str]]:
    """All combinations of lowest and highest values of a page's own sliders."""
    sliders = page().controls()
    values = []
    for slider in sliders:
        values.append([])
        for share in (0.0, 1.0):
            slider.share = share
            values[-1].append(slider.value)
    return [
        dict(zip([one.name for one in sliders], chosen, strict=True))
        for chosen in itertools.product(*values)
    ]


@pytest.mark.brief(76)
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_the_numbers_of_a_page_agree_with_its_formula(
    lab: SpringsLab, number: int, substeps: int
) -> None:
    measured(lab, number, substeps=substeps)
    check(lab)


@pytest.mark.brief(20)
@pytest.mark.parametrize("number", [n for n, page in enumerate(PAGES) if len(page.solvers) > 1])
def test_they_agree_with_the_other_solver_too(lab: SpringsLab, number: int) -> None:
    measured(lab, number, substeps=4, solver="xpbd")
    check(lab)


@pytest.mark.brief(30)
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_they_agree_where_all_sliders_are_up(lab: SpringsLab, number: int) -> None:
    measured(lab, number, substeps=4, **ends(PAGES[number])[-1])
    check(lab)


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_they_agree_at_all_ends_of_all_sliders(lab: SpringsLab, number: int, substeps: int) -> None:
    for solver in PAGES[number].solvers:
        for values in ends(PAGES[number]):
            chosen = {"solver": solver} if len(PAGES[number].solvers) > 1 else {}
            measured(lab, number, substeps=substeps, **chosen, **values)
            check(lab)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_they_agree_at_every_choice_of_a_slider(lab: SpringsLab, number: int) -> None:
    """A slider of choices has more than two ends: all of them, and the middle of every other
    slider.
    """
    for slider in PAGES[number]().controls():
        size = len({slider.value for slider.share in np.linspace(0.0, 1.0, 200)})
        for share in np.linspace(0.0, 1.0, size if size < 10 else 3):
            slider.share = float(share)
            measured(lab, number, **{slider.name: slider.value})
            check(lab)


@pytest.mark.brief(32)
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_the_curve_of_a_page_lies_on_that_of_its_formula(lab: SpringsLab, number: int) -> None:
    """At 16 substeps, where both are drawn; a page that comes to rest does so at the end, XPBD has
    its own way.
    """
    numbers = measured(lab, number, substeps=16)
    page = lab.page
    low, high = page.height()
    formula = np.atleast_2d(page.exact(page.times))
    for seen, exact in zip(page.curves()[:2], formula, strict=False):
        rest = float(np.ptp(exact)) == 0.0
        off = np.abs(seen - exact)[-30:] if rest else np.abs(seen - exact)
        assert np.nanmax(off) < 0.06 * (high - low), numbers


def test_numbers_are_measured_where_a_curve_is_known() -> None:
    t = np.arange(0.0, 7.0, 1 / 60)
    y = 2.0 + np.exp(-0.1 * t) * np.cos(3.0 * t)
    assert period(t, y, 2.0) == pytest.approx(2.0 * np.pi / 3.0, rel=1e-3)
    assert centre(y) == pytest.approx(2.0, abs=1e-3)
    assert extremes(np.cos(3.0 * t))[0] == pytest.approx(-1.0, abs=1e-4)
    assert crossings(t, t - 3.5).tolist() == pytest.approx([3.5])
    assert period(t[:10], y[:10], 2.0) is None
    assert centre(y[:10]) is None


def test_the_curve_of_the_formula_is_found_once_a_world(
    lab: SpringsLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    for page in lab.pages:
        monkeypatch.setattr(page, "exact", lambda t, exact=page.exact: asked.append(1) or exact(t))
    picture = Picture(1280, 720)
    for worlds in (1, 2):
        for _ in range(3):
            lab.draw(picture, 1.0)
        assert len(asked) == worlds
        lab.advance(Controls(pressed={"again"}))


def test_an_error_is_relative_and_plain_where_the_formula_says_zero() -> None:
    assert Number("a", 2.02, 2.0).error == pytest.approx(0.01)
    assert Number("a", 0.5, 0.0).error == 0.5
    assert Number("a", None, 1.0).error is None


def test_the_explicit_spring_blows_up_where_the_others_do_not(lab: SpringsLab) -> None:
    number = NAMES.index("ThreeSolvers")
    calm = measured(lab, number, **{"stiffness k": 1_000, "substeps": 4})
    assert calm[0].measured == pytest.approx(1.0, abs=1e-6)
    assert not lab.page.blown_up  # type: ignore[attr-defined]
    wild = measured(lab, number, **{"stiffness k": 300_000, "substeps": 4})
    assert wild[0].measured is not None
    assert wild[0].measured > 1.5
    assert lab.page.blown_up  # type: ignore[attr-defined]
    for one in wild[1:]:
        assert one.measured is not None
        assert one.measured <= 1.0 + 1e-9
    assert np.abs(lab.page.value()).max() < 5.0 * STRETCH, "it is shown safely"


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_no_page_warns_of_what_it_is_about(lab: SpringsLab) -> None:
    page = lab.pages[NAMES.index("ThreeSolvers")]
    page.set("stiffness k", 1_000_000)
    lab.turn_to(NAMES.index("ThreeSolvers"))
    for _ in range(20):
        lab.advance(Controls())
    lab.turn_to(0)
    assert lab.page.sim.frame == 0


def rows_of(title: str) -> list[list[str]]:
    """The rows of a table of docs/classics.md by its first heading."""
    text = (
        (Path(__file__).parents[2] / "docs" / "classics.md")
        .read_text(encoding="utf-8")
        .replace("\\|", "/")
    )
    table = text[text.index(f"| {title} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_documentation_lists_every_page_in_order_with_its_solvers() -> None:
    for (title, _, solvers), page in zip(rows_of("page"), PAGES, strict=True):
        assert title.lower() == page.title.lower()
        both = "both" if len(page.solvers) > 1 else "saturated"
        assert solvers == ("explicit, saturated, xpbd" if issubclass(page, SideBySide) else both)


def test_every_classic_has_a_page_or_a_reason_why_not() -> None:
    titles = {page.title for page in PAGES}
    classics = rows_of("classic")
    assert len(classics) > 15
    for classic, page, *_ in classics:
        assert page in titles or page.partition(":")[0] in ("none", "every page"), (classic, page)
        assert page in titles or len(page.partition(":")[2].split()) > 2, f"{classic}: a reason"

"""Every page of the springs lab agrees with its formula within 1 %, over the ranges of its sliders."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody.play import Controls
from ecs_softbody_games.springs_lab import SpringsLab
from ecs_softbody_games.springs_lab.measuring import centre, crossings, extremes, period
from ecs_softbody_games.springs_lab.page import Number, Page
from ecs_softbody_games.springs_lab.pages import PAGES
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


def check(numbers: list[Number]) -> None:
    assert numbers
    for number in numbers:
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
    return [dict(zip([one.name for one in sliders], chosen, strict=True)) for chosen in itertools.product(*values)]


@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_the_numbers_of_a_page_agree_with_its_formula(lab: SpringsLab, number: int, substeps: int) -> None:
    check(measured(lab, number, substeps=substeps))


@pytest.mark.parametrize("number", [n for n, page in enumerate(PAGES) if len(page.solvers) > 1])
def test_they_agree_with_the_other_solver_too(lab: SpringsLab, number: int) -> None:
    check(measured(lab, number, substeps=4, solver="xpbd"))


@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_they_agree_where_all_sliders_are_up(lab: SpringsLab, number: int) -> None:
    check(measured(lab, number, substeps=4, **ends(PAGES[number])[-1]))


@pytest.mark.slow
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_they_agree_at_all_ends_of_all_sliders(lab: SpringsLab, number: int, substeps: int) -> None:
    for solver in PAGES[number].solvers:
        for values in ends(PAGES[number]):
            chosen = {"solver": solver} if len(PAGES[number].solvers) > 1 else {}
            check(measured(lab, number, substeps=substeps, **chosen, **values))


@pytest.mark.parametrize("number", range(len(PAGES)), ids=NAMES)
def test_the_curve_of_a_page_lies_on_that_of_its_formula(lab: SpringsLab, number: int) -> None:
    """At 16 substeps, where both are drawn; a page that comes to rest does so at the end, XPBD has its own way."""
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


@pytest.mark.filterwarnings("error")
def test_no_page_warns_of_what_it_is_about(lab: SpringsLab) -> None:
    page = lab.pages[NAMES.index("ThreeSolvers")]
    page.set("stiffness k", 1_000_000)
    lab.turn_to(NAMES.index("ThreeSolvers"))
    for _ in range(20):
        lab.advance(Controls())
    lab.turn_to(0)
    assert lab.page.sim.frame == 0

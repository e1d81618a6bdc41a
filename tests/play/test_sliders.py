"""Slider and Sliders: steps, ends, keys that repeat, the mouse, the wheel, a controller, and wrong
input.
"""

from __future__ import annotations

import pytest

from ecs_softbody.play import Controls, Slider, Sliders
from ecs_softbody.rendering import Picture


def three() -> Sliders:
    return Sliders(
        [
            Slider("mass", 0.5, 4.0, value=2.0, unit="kg"),
            Slider("substeps", choices=(4, 8, 16), value=8),
            Slider("solver", choices=("saturated", "xpbd")),
        ]
    )


def draw(sliders: Sliders, **options: float) -> Picture:
    picture = Picture(1280, 720)
    sliders.draw(picture, (100.0, 600.0), 300.0, size=20.0, **options)  # type: ignore[arg-type]
    return picture


def test_a_slider_goes_in_steps_from_end_to_end() -> None:
    mass = Slider("mass", 0.5, 4.0, value=2.0, unit="kg")
    assert (mass.value, mass.text) == (2.0, "2.0 kg")
    assert mass.move(3)
    assert mass.value == pytest.approx(2.3)
    assert mass.move(1000)
    assert (mass.value, mass.share) == (4.0, 1.0)
    assert not mass.move(1)
    mass.share = -3.0
    assert mass.value == 0.5
    mass.value = 1.234
    assert mass.number == pytest.approx(1.2)


def test_choices_are_numbers_or_words() -> None:
    substeps, solver = three().sliders[1:]
    assert (substeps.text, substeps.share, solver.text) == ("8", 0.5, "saturated")
    solver.value = "xpbd"
    assert solver.share == 1.0
    with pytest.raises(TypeError, match="'xpbd', which is no number"):
        _ = solver.number
    assert Slider("g", choices=(1.62, 24.8), unit="m/s²").text == "1.62 m/s²"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"low": 1.0, "high": 1.0},
            r"Slider\.high: 1\.0 is not allowed; expected numbers > low = 1\.0",
        ),
        ({"step": 0.0}, r"Slider\.step: 0\.0 is not allowed; expected a finite number > 0"),
        ({"step": 5.0}, r"Slider\.step: 5\.0 is not allowed; expected numbers from 1e-05 to 1"),
        ({"value": 2.0}, r"Slider\.value: 2\.0 is not allowed; expected numbers <= 1"),
        (
            {"high": 1e308},
            r"Slider\.step: 0\.1 is not allowed; expected numbers from 1e\+303 to 1e\+308",
        ),
        ({"value": -1.0}, r"Slider\.value: -1\.0 is not allowed; expected a finite number >= 0"),
        (
            {"choices": ("one",)},
            r"Slider\.choices: \('one',\) is not allowed; expected two or more",
        ),
        (
            {"choices": ("a", "b"), "value": "c"},
            r"Slider\.value: 'c' is not allowed; expected one of \('a', 'b'\)",
        ),
    ],
)
def test_wrong_input_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Slider("x", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["right", "pad_right", "d"])
def test_keys_choose_and_change(key: str) -> None:
    sliders = three()
    assert sliders.follow(Controls(held={key}, pressed={key}))
    assert sliders.sliders[0].value == pytest.approx(2.1)
    assert not sliders.follow(Controls())
    assert not sliders.follow(Controls(held={"down"}, pressed={"down"}))
    assert sliders.chosen == 1
    assert not sliders.follow(Controls())
    assert not sliders.follow(Controls(held={"up"}, pressed={"up"}))
    sliders.follow(Controls())
    sliders.follow(Controls(held={"up"}, pressed={"up"}))
    assert sliders.chosen == 2, "above the first one is the last one"


def test_a_key_that_is_held_repeats_after_a_while() -> None:
    sliders = three()
    moved = [sliders.follow(Controls(held={"left"})) for _ in range(40)]
    assert moved[0]
    assert not any(moved[1:18])
    assert 4 <= sum(moved[18:]) <= 6


def test_the_mouse_drags_also_beyond_the_ends() -> None:
    sliders = three()
    draw(sliders)
    mouse = {"held": {"mouse_left"}, "pointer_screen": (250.0, 580.0)}
    assert sliders.follow(Controls(pressed={"mouse_left"}, **mouse))  # type: ignore[arg-type]
    assert sliders.holding
    assert sliders.sliders[0].share == pytest.approx(0.5, abs=0.02)
    for x, share in ((340.0, 0.8), (900.0, 1.0), (-50.0, 0.0)):
        sliders.follow(Controls(held={"mouse_left"}, pointer_screen=(x, 300.0)))
        assert sliders.sliders[0].share == pytest.approx(share, abs=0.02)
    sliders.follow(Controls(pointer_screen=(250.0, 580.0)))
    assert not sliders.holding
    assert sliders.sliders[0].share == 0.0
    assert sliders.sliders[1].value == 8


def test_a_press_beside_the_sliders_holds_none() -> None:
    sliders = three()
    draw(sliders)
    sliders.follow(
        Controls(pressed={"mouse_left"}, held={"mouse_left"}, pointer_screen=(700.0, 580.0))
    )
    assert not sliders.follow(Controls(held={"mouse_left"}, pointer_screen=(250.0, 580.0)))
    assert not sliders.holding


def test_the_wheel_steps_the_slider_below_the_mouse() -> None:
    sliders = three()
    draw(sliders)
    assert sliders.follow(Controls(scroll=1.0, pointer_screen=(200.0, 580.0 - 47.0)))
    assert (sliders.chosen, sliders.sliders[1].value) == (1, 16)


def test_where_there_is_no_room_the_chosen_one_is_shown() -> None:
    sliders = three()
    sliders.chosen = 2
    shown = {text.text for text in draw(sliders, rows=1).texts}
    assert shown == {"solver", "saturated"}
    assert {"mass", "substeps", "solver"} <= {text.text for text in draw(sliders).texts}
    assert not Sliders([]).follow(Controls(held={"left"}))


def test_arrows_lead_to_sliders_out_of_sight_and_what_is_held_stays_where_it_is() -> None:
    sliders = three()

    def shown() -> list[int]:
        draw(sliders, rows=2)
        return [number for number in range(3) if sliders.box(number) is not None]

    def press(box: tuple[float, float, float, float] | None) -> None:
        assert box is not None
        place = (0.5 * (box[0] + box[2]), 0.5 * (box[1] + box[3]))
        assert not sliders.follow(
            Controls(pressed={"mouse_left"}, held={"mouse_left"}, pointer_screen=place)
        )
        assert not sliders.holding
        sliders.follow(Controls())

    values = [slider.value for slider in sliders.sliders]
    assert shown() == [0, 1]
    assert sliders.more(0) is None
    press(sliders.more(2))
    assert (sliders.chosen, shown()) == (2, [1, 2])
    assert sliders.more(2) is None
    sliders.follow(
        Controls(pressed={"mouse_left"}, held={"mouse_left"}, pointer_screen=(100.0, 580.0))
    )
    assert (sliders.chosen, shown()) == (1, [1, 2])
    sliders.follow(Controls())
    sliders.sliders[1].value = 8
    press(sliders.more(0))
    assert (sliders.chosen, shown()) == (0, [0, 1])
    assert [slider.value for slider in sliders.sliders] == values
    draw(sliders)
    assert sliders.more(0) is sliders.more(2) is None

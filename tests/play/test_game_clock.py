"""Timers, tweens, hit-stop and slow motion: in game time, and gone with their world."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody import Simulation
from ecs_softbody.play import FRAME, GameClock
from ecs_softbody.play.timing.game_clock import Pace


class World:
    """A world that a clock can tell from another one."""

    closed = False


def run(clock: GameClock, frames: int, world: World) -> None:
    for _ in range(frames):
        clock.advance(world)  # type: ignore[arg-type]


def made() -> tuple[GameClock, World]:
    world = World()
    return GameClock(lambda: world), world  # type: ignore[return-value, arg-type]


@pytest.mark.parametrize(
    ("seconds", "frame"), [(0.0, 1), (FRAME, 1), (0.1, 6), (0.5, 30), (1.0, 60), (1.01, 61)]
)
def test_after_calls_once_in_its_frame(seconds: float, frame: int) -> None:
    clock, world = made()
    calls: list[float] = []
    timer = clock.after(seconds, lambda: calls.append(clock.now))
    run(clock, frame - 1, world)
    assert (calls, timer.active) == ([], True)
    run(clock, 200, world)
    assert calls == [pytest.approx(frame * FRAME)]
    assert not timer.active


@pytest.mark.parametrize("seconds", [FRAME, 0.05, 0.1, 0.3, 1 / 3, 0.7])
def test_every_does_not_drift(seconds: float) -> None:
    clock, world = made()
    calls: list[float] = []
    timer = clock.every(seconds, lambda: calls.append(clock.now))
    run(clock, 3600, world)
    assert len(calls) == int(60.0 / seconds + 1e-6)
    assert np.abs(np.array(calls) - seconds * np.arange(1, len(calls) + 1)).max() <= FRAME
    timer.cancel()
    run(clock, 60, world)
    assert len(calls) == int(60.0 / seconds + 1e-6)


@pytest.mark.parametrize("ease", ["linear", "in", "out", "in_out"])
@pytest.mark.parametrize("seconds", [0.0, FRAME, 0.25, 1.0])
def test_a_tween_goes_from_start_to_end_exactly_and_never_back(ease: str, seconds: float) -> None:
    clock, world = made()
    values: list[float] = []
    ended: list[bool] = []
    clock.tween(values.append, 2.0, 5.0, seconds, ease=ease, done=lambda: ended.append(True))  # type: ignore[arg-type]
    run(clock, 120, world)
    assert (values[0], values[-1]) == (2.0, 5.0)
    assert len(values) == max(round(seconds / FRAME), 1) + 1
    assert (np.diff(values) >= 0.0).all()
    assert ended == [True]


def test_a_tween_moves_points() -> None:
    clock, world = made()
    places: list[np.ndarray] = []
    clock.tween(places.append, (0.0, 1.0), (2.0, 3.0), 0.5, ease="linear")
    run(clock, 15, world)
    np.testing.assert_allclose(places[-1], (1.0, 2.0))
    places[-1][:] = 99.0  # what a game does to it does not come back
    run(clock, 15, world)
    np.testing.assert_allclose(places[-1], (2.0, 3.0))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda clock: clock.after(-1, print), "after.seconds: -1"),
        (lambda clock: clock.after(float("nan"), print), "after.seconds: nan"),
        (lambda clock: clock.every(0, print), "every.seconds: 0"),
        (
            lambda clock: clock.tween(print, 0, 1, 1, ease="bouncy"),
            "expected linear, in, out, in_out",
        ),
        (lambda clock: clock.tween(print, 0, (1, 2), 1), "of one shape"),
        (lambda clock: clock.tween(print, 0, float("inf"), 1), "finite numbers"),
        (lambda clock: clock.hit_stop(-0.1), "hit_stop.seconds: -0.1"),
        (lambda clock: clock.slow_motion(0), "slow_motion.scale: 0"),
        (lambda clock: clock.slow_motion(2), "expected a number > 0 and <= 1"),
    ],
)
def test_a_wrong_argument_is_refused(call: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call(made()[0])  # type: ignore[operator]


def test_a_call_instead_of_a_function_is_refused() -> None:
    with pytest.raises(TypeError, match=r"after\.action: None is not allowed; expected a function"):
        made()[0].after(1.0, print())  # type: ignore[func-returns-value, arg-type]


def test_timers_of_another_world_never_come() -> None:
    clock, world = made()
    calls: list[str] = []
    # before the first frame: of the world of that frame
    clock.after(0.5, lambda: calls.append("start"))
    run(clock, 10, world)
    clock.after(0.5, lambda: calls.append("old"))
    run(clock, 10, other := World())
    run(clock, 60, other)
    assert calls == []


def test_a_timer_may_make_timers_cancel_others_and_clear_the_clock() -> None:
    clock, world = made()
    calls: list[str] = []
    never = clock.after(0.2, lambda: calls.append("never"))
    clock.after(0.1, never.cancel)
    clock.after(0.1, lambda: clock.after(0.1, lambda: calls.append("second")))
    run(clock, 13, world)
    assert calls == ["second"]
    clock.every(FRAME, lambda: (calls.append("cleared"), clock.clear()))
    run(clock, 5, world)
    assert calls == ["second", "cleared"]
    assert clock.now == pytest.approx(4 * FRAME)


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.08, 0.5, 1.0])
def test_a_hit_stop_lasts_for_the_player(seconds: float) -> None:
    clock, _ = made()
    clock.hit_stop(seconds)
    clock.hit_stop(0.5 * seconds)  # the longer one counts
    speeds = [clock.pass_real_time(FRAME) for _ in range(120)]
    assert speeds.count(0.0) == pytest.approx(seconds / FRAME, abs=1.0)
    assert speeds[-1] == 1.0


def test_slow_motion_comes_back_to_full_speed_without_a_jump() -> None:
    clock, _ = made()
    clock.slow_motion(0.25, 0.5, ease=0.5)
    speeds = np.array([clock.pass_real_time(FRAME) for _ in range(90)])
    assert (speeds[:30] == 0.25).all()
    assert (np.diff(speeds) >= 0.0).all()
    assert np.diff(speeds).max() < 0.05
    assert (speeds[62:] == 1.0).all()


@given(
    st.lists(
        st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.9, 1.0, 1.5, 2.0, 3.7]),
        min_size=1,
        max_size=200,
    )
)
def test_what_is_seen_moves_evenly_at_any_speed(rates: list[float]) -> None:
    pace = Pace()
    stepped = 0
    seen = 0.0
    for rate in rates:
        stepped += pace.due(rate)
        seen += rate
        assert stepped - 1.0 + pace.alpha(1.0) == pytest.approx(seen, abs=1e-6)
        assert seen <= stepped + 1e-6 < seen + 1.0 + 1e-5


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), "fast"])
def test_a_speed_of_the_world_that_cannot_be_is_refused(value: object) -> None:
    sim = Simulation()
    with pytest.raises(ValueError, match="time_scale"):
        sim.time_scale = value  # type: ignore[assignment]
    assert sim.time_scale == 1.0
    sim.close()

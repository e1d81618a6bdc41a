"""The scenes of fields, played by script: what they are about happens, and every round starts
alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Collider, Particles
from ecs_softbody.play import Controls, Session
from ecs_softbody_games.labs.little_planet import BALLS, ORBITS, RADIUS, LittlePlanet
from ecs_softbody_games.labs.windy_pond import FAST, HIGHEST, MOST, WindyPond
from tests.helpers.games import play
from tests.helpers.starts import STARTS, ended_from_shifted_starts
from tests.helpers.stepping import run_frames

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


@pytest.fixture
def pond() -> Iterator[Session]:
    made = Session(WindyPond(), autopilot=True)
    yield made
    made.close()


@pytest.fixture
def planet() -> Iterator[Session]:
    made = Session(LittlePlanet(), autopilot=True)
    yield made
    made.close()


BANGS = {120: (1.5, -0.5), 310: (3.2, -0.8), 420: (1.2, -1.9)}


@pytest.mark.slow
def test_the_pond_is_stirred_by_wind_water_rain_and_bangs(pond: Session) -> None:
    lab = pond.game
    assert isinstance(lab, WindyPond)
    winds = []
    levels = []
    for frame in range(540):
        held = {
            "right" if frame < 100 else "left" if frame < 230 else "",
            "up" if frame < 150 else "down",
        }
        pressed = {"space"} if frame % 150 == 0 else {"mouse_left"} if frame in BANGS else set()
        lab.advance(Controls(held=held, pressed=pressed, pointer=BANGS.get(frame, (0.0, 0.0))))
        winds.append(float(lab.wind.velocity[0]))
        levels.append(lab.water.level)
        assert np.isfinite(lab.sim.buffers[Particles].rows["position"]).all()
    assert max(winds) > 20.0
    assert min(winds) < -20.0
    assert max(levels) == pytest.approx(HIGHEST)
    assert min(levels) < -0.5
    assert lab.bangs == 3
    assert 8 < len(lab.fallen) <= MOST
    assert lab.center_of(lab.iron)[1] < -2.0, "iron sinks"


@pytest.mark.slow
def test_the_duck_comes_home_at_low_water_and_its_time_is_kept(pond: Session) -> None:
    lab = pond.game
    assert isinstance(lab, WindyPond)
    levels = []
    while pond.state == "playing" and len(levels) < 1200:
        pond.frame()
        levels.append(lab.water.level)
    assert (pond.state, lab.stars, lab.saves["stars"]) == ("won", 3, 3)
    assert lab.saves["time"] == lab.result < FAST[0]
    assert max(levels) == pytest.approx(HIGHEST)
    assert abs(lab.center_of(lab.duck)[0] - lab.nest[0]) < 0.5
    assert lab.share_under_water == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "outcome"), [("up left", "lost"), ("left", None), ("down", None), ("right", None)]
)
def test_too_much_wind_blows_the_duck_to_the_fox_and_no_key_alone_brings_it_home(
    keys: str, outcome: str | None
) -> None:
    lab = WindyPond()
    lab.begin()
    for _ in range(600):
        if lab.outcome is None:
            lab.advance(Controls(held=set(keys.split())))
    assert lab.outcome == outcome
    assert "stars" not in lab.saves
    lab.close()


@pytest.mark.slow
def test_the_duck_comes_home_from_shifted_starts() -> None:
    ended = ended_from_shifted_starts(
        WindyPond, lambda lab: lab.sim.entities(Particles), by=0.02, late=90, frames=1500
    )
    assert [lab.outcome for lab in ended] == ["won"] * STARTS


@pytest.mark.slow
def test_crates_float_by_their_density(pond: Session) -> None:
    lab = pond.game
    assert isinstance(lab, WindyPond)
    lab.start()
    run_frames(lab.sim, 420)
    crates = sorted(lab.sim.buffers[Particles].bound)[:5]
    for entity, ratio in zip(crates, (0.1, 0.3, 0.5, 0.7, 0.9), strict=True):
        assert lab.get(entity, Collider).submerged_area / 0.9**2 == pytest.approx(ratio, abs=0.03)


@pytest.mark.slow
def test_the_hero_walks_and_jumps_around_the_planet_and_the_moon_keeps_its_orbit(
    planet: Session,
) -> None:
    lab = planet.game
    assert isinstance(lab, LittlePlanet)
    energy = lab.energy_of(lab.moon)
    heights = []
    moons = []
    for frame in range(500):
        keys = {"right"} if frame < 300 else {"left"}
        lab.advance(Controls(held=keys, pressed={"space"} if frame % 60 == 40 else set()))
        heights.append(float(np.hypot(*lab.center_of(lab.hero))) - RADIUS)
        moons.append(float(np.hypot(*lab.center_of(lab.moon))))
    assert lab.jumps >= 2
    assert 0.6 < max(heights) < 2.5, "it comes down again"
    assert min(heights) > 0.1
    assert abs(lab.turned) > 0.3
    assert lab.energy_of(lab.moon) == pytest.approx(energy, rel=1e-3)
    assert max(moons) - min(moons) < 0.02


def orbit(planet: LittlePlanet, held_for: int, throws: int, pause: int) -> None:
    """Walk a little, then throw balls with the key held for so many frames."""
    play(planet, 60, "right")
    for _ in range(throws):
        if planet.outcome is None:
            play(planet, held_for, "up", released=True)
            play(planet, pause - 1)


@pytest.mark.slow
@pytest.mark.parametrize(("held_for", "outcome"), [(2, "lost"), (70, "lost"), (33, "won")])
def test_a_throw_that_is_too_soft_falls_and_one_that_is_too_hard_leaves(
    held_for: int, outcome: str
) -> None:
    planet = LittlePlanet()
    planet.begin()
    orbit(planet, held_for, BALLS if outcome == "lost" else ORBITS, 170)
    for _ in range(900):
        if planet.outcome is None:
            planet.advance(Controls())
    assert planet.outcome == outcome
    assert planet.saves.get("stars") == (3 if outcome == "won" else None)
    planet.close()


@pytest.mark.slow
def test_three_balls_stay_up_from_shifted_starts() -> None:
    ended = ended_from_shifted_starts(
        LittlePlanet, lambda planet: [planet.hero], by=0.05, late=90, frames=1800
    )
    assert [planet.outcome for planet in ended] == ["won"] * STARTS


@pytest.mark.slow
@pytest.mark.parametrize("scene", [WindyPond, LittlePlanet])
def test_a_round_starts_again_as_the_first(scene: type[WindyPond] | type[LittlePlanet]) -> None:
    session = Session(scene(), autopilot=True)
    ends = []
    for _ in range(2):
        session.restart()
        for _ in range(150):
            session.frame()
        ends.append(session.game.sim.buffers[Particles].rows["position"].copy())
    assert np.array_equal(*ends)
    session.close()

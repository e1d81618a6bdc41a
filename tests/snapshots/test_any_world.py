"""Any world goes on bit for bit after a restore: in place, in another world, in another process; so
do the games.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ecs_softbody import Simulation
from ecs_softbody.parallel import workers
from ecs_softbody.play import Controls, Game
from ecs_softbody.play.replay.game_snapshot import GameSnapshot
from ecs_softbody.state import columns
from included import included_games
from tests.helpers.starts import WHOLE
from tests.scenes.drawn_worlds import drawn_worlds, paint_pictures
from tests.simulation.random_full_worlds import FullWorld

FRAMES = 30

ELSEWHERE = """
import hashlib, sys, warnings
from pathlib import Path
from ecs_softbody import Simulation
from ecs_softbody.rendering import Look, Skin
warnings.simplefilter("ignore")
for path in sorted(Path(sys.argv[1]).glob("*.snapshot")):
    sim = Simulation(world=path.stem, solver=path.stem.partition("-")[2])
    sim.restore(path)
    hashes = []
    for _ in range(int(sys.argv[2])):
        sim.step()
        hashes.append(sim.state_hash())
    print(hashlib.sha256("".join(hashes).encode()).hexdigest())
    sim.close()
"""

GAMES_ELSEWHERE = """
import sys, warnings
sys.path.append("benchmarks")
from pathlib import Path
from tests.snapshots.test_any_world import game_of, go_on
warnings.simplefilter("ignore")
for path in sorted(Path(sys.argv[1]).glob("*.snapshot")):
    game = game_of(path.stem)
    game.begin()
    game.sim.restore(path)
    print(path.stem, *go_on(game.sim, int(sys.argv[2])))
    game.close()
"""


def go_on(sim: Simulation, frames: int) -> list[str]:
    """Step, and return the hash after each frame."""
    hashes = []
    for _ in range(frames):
        sim.step()
        hashes.append(sim.state_hash())
    return hashes


@pytest.mark.brief(3)
@pytest.mark.parametrize("seed", [2, 7, 28, 40, 54] if WHOLE else [2, 7, 28])
def test_random_worlds_survive(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "LARGE", 0)
    monkeypatch.setattr(columns, "SHARED", 0)
    monkeypatch.setattr(workers, "processor_count", lambda: 2)
    sim = FullWorld(seed, verbs=False, solver=("saturated", "xpbd")[seed % 2]).sim
    sim.threads = 1 + seed // 2 % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(7):
            sim.snapshot()  # with which the one below shares what is the same
            sim.step()
        snapshot = sim.snapshot()
        copy = Simulation(world="a copy", solver=sim.solver)
        copy.restore(snapshot.save(tmp_path / f"{seed}-{sim.solver}.snapshot"))
        assert copy.state_hash() == sim.state_hash()
        hashes = go_on(sim, FRAMES)
        sim.restore(snapshot)
        assert go_on(sim, FRAMES) == hashes
        assert go_on(copy, FRAMES) == hashes
        copy.close()
        sim.close()
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path), str(FRAMES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [hashlib.sha256("".join(hashes).encode()).hexdigest()]


def worlds_survive(folder: Path, examples: int, frames: int) -> None:
    """Have hypothesis build worlds, and go back to a moment of each."""
    paint_pictures(folder)
    kept = folder / "kept"
    expected = []
    kept.mkdir()

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        sim=drawn_worlds(folder), steps=st.integers(0, 40), height=st.none() | st.floats(0.0, 2.0)
    )
    def one(sim: Simulation, steps: int, height: float | None) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(steps):
                sim.step()
            if height is not None:
                sim.cut((-9.0, height), (9.0, height + 0.3))
            snapshot = sim.snapshot()
            copy = Simulation(world="a copy", solver=sim.solver)
            copy.restore(snapshot.save(kept / f"{len(expected):05}-{sim.solver}.snapshot"))
            assert copy.state_hash() == sim.state_hash()
            hashes = go_on(sim, frames)
            expected.append(hashlib.sha256("".join(hashes).encode()).hexdigest())
            sim.restore(snapshot)
            assert go_on(sim, frames) == hashes
            assert go_on(copy, frames) == hashes
            copy.close()
            sim.close()

    one()
    command = [sys.executable, "-c", ELSEWHERE, str(kept), str(frames)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected


@pytest.mark.slow
def test_worlds_that_hypothesis_builds_survive(tmp_path: Path) -> None:
    worlds_survive(tmp_path, 20 if WHOLE else 6, 200)


def game_of(name: str) -> Game:
    """Return one of the included games."""
    game: Game = included_games()[name].load()()
    return game


def play_on(game: Game, frames: int) -> list[str]:
    """Let the scripted player play, and return the hash after each frame; that of the lab would
    turn the page.
    """
    hashes = []
    for _ in range(frames):
        game.advance(Controls() if game.name == "springs-lab" else game.autopilot())
        hashes.append(game.sim.state_hash())
    return hashes


@pytest.mark.slow
@pytest.mark.parametrize("name", included_games())
def test_each_game_goes_on_in_the_middle_of_play(name: str) -> None:
    game = game_of(name)
    game.begin()
    play_on(game, 119)
    earlier = GameSnapshot(game)
    play_on(game, 1)
    moment = GameSnapshot(game, before=earlier)
    hashes = play_on(game, 200)
    moment.restore()
    assert play_on(game, 200) == hashes
    game.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_worlds_of_games_go_on_in_another_process(tmp_path: Path) -> None:
    expected = []
    frames = 200
    for name in included_games():
        game = game_of(name)
        game.begin()
        play_on(game, 120)
        game.sim.snapshot().save(tmp_path / f"{name}.snapshot")
        expected.append([name, *go_on(game.sim, frames)])
        game.close()
    command = [sys.executable, "-c", GAMES_ELSEWHERE, str(tmp_path), str(frames)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [line.split() for line in done.stdout.splitlines()] == expected

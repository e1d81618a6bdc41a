from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import esper
import pytest

from ecs_softbody import Simulation, blueprints
from ecs_softbody.cli import bench as bench_command
from ecs_softbody.cli import games as offered
from ecs_softbody.cli.main import main
from ecs_softbody.cli.scenes import SCENES

GAMES = Path(__file__).parents[1] / "rendering"


@pytest.fixture(autouse=True)
def one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(GAMES))
    entries = [EntryPoint("blob-garden", "blob_garden:BlobGarden", offered.GROUP)]
    monkeypatch.setattr(offered, "entry_points", lambda group: entries)
    monkeypatch.setattr(bench_command, "WARM_UP_FRAMES", 3)


def test_a_scene_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    worlds = esper.list_worlds()
    assert main(["bench", "blobs-10", "--frames", "5"]) == 0
    head, times, counts = capsys.readouterr().out.strip().splitlines()
    assert head == "blobs-10, a frame of physics: 5 frames after 3"
    assert re.fullmatch(
        (
            r"median \d+\.\d\d ms \(95 in 100 below \d+\.\d\d, longest \d+\.\d\d\), \d+\.\d "
            r"times as fast .*"
        ),
        times,
    )
    assert counts.startswith("10 bodies, 0 asleep, 240 particles, ")
    assert esper.list_worlds() == worlds


def test_a_game_plays_itself_and_shows_its_processors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "blob-garden", "--frames", "5", "--profile"]) == 0
    told = capsys.readouterr().out
    assert "blob-garden, a frame of the game without its picture: 5 frames after 3" in told
    assert re.search(r"^CollisionProcessor +\d+\.\d{3} +\d+\.\d{3} +\d+%$", told, re.MULTILINE)
    assert "whole frame (mean of 5)" in told
    assert re.search(
        r"^its picture, 1280 x 720, before OpenGL: median \d+\.\d\d ms \(95 in 100",
        told,
        re.MULTILINE,
    )
    parts = re.findall(
        r"^  (backdrop|world|game|effects|screens) +(\d+\.\d{3}) ms$", told, re.MULTILINE
    )
    assert len(parts) == 5
    assert sum(float(spent) for _, spent in parts) > 0.0


def test_all_worlds_of_a_game_are_in_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from blob_garden import BlobGarden

    class TwoWorlds(BlobGarden):
        """Its garden, and a rope in a world of its own."""

        def start(self) -> None:
            super().start()
            self.other = Simulation(solver="xpbd", world="rope of the garden")
            self.other.spawn(*blueprints.rope((0.0, 2.0), (1.0, 2.0), segments=4, pin_start=True))

        def after_step(self, dt: float) -> None:
            super().after_step(dt)
            self.other.step(dt)

        def close(self) -> None:
            super().close()
            if hasattr(self, "other"):
                self.other.close()

    monkeypatch.setattr("blob_garden.BlobGarden", TwoWorlds)
    assert main(["bench", "blob-garden", "--frames", "3", "--profile"]) == 0
    told = capsys.readouterr().out
    assert told.count("whole frame (mean of 3)") == 2
    assert "XpbdProcessor" in told


def test_a_game_that_ends_is_measured_until_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from blob_garden import BlobGarden

    from ecs_softbody.play import Controls

    def wins(self: BlobGarden) -> Controls:
        return Controls(pressed={"w"} if self.frames == 7 else set())

    monkeypatch.setattr(BlobGarden, "autopilot", wins)
    assert main(["bench", "blob-garden", "--frames", "50"]) == 0
    assert "(it was won then): 5 frames after 3" in capsys.readouterr().out
    monkeypatch.setattr(bench_command, "WARM_UP_FRAMES", 60)
    assert main(["bench", "blob-garden"]) == 2
    assert "ended within 60 frames" in capsys.readouterr().err


def test_an_unknown_name_lists_scenes_and_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "blobs-11"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "there is no scene or game 'blobs-11' (did you mean blobs-1" in told
    assert all(name in told for name in [*SCENES, "blob-garden"])


@pytest.mark.parametrize("frames", ["0", "-1", "x", "1.5", "1000000"])
def test_a_number_of_frames_that_cannot_be_is_told(
    frames: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["bench", "cloth", f"--frames={frames}"])
    assert leaving.value.code == 2
    assert "expected a whole number" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in SCENES if not name.endswith("000")])
def test_every_scene_can_be_stepped(name: str) -> None:
    sim = SCENES[name]()
    sim.step()
    assert sim.asleep_count == 0
    sim.close()

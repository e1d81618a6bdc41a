"""The command: what it writes, what it says when something is missing, how it takes times."""

import importlib.util
import json
import math
import time
from pathlib import Path

import numpy as np
import pytest

import clock
import peers
import plot
import run
import storage
from clock import Result, race
from quality import Quality
from report import HEAD, Report, row
from scenes import CROWD, Scene, scene_named

pytest.importorskip("pymunk")


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everything small."""
    monkeypatch.setattr(run.c_reference, "ROUNDS", 1)
    monkeypatch.setattr(run.c_reference, "FRAMES", 2)
    monkeypatch.setattr(run, "QUICK_FRAMES", 2)
    monkeypatch.setattr(storage, "PARTICLES", 1000)
    monkeypatch.setattr(storage, "QUICK_ROUNDS", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("few_rounds")
def test_it_writes_a_table_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "folder"
    run.main(["S2_10", "S3_100", "storage", "--peers", "pymunk", "--quick", "--out", str(out)])
    told = capsys.readouterr().out
    assert str(out) in told
    markdown = (out / "results.md").read_text(encoding="utf-8")
    rows = [
        line for line in markdown.splitlines() if line.startswith(("| S2_10 | ", "| S3_100 | "))
    ]
    assert len(rows) == 6
    assert all(line in told for line in rows)
    assert len({line.count("|") for line in [*HEAD.splitlines(), *rows]}) == 1
    assert "quick run" in markdown
    found = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert {result["engine"] for result in found["results"]} == {
        "ecs_softbody, 8 substeps", "ecs_softbody, 1 substep", "pymunk, 8 steps × 1 iteration",
        "pymunk, 8 steps × 10 iterations", "pymunk, 1 step × 10 iterations",
    }  # fmt: skip
    assert all(
        result["milliseconds"] > 0.0 and result["quality"]["finite"] for result in found["results"]
    )
    assert {"numpy", "numba", "esper", "pymunk"} <= set(found["versions"])
    assert {cost["engine"] for cost in found["storage"]} == {"ecs_softbody", "pymunk"}
    if plot.missing() is None:
        assert (out / "scaling.png").stat().st_size > 5000
        assert (out / "scaling.svg").stat().st_size > 5000
    else:
        assert "pip install matplotlib" in markdown


@pytest.mark.slow
@pytest.mark.usefixtures("few_rounds")
def test_the_physical_limit_stands_below_the_net(tmp_path: Path) -> None:
    run.main(["S1", "--peers", "--quick", "--out", str(tmp_path)])
    markdown = (tmp_path / "results.md").read_text(encoding="utf-8")
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    if run.c_reference.compiler() is None:
        assert "no C compiler" in markdown
    else:
        assert "| C, runs | " in markdown
        assert found["limit"]["nanoseconds"]["scatter"] > 0.0
    assert len(found["results"]) == 1


def test_a_peer_that_is_missing_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "Box2D" else find(name)
    )
    assert peers.missing("box2d") == "box2d is not installed; to measure it: pip install Box2D"
    assert peers.missing("pymunk") is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--peers", "havok"], "havok"),
        (["--limit", "0"], "expected a number above 0"),
        (["--limit", "x"], "--limit"),
    ],
)
def test_what_cannot_be_is_told(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        run.main(arguments)
    assert left.value.code == 2
    assert complaint in capsys.readouterr().err


def test_an_unknown_scene_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="unknown scene 'S9'"):
        run.main(["S2_10", "S9", "--out", str(tmp_path)])
    assert list(tmp_path.iterdir()) == []


class Sleeper:
    """An engine that takes as long as it is told."""

    def __init__(self, scene: Scene, seconds: float, log: list[str], name: str) -> None:
        self.scene = scene
        self.seconds = seconds
        self.log = log
        self.name = name

    def step(self) -> None:
        self.log.append(self.name)
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass

    def positions(self) -> np.ndarray:
        return self.scene.position


def sleepers(scene: Scene, log: list[str], **seconds: float) -> list[peers.Setting]:
    return [(name, lambda name=name: Sleeper(scene, seconds[name], log, name)) for name in seconds]


@pytest.mark.slow
def test_engines_take_turns_and_ratios_are_over_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "TURN", 2)
    scene = scene_named("S2_10")
    log = []
    scene.warmup_frames = 2
    scene.frames = 5
    first, second = race(scene, sleepers(scene, log, a=0.001, b=0.003), math.inf)
    assert log == ["a", "a", "b", "b"] * 3 + ["a", "b"]
    assert (first.frames_before, first.frames, first.is_complete) == (2, 5, True)
    assert first.ratio == 1.0
    assert 2.0 < second.ratio < 4.0
    assert first.milliseconds == pytest.approx(1.0, rel=0.3)


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    ("limit", "before", "frames"), [(0.0135, 10, 5), (0.0055, 5, 2), (1e-9, 1, 1)]
)
def test_a_slow_engine_is_stopped_and_says_so(
    limit: float, before: int, frames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first frame, in which engines compile, does not count towards the limit."""
    scene = scene_named("S2_10")
    scene.warmup_frames = scene.frames = 10
    now = [0.0]

    class Slow(Sleeper):
        def step(self) -> None:
            now[0] += 0.001

    monkeypatch.setattr(clock.time, "process_time", lambda: now[0])
    [result] = race(scene, [("slow", lambda: Slow(scene, 0.0, [], "slow"))], limit)
    assert not result.is_complete
    assert (result.frames_before, result.frames) == (before, frames)
    assert result.milliseconds == pytest.approx(1.0)
    assert row(result).endswith(f"| {before} + {frames}, stopped |")


@pytest.mark.slow
def test_the_ratio_of_a_stopped_engine_is_of_the_same_frames(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both take longer from frame to frame; ours goes on when the other one is stopped."""
    scene = scene_named("S2_10")
    scene.warmup_frames = scene.frames = 30
    now = [0.0]

    class Tiring(Sleeper):
        frames = 0

        def step(self) -> None:
            self.frames += 1
            now[0] += self.seconds * self.frames

    monkeypatch.setattr(clock.time, "process_time", lambda: now[0])
    makers = [
        (name, lambda s=s: Tiring(scene, s, [], ""))
        for name, s in (("ours", 0.001), ("slow", 0.005))
    ]
    ours, slow = race(scene, makers, 2.0)
    assert (ours.is_complete, slow.is_complete) == (True, False)
    assert slow.ratio == pytest.approx(5.0)


@pytest.mark.slow
def test_a_peer_that_fails_is_left_out_and_named() -> None:
    def breaks() -> peers.Runner:
        raise TypeError("no such argument")

    scene = scene_named("S2_10")
    failures = []
    scene.warmup_frames = scene.frames = 1
    ways = sleepers(scene, [], ours=0.0, slow=0.0)
    results = race(scene, [ways[0], ("theirs", breaks), ways[1]], math.inf, failures)
    assert [result.engine for result in results] == ["ours", "slow"]
    assert failures == ["theirs could not build S2_10: no such argument"]
    with pytest.raises(TypeError):
        race(scene, [("ours", breaks)], math.inf, failures)


@pytest.mark.slow
def test_the_crowd_is_ours_alone() -> None:
    scene = scene_named(CROWD)
    assert len(scene.position) == 96_000
    small = scene_named("S2_10")
    small.name = CROWD
    small.warmup_frames = 0
    small.frames = 1
    assert [result.engine for result in run.run_scene(small, ["pymunk"], 1.0)] == [
        "ecs_softbody, 8 substeps"
    ]


def result_of(scene: str, milliseconds: float, **quality: float) -> Result:
    found = Quality(0.01, 0.02, 0.0, 0.9, 1.1, finite=True)
    return Result(scene, "ecs_softbody, 8 substeps", milliseconds, 60, 30, 0.1, True, found)


def test_growth_is_told_where_both_scenes_ran() -> None:
    report = Report(
        [result_of("S2_100", 2.0), result_of("S2_1000", 30.0), result_of("S3_1000", 1.0)]
    )
    assert report.growth() == [("S2_100", "S2_1000", 15.0)]
    assert "- S2_1000 takes 15.0 times as long as S2_100." in report.as_markdown()


def test_what_exploded_is_told_and_json_stays_valid() -> None:
    result = result_of("S4", 1.0)
    result.quality = Quality(np.nan, np.nan, np.nan, np.nan, np.nan, finite=False)
    assert "not finite" in row(result)
    assert row(result).count("|") == HEAD.splitlines()[0].count("|")
    found = json.loads(Report([result]).as_json())
    assert found["results"][0]["quality"]["overlap_max"] is None


@pytest.mark.skipif(plot.missing() is not None, reason="matplotlib is not installed")
def test_the_plot_is_the_same_for_the_same_numbers(tmp_path: Path) -> None:
    results = [result_of("S2_10", 1.0), result_of("S2_100", 9.0)]
    first = [path.read_bytes() for path in plot.draw(results, tmp_path / "a")]
    assert first == [path.read_bytes() for path in plot.draw(results, tmp_path / "b")]
    assert plot.draw([result_of("S1", 1.0)], tmp_path / "c") == []


@pytest.mark.brief(3)
@pytest.mark.parametrize("engine", peers.PEERS)
@pytest.mark.parametrize("name", ["S2_10", "S3_10", "S4_wide"])
def test_peers_that_are_installed_run_the_same_scene(engine: str, name: str) -> None:
    """After half a second they agree about where the middle of everything is."""
    if peers.missing(engine):
        pytest.skip(peers.missing(engine))
    scene = scene_named(name)
    ours = peers.settings("ours", scene)[0][1]()
    theirs = [make() for _, make in peers.settings(engine, scene)]
    for _ in range(20):
        for runner in (ours, *theirs):
            runner.step()
    for runner in theirs:
        np.testing.assert_allclose(
            runner.positions().mean(axis=0), ours.positions().mean(axis=0), atol=0.08
        )
    ours.close()

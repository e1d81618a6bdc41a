"""Games in a page against the same natively: how long a frame and a picture take, by turns.

    python benchmarks/web.py --pyodide FOLDER                  # all included games: five minutes
    python benchmarks/web.py jelly-car --pyodide FOLDER --frames 600

Needs Chromium, and a folder with a whole Pyodide (`ECS_SOFTBODY_PYODIDE` names one, too). Both
sides play the same frames, to the same bits, thirty at a time, and show sixty pictures a second: a
core that waits in between is slower at each than one that does not. A picture is all that Python
does for it, with the calls of WebGL in the page; natively there are no such calls, since what draws
differs between machines. Of the pixels only a corner is filled: here a program does what elsewhere
is the work of a graphics card. A frame's time is the smallest of some plays (`--plays`), so that
other programs count little; what is printed are medians of all frames [ms].
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import web_play
from included import included_games
from tests.helpers import chromium

FRAME = 1.0 / 60.0
TURN = 30
"""Frames that one side plays before it is the other's turn."""
RUN = """(async () => {
  for (let frame = 0; frame < %d; frame++) {
    played.one();
    await new Promise(requestAnimationFrame);
  }
})()"""
Times = list[tuple[float, float]]


def play_by_turns(page: chromium.Page, name: str, frames: int) -> tuple[Times, Times]:
    """Return the times of all frames and pictures natively and in the page."""
    native = web_play.Play(name)
    page.evaluate(f"globalThis.played = measured.Play({name!r}, drawn); 0")
    for _ in range(0, frames, TURN):
        for _ in range(TURN):
            began = time.perf_counter()
            native.one()
            time.sleep(max(0.0, FRAME - (time.perf_counter() - began)))
        page.evaluate(RUN % TURN)
    if native.state() != page.evaluate("played.state()"):
        print(f"{name}: the page has played to other bits than this machine", file=sys.stderr)
    times = page.evaluate("played.times.toJs().map(each => [...each])")
    page.evaluate("played.close(); played.destroy()")
    native.close()
    return native.times, times


def smallest(plays: list[Times]) -> Times:
    """Return the smallest time of each frame, and of each picture, of some plays."""
    return [
        (min(frame for frame, _ in each), min(picture for _, picture in each))
        for each in zip(*plays, strict=True)
    ]


def medians(times: Times) -> tuple[float, float, float]:
    """Return the medians of frame, of picture, and of both."""
    return tuple(
        statistics.median(part)
        for part in (*zip(*times, strict=True), [sum(each) for each in times])
    )  # type: ignore[return-value]


def opened(page: chromium.Page, address: str) -> None:
    """Load a page, leave its game at the start, and bring there what is measured."""
    page.open(address)
    page.wait_for(
        "location.href.startsWith('http') && document.getElementById('play')?.hidden === false"
    )
    module = json.dumps(Path(web_play.__file__).read_text(encoding="utf-8"))
    place = "ecs_softbody.py.pyimport('site').getsitepackages().get(0)"
    page.evaluate(f"ecs_softbody.py.FS.writeFile({place} + '/web_play.py', {module})")
    page.evaluate("ecs_softbody.py.pyimport('importlib').invalidate_caches()")
    page.evaluate("""
      document.getElementById("cover").hidden = true;
      globalThis.measured = ecs_softbody.py.pyimport("web_play");
      const shaders = ecs_softbody.py.runPython(`
        import json
        from ecs_softbody.rendering.backend.shaders import WEBGL, shaders
        json.dumps(shaders(WEBGL)._asdict())`);
      globalThis.drawn = ecs_softbody.script.backend(shaders);
      const gl = document.getElementById("canvas").getContext("webgl2");
      gl.scissor(0, 0, 8, 8);
      gl.enable(gl.SCISSOR_TEST);
      0""")


def main() -> None:
    """Print a row for each game."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("games", nargs="*", default=list(included_games()))
    options.add_argument(
        "--pyodide", default=os.environ.get("ECS_SOFTBODY_PYODIDE", ""), metavar="FOLDER"
    )
    options.add_argument("--frames", type=int, default=300)
    options.add_argument("--plays", type=int, default=3)
    given = options.parse_args()
    from ecs_softbody.cli.main import main as command

    print("| game | frame | picture | both | memory |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        if command(["web", "springs-lab", "--out", str(site), "--pyodide", given.pyodide]):
            sys.exit(1)
        with chromium.served(site) as address, chromium.opened(web_play.SIZE) as page:
            for name in given.games:
                opened(page, f"{address}?game={name}")
                plays = [play_by_turns(page, name, given.frames) for _ in range(given.plays)]
                both = [medians(smallest(list(side))) for side in zip(*plays, strict=True)]
                cells = [
                    f"{here:.2f} -> {there:.2f} ({there / here:.1f})"
                    for here, there in zip(*both, strict=True)
                ]
                python, script = page.memory()
                print(
                    f"| {name} | {' | '.join(cells)} | {python:.0f} + {script:.0f} MB |", flush=True
                )


if __name__ == "__main__":
    main()

"""The report: what was measured, as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from c_reference import Limit
from clock import Result
from peers import LIBRARIES
from scenes import SUBSTEPS
from storage import Cost

GROWTHS = (("S2_100", "S2_1000"), ("S2_1000", "S2_4000"), ("S3_1000", "S3_10000"))
HEAD = """\
| scene | engine | CPU ms/frame | over ours | overlap p95 / r | max | in walls / r | stretch | frames |
|---|---|---|---|---|---|---|---|---|"""


@dataclass
class Report:
    """Everything that one run found."""

    results: list[Result] = field(default_factory=list)
    limit: Limit | None = None
    springs: int = 0
    """Springs of the scene that the limit was taken with."""
    storage: list[Cost] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    quick: bool = False

    def ours(self, scene: str) -> Result | None:
        """Return our row of a scene."""
        return next((result for result in self.results if result.scene == scene), None)

    def growth(self) -> list[tuple[str, str, float]]:
        """Return (smaller scene, larger scene, how many times as long it takes) where both were
        run.
        """
        pairs = [(small, large, self.ours(small), self.ours(large)) for small, large in GROWTHS]
        return [
            (a, b, two.milliseconds / one.milliseconds) for a, b, one, two in pairs if one and two
        ]

    def as_markdown(self, *, with_rows: bool = True) -> str:
        """Return the tables, or what else there is to tell."""
        parts = [machine_line(), f"{versions_line()}; one thread; medians of CPU time."]
        if self.quick:
            parts.append("**A quick run, to see that everything works: these times mean little.**")
        if self.results and with_rows:
            parts.append("\n".join([HEAD, *(row(result) for result in self.results)]))
        parts += [*self._limit_lines(), *self._growth_lines(), *self._storage_lines()]
        if self.missing:
            parts.append("\n".join(f"- {line}" for line in self.missing))
        return "\n\n".join(parts) + "\n"

    def as_json(self) -> str:
        """Return the same as JSON; what is not a number is null."""
        found = {
            "machine": {
                "cpu": cpu_name(),
                "system": platform.system(),
                "python": platform.python_version(),
            },
            "versions": versions(),
            "quick": self.quick,
            "results": [asdict(result) for result in self.results],
            "limit": None if self.limit is None else asdict(self.limit),
            "growth": [{"from": a, "to": b, "times": times} for a, b, times in self.growth()],
            "storage": [asdict(cost) for cost in self.storage],
            "missing": self.missing,
        }
        return json.dumps(without_nan(found), indent=1, allow_nan=False) + "\n"

    def write(self, folder: Path) -> None:
        """Write `results.md` and `results.json` into a folder,
        which is made when it is not there.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.md").write_text(self.as_markdown(), encoding="utf-8")
        (folder / "results.json").write_text(self.as_json(), encoding="utf-8")

    def _limit_lines(self) -> Iterable[str]:
        ours = self.ours("S1")
        if self.limit is None or ours is None:
            return
        per_spring = 1e6 * ours.milliseconds / (self.springs * SUBSTEPS)
        lines = [
            "| S1 | ms/frame | ns per spring and substep | ours over it |",
            "|---|---|---|---|",
        ]
        lines.append(f"| ecs_softbody | {number(ours.milliseconds)} | {per_spring:.2f} | 1 |")
        for layout, spent in self.limit.milliseconds.items():
            ns = self.limit.nanoseconds[layout]
            lines.append(
                f"| C, {layout} | {number(spent)} | {ns:.2f} | {ours.milliseconds / spent:.2f} |"
            )
        yield "\n".join(lines)
        yield f"C: {self.limit.compiler}, float64."

    def _growth_lines(self) -> Iterable[str]:
        if self.growth():
            yield "\n".join(
                f"- {b} takes {times:.1f} times as long as {a}." for a, b, times in self.growth()
            )

    def _storage_lines(self) -> Iterable[str]:
        if self.storage:
            rows = (
                f"| {cost.what} | {cost.engine} | {number(cost.milliseconds)} |"
                for cost in self.storage
            )
            yield "\n".join(["| storage | engine | CPU ms |", "|---|---|---|", *rows])


def row(result: Result) -> str:
    """Return one row of the table; a run that was stopped says so by its frames."""
    quality = result.quality
    soft = not result.scene.startswith("S3")
    contacts = (
        f"{quality.overlap_p95:.3f} | {quality.overlap_max:.3f} | {quality.wall_penetration:.3f}"
    )
    springs = f"{quality.stretch_min:.2f} to {quality.stretch_max:.2f}" if soft else ""
    if result.scene == "S1":
        contacts = " |  | "
    if not quality.finite:
        contacts = "not finite |  | "
        springs = ""
    frames = f"{result.frames_before} + {result.frames}{'' if result.is_complete else ', stopped'}"
    speed = f"{number(result.milliseconds)} | {result.ratio:.2f}"
    return f"| {result.scene} | {result.engine} | {speed} | {contacts} | {springs} | {frames} |"


def number(value: float) -> str:
    """Return three digits of a number, without an exponent."""
    return f"{value:.0f}" if value >= 100.0 else f"{value:.3g}"


def without_nan(value: Any) -> Any:
    """Return the same with None for numbers that are not finite, which JSON does not have."""
    if isinstance(value, dict):
        return {key: without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_nan(entry) for entry in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def versions() -> dict[str, str]:
    """Return the versions of what is installed and takes part."""
    found = {}
    for name in ("ecs-softbody", "numpy", "numba", "esper", *LIBRARIES.values()):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def versions_line() -> str:
    """Return the versions as a line."""
    return ", ".join(
        [
            f"Python {platform.python_version()}",
            *(f"{name} {told}" for name, told in versions().items()),
        ]
    )


def machine_line() -> str:
    """Return what the times were taken on."""
    return f"{cpu_name()}, {platform.system()}"


def cpu_name() -> str:
    """Return the name of the processor, as well as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())

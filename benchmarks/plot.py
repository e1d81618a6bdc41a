"""The scaling plot: time of a frame against the number of bodies, both axes logarithmic, ours and
the peers.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from clock import Result

FRAME_MS = 1000.0 / 60.0
PANELS = {"S2": "soft blobs in a heap (24 particles each)", "S3": "balls in a box"}
OURS = "ecs_softbody"
COLOURS = {
    OURS: "#d6336c",
    "pymunk": "#1c7ed6",
    "Box2D 2.3": "#2f9e44",
    "newton": "#f08c00",
    "warp kernels": "#7048e8",
}
STYLES = ("-", "--", ":")
"""Settings of one engine, in the order in which they ran."""


def missing() -> str | None:
    """Return how matplotlib is installed, or None when it is there."""
    if importlib.util.find_spec("matplotlib") is not None:
        return None
    return "matplotlib is not installed, so there is no plot; to draw it: pip install matplotlib"


def series(results: list[Result], kind: str) -> dict[str, list[tuple[int, Result]]]:
    """Return (number of bodies, result) by engine, of the scenes S2 or S3, in ascending order."""
    found: dict[str, list[tuple[int, Result]]] = {}
    for result in results:
        name, _, count = result.scene.partition("_")
        if name == kind and count.isdecimal():
            found.setdefault(result.engine, []).append((int(count), result))
    return {engine: sorted(points, key=lambda point: point[0]) for engine, points in found.items()}


def draw(results: list[Result], folder: Path) -> list[Path]:
    """Write `scaling.png` and `scaling.svg`; nothing when there is nothing to draw."""
    panels = {kind: found for kind in PANELS if (found := series(results, kind))}
    if not panels:
        return []
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "ecs_softbody"  # the same file for the same numbers
    figure, axes = plt.subplots(1, len(panels), figsize=(5.6 * len(panels), 5.4), squeeze=False)
    for axis, (kind, lines) in zip(axes[0], panels.items(), strict=True):
        styles = {family: iter(STYLES) for family in COLOURS}
        for engine, points in lines.items():
            family = engine.partition(",")[0]
            counts = [count for count, _ in points]
            spent = [result.milliseconds for _, result in points]
            colour = COLOURS[family]
            width, height = (3.0, 5) if family == OURS else (1.6, 2)
            axis.plot(
                counts,
                spent,
                next(styles[family]),
                color=colour,
                linewidth=width,
                label=engine,
                zorder=height,
            )
            for count, result in points:
                fill = colour if result.is_complete else "white"
                axis.plot(
                    [count],
                    [result.milliseconds],
                    "o",
                    color=colour,
                    markerfacecolor=fill,
                    markersize=6,
                    zorder=6,
                )
        axis.axhline(FRAME_MS, color="#495057", linewidth=1.0, linestyle=":")
        axis.text(
            0.01, FRAME_MS * 1.08, "60 frames a second", color="#495057", fontsize=8,
            transform=axis.get_yaxis_transform(),
        )  # fmt: skip
        axis.set(
            xscale="log",
            yscale="log",
            title=PANELS[kind],
            xlabel="bodies",
            ylabel="CPU time of a frame [ms]",
        )
        axis.grid(which="both", color="#e9ecef", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.legend(
            fontsize=7.5, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2
        )
    figure.tight_layout()
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "scaling.png", folder / "scaling.svg"]
    figure.savefig(written[0], dpi=110)
    figure.savefig(written[1], metadata={"Date": None})
    plt.close(figure)
    return written

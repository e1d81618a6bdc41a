"""Ours and the peers: each module makes runners of a scene; a runner steps one frame and tells
where particles are.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenes import Scene


class Runner(Protocol):
    """What the benchmark needs of an engine."""

    def step(self) -> None:
        """Run one frame."""

    def positions(self) -> NDArray[np.float64]:
        """Return all particles (N, 2) [m]."""


Setting = tuple[str, Callable[[], Runner]]
"""A label, and what makes the runner."""

PEERS = {
    "pymunk": ("pymunk",),
    "box2d": ("Box2D",),
    "newton": ("newton", "warp"),
    "warp": ("warp",),
}
"""Peer -> the modules that it needs."""
PACKAGES = {"pymunk": "pymunk", "box2d": "Box2D", "newton": "newton warp-lang", "warp": "warp-lang"}
"""Peer -> what pip is asked for."""
LIBRARIES = {"pymunk": "pymunk", "box2d": "Box2D", "newton": "newton", "warp": "warp-lang"}
"""Peer -> the distribution whose version is told."""


def missing(peer: str) -> str | None:
    """Return how a peer that is not there is installed, or None when it is there."""
    if all(importlib.util.find_spec(module) is not None for module in PEERS[peer]):
        return None
    return f"{peer} is not installed; to measure it: pip install {PACKAGES[peer]}"


def settings(engine: str, scene: Scene) -> list[Setting]:
    """Return the ways in which "ours" or a peer runs this scene; none where it cannot."""
    found: list[Setting] = importlib.import_module(f"peers.{engine}_runner").settings(scene)
    return found

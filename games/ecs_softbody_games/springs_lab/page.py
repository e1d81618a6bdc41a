"""Page: one classic: its scene, its sliders, what is measured now, and what the formula says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody import Particles, Springs
from ecs_softbody.play import Slider
from ecs_softbody.rendering import Picture, palette
from ecs_softbody.scenes import Scene
from ecs_softbody_games.springs_lab.look import MEASURED, draw_coil

Floats = NDArray[np.float64]
Kind = TypeVar("Kind")
GRAVITY = 9.81
"""On earth [m/s²]."""
FINE = 500
"""Points of the curve of the formula."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the page: what is measured, None as long as it cannot be, and what the formula
    says.
    """

    name: str
    measured: float | None
    exact: float
    unit: str = ""

    @property
    def error(self) -> float | None:
        """Relative deviation; where the formula says 0, the deviation itself."""
        if self.measured is None:
            return None
        return (self.measured - self.exact) / (abs(self.exact) if self.exact else 1.0)


class Page:
    """Base class of the pages.

    A page states what stands on it, and overrides `build`, `value`, `exact`, `height` and
    `numbers`.
    """

    title: ClassVar[str]
    sentence: ClassVar[str]
    formula: ClassVar[Sequence[str]]
    """One to three short lines."""
    scene: ClassVar[str]
    """Its world, a file in the folder `scenes`."""
    view: ClassVar[tuple[float, float, float, float]]
    """Left, bottom, right, top [m] of what is to be seen."""
    seconds: ClassVar[float] = 6.0
    """How long it measures [s]."""
    label: ClassVar[str] = "x [m]"
    """What the plot shows."""
    colours: ClassVar[Sequence[palette.Colour]] = (MEASURED,)
    """Of the curves."""
    coils: ClassVar[Sequence[tuple[str, float]]] = ()
    """Entities whose springs are drawn, and how wide [m]."""
    grabs: ClassVar[bool] = True
    """Whether the mouse may take hold of its bodies."""
    solvers: ClassVar[Sequence[str]] = ("saturated", "xpbd")

    def __init__(self) -> None:
        choices = [Slider("substeps", choices=(4, 8, 16), value=8)]
        if len(self.solvers) > 1:
            choices.append(Slider("solver", choices=self.solvers))
        self.sliders = [*self.controls(), *choices]
        self._values = {slider.name: slider for slider in self.sliders}

    def __getitem__(self, name: str) -> float:
        """Return what a slider says."""
        return self._values[name].number

    def chosen(self, name: str) -> str:
        """Return what a slider of words says."""
        return str(self._values[name].value)

    def set(self, name: str, value: float | str) -> None:
        """Move a slider."""
        self._values[name].value = value

    @property
    def solver(self) -> str:
        """The chosen solver."""
        return self.chosen("solver") if "solver" in self._values else self.solvers[0]

    def begin(self, loaded: Scene) -> None:
        """Take a new world, set it as the sliders say, and measure from now on."""
        self.loaded = loaded
        self.sim = loaded.sim
        self.sim.substeps = int(self["substeps"])
        self.sim.sleeping = False
        self.touched = False
        self._times: list[float] = []
        self._values_seen: list[float | Sequence[float]] = []
        self._fine: tuple[Floats, Floats] | None = None
        self.build()
        self._note()

    def measure(self) -> None:
        """Note what is seen after a frame."""
        if not self.touched and self.sim.time <= self.seconds:
            self._note()

    def _note(self) -> None:
        self._times.append(self.sim.time)
        self._values_seen.append(self.value())

    @property
    def times(self) -> Floats:
        """When something was noted [s]."""
        return np.array(self._times)

    @property
    def trace(self) -> Floats:
        """The values noted, shape (N,); several at once (N, K)."""
        return np.array(self._values_seen)

    def curves(self) -> Sequence[Floats]:
        """Return the curves of what was measured."""
        trace = self.trace
        return [trace] if trace.ndim == 1 else list(trace.T)

    @property
    def fine(self) -> tuple[Floats, Floats]:
        """Times (N,), and what the formula says then (K, N), to be drawn: found once a world, as
        sliders begin anew.
        """
        if self._fine is None:
            times = np.linspace(0.0, self.seconds, FINE)
            self._fine = times, np.atleast_2d(self.exact(times))
        return self._fine

    def body(self, name: str = "body") -> Particles:
        """Return the particles of an entity of the scene."""
        return self.part(name, Particles)

    def part(self, name: str, kind: type[Kind]) -> Kind:
        """Return a component of an entity of the scene."""
        return self.sim.get(self.loaded[name], kind)

    def controls(self) -> Sequence[Slider]:
        """Return the page's own sliders."""
        return ()

    def build(self) -> None:
        """Write into the components what the sliders say."""

    def value(self) -> float | Sequence[float]:
        """Return what the plot shows, now; several values for several curves."""
        raise NotImplementedError

    def exact(self, t: Floats) -> Floats:
        """Return what the formula says at some times [s], shape (N,), or (K,
        N) for several curves.
        """
        raise NotImplementedError

    def height(self) -> tuple[float, float]:
        """Return the lowest and highest value of the plot."""
        raise NotImplementedError

    def numbers(self) -> Sequence[Number]:
        """Return what is measured beside what the formula says."""
        raise NotImplementedError

    def after_step(self, dt: float) -> None:
        """Do what the page needs after a step, before it measures."""

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw what the bodies' own pictures do not show: coils, where `coils` says how wide."""
        for name, width in self.coils:
            body = self.body(name)
            pairs = self.part(name, Springs).pairs
            seen = body.frame_position + alpha * (body.position - body.frame_position)
            for first, second in pairs:
                draw_coil(picture, seen[first], seen[second], width)

    def close_others(self) -> None:
        """Give up worlds besides the scene's own."""


class Resting(Page):
    """A page whose curve comes to rest at `rest`."""

    @property
    def rest(self) -> float:
        """Where it comes to rest, by the formula."""
        raise NotImplementedError

    def is_calm(self, off: float, frames: int = 30, after: float = 1.0) -> bool:
        """Return whether the last frames are nearly alike, after some seconds."""
        return bool(self.times[-1] > after and float(np.ptp(self.trace[-frames:])) < off)

    def exact(self, t: Floats) -> Floats:
        """Where it comes to rest."""
        return np.full(len(t), self.rest, np.float64)

"""TimeControl: pause, one step, speed, and back to a moment of the last seconds."""

from __future__ import annotations

from collections.abc import Callable

from ecs_softbody.inspector.model.history import History
from ecs_softbody.play.session import Session
from ecs_softbody.simulation import Simulation

RECORDED = (
    "A replay of this round is being recorded, so nothing can be changed: it would "
    "play something else"
)
"""Message where a replay is being recorded."""


class TimeControl:
    """Controls the time of a session's world; the settings also apply to the worlds that follow.

    Args:
        session: the session.
        attempt: runs an action whose errors become messages; returns whether it succeeded.
        history: the last seconds of the session.
    """

    def __init__(
        self, session: Session, attempt: Callable[[Callable[[], None]], bool], history: History
    ) -> None:
        self.history = history
        self._session = session
        self._attempt = attempt
        self._paused: bool | None = None
        self._speed: float | None = None

    @property
    def _sim(self) -> Simulation:
        return self._session.game.sim

    def meet(self, sim: Simulation) -> None:
        """Apply the settings to a new world."""
        if self._paused is not None:
            sim.paused = self._paused
        if self._speed is not None:
            sim.time_scale = self._speed

    @property
    def paused(self) -> bool:
        """Whether the world stands still."""
        return self._sim.paused

    def pause(self, paused: bool) -> None:
        """Pause the world, or resume it and forget the moments after the current frame."""
        self._paused = self._sim.paused = paused
        if not paused:
            self.history.forget_later()
            if self._session.state == "paused":
                self._session.state = "playing"

    def step(self) -> None:
        """Run one frame and stand still."""
        self.history.forget_later()
        self.pause(False)
        self.pause(True)
        self._sim.request_single_step()

    @property
    def speed(self) -> float:
        """How fast time passes: 1 as usual."""
        return self._sim.time_scale

    def set_speed(self, speed: float) -> None:
        """Have time pass faster or slower."""

        def change() -> None:
            self._sim.time_scale = speed
            self._speed = speed

        self._attempt(change)

    def rewind(self, number: int) -> None:
        """Go back to a moment of the history, and stand still there; later ones can still be gone
        to.
        """

        def back() -> None:
            if self._session.game.recorder is not None:
                raise RuntimeError(RECORDED)
            self.history.go_to(number)
            self._paused = self._sim.paused = True

        self._attempt(back)

"""BrokenScene: shows the errors in a game's first scene file, until it is fixed or the player
leaves.
"""

from __future__ import annotations

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.scene_source import stamp_of
from ecs_softbody.play.screens.keybar import Bar
from ecs_softbody.play.screens.problems import draw_problems
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.scenes.problems import SceneError

LOOK_EVERY = 15  # frames


class BrokenScene:
    """Shows all errors in a scene file, until one of its files has changed."""

    is_still = False

    def __init__(self, error: SceneError) -> None:
        self.exit_requested = False
        self._is_corrected = False
        self._error = error
        self._stamp = stamp_of(error.files)
        self._controls = Controls()
        self._frames = 0

    def frame(self, controls: Controls) -> None:
        """Leave on any of the usual keys; check the files now and then."""
        self._controls = controls
        self.exit_requested |= controls.was_pressed("escape", "pad_b")
        self._frames += 1
        if self._frames % LOOK_EVERY == 0:
            self._is_corrected = stamp_of(self._error.files) != self._stamp

    def is_corrected(self) -> bool:
        """Return whether one of the files has changed."""
        return self._is_corrected

    def picture(
        self, width_px: int, height_px: int, alpha: float = 1.0, into: Picture | None = None
    ) -> Picture:
        """Return the picture."""
        picture = into or Picture(width_px, height_px)
        picture.clear(width_px, height_px)
        picture.rectangle(
            (0, 0),
            (picture.width, picture.height),
            palette.SKY_BOTTOM,
            fill_top=palette.SKY_TOP,
            layer=0,
            space="screen",
        )
        draw_problems(picture, self._error.problems, "problems.first")
        Bar(picture, self._controls).draw([], [("esc", "keys.leave")])
        return picture

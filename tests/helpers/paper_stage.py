"""A stage on paper: a whole game without a window, a display or pyglet, in the time that its frames
take to compute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ecs_softbody.play import FRAME
from ecs_softbody.play.stage import Stage
from ecs_softbody.rendering.backend.raster_backend import RasterBackend

PICTURE = FRAME + 1e-9
"""Rounding is to cost no frame."""
LAST_PICTURES = 5
"""How many pictures are drawn after the last key of a script, until the stage is closed."""


class Paper:
    """A surface that nobody sees. Each picture takes 1/60 s.

    Args:
        size: width and height [pixels].
        happens: called before each picture of what is shown by `showing`, but the first, in which
            no frame is due.
    """

    def __init__(self, size: tuple[int, int], happens: Callable[[], object]) -> None:
        self.size = size
        self.happens = happens
        self.now = 0.0
        self.fullscreen = self.closed = False
        self._shown = 0
        self.captions: list[str] = []
        self.pictures = 0

    def get_framebuffer_size(self) -> tuple[int, int]:
        return self.size

    def dispatch_events(self) -> None:
        self.now += PICTURE
        self._shown += bool(self.captions)
        if self._shown > 1:
            self.happens()

    def switch_to(self) -> None:
        assert not self.closed

    def flip(self) -> None:
        self.pictures += 1

    def set_caption(self, caption: str) -> None:
        self._shown = 0
        self.captions.append(caption)

    def set_fullscreen(self, fullscreen: bool) -> None:
        self.fullscreen = fullscreen

    def close(self) -> None:
        self.closed = True


class PaperStage(Stage):
    """A stage whose pictures the rasterizer draws when they are read.

    Args:
        script: names of keys, pressed and let go one after the other in what is shown by `showing`,
            one for each frame; functions, which are called, and numbers of frames in which nothing
            is done. Some pictures after the last one the stage is closed.
        size: width and height [pixels].

    Attributes:
        paper: the surface.
        screens: all that was shown, in its order.
    """

    def __init__(
        self, *script: str | int | Callable[[], object], size: tuple[int, int] = (640, 360)
    ) -> None:
        self.paper = Paper(size, self._go_on)
        self.script = list(script)
        self._left = LAST_PICTURES
        self.screens: list[Any] = []
        super().__init__(self.paper, RasterBackend(), now=lambda: self.paper.now)

    def showing(self, screen: Any, *, until: Callable[[], bool] | None = None) -> Any:
        self.screens.append(screen)
        return super().showing(screen, until=until)

    def ticks(self, count: int = 1) -> None:
        """Run so many frames, with a picture of each."""
        for _ in range(count):
            self.tick(FRAME)

    def typed(self, *names: str) -> None:
        """Press and let go of keys, with a frame after each."""
        for name in names:
            self.press(name)
            self.ticks()
            self.release(name)
            self.ticks()

    def texts(self) -> list[str]:
        """Return what is written in the picture that was drawn last."""
        return [text.text for text in self._picture.texts]

    def _go_on(self) -> None:
        if not self.script:
            self._left -= 1
            if not self._left:
                self.close()
            return
        done = self.script.pop(0)
        if isinstance(done, str):
            self.press(done)
            self.release(done)
        elif isinstance(done, int):
            self.script[:0] = [done - 1] * (done > 1)
        else:
            done()

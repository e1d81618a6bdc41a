"""Inspector: an overlay on a window that shows the state of its game."""

from __future__ import annotations

import time
from typing import Any

from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.inspector.panel.browser import Browser
from ecs_softbody.inspector.panel.events import Events
from ecs_softbody.inspector.panel.highlight import draw_highlight
from ecs_softbody.inspector.panel.renderer import Renderer
from ecs_softbody.inspector.panel.sections import (
    SpawnSection,
    draw_pending,
    draw_plots,
    draw_time,
    height_of_pending,
)
from ecs_softbody.inspector.panel.widgets import Widgets
from ecs_softbody.parallel.machine import thread_time
from ecs_softbody.play.session import Session
from ecs_softbody.play.window import GameWindow
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.points import USUAL_HEIGHT

WIDTH = 400.0
"""Of the panel at first [points of 1/96 inch]."""
MOST_WIDTH = 0.46
"""At first it takes no more than this share of the window."""
LEAST_SIZE = (220.0, 160.0)
"""Least width and height of the panel [pixels]."""
LETTERS = 13.0
"""Size of letters [points of 1/96 inch]."""
ENOUGH_HEIGHT = 520.0
"""With less the panel as a whole is scrolled."""
COLOURS = {
    "window_bg": (0.07, 0.08, 0.11, 0.94), "frame_bg": (0.19, 0.21, 0.27, 1.0),
    "text_disabled": (0.62, 0.64, 0.7, 1.0), "slider_grab": (0.35, 0.55, 0.85, 0.75),
    "plot_lines": (0.75, 0.8, 0.9, 1.0),
}  # fmt: skip
LEFT_BUTTON = 1
"""Number of the left mouse button in pyglet."""


class Inspector:
    """Draws the panel, and handles its keys and clicks.

    Args:
        window: the window below it.
        imgui: the module of Dear ImGui.

    Attributes:
        shown: whether it is visible.
        inspection: its model; None while there is no game.
        bounds: left, top, width and height of the panel [pixels].
    """

    def __init__(self, window: GameWindow, imgui: Any) -> None:
        self._window = window
        self._imgui = imgui
        self.inspection: Inspection | None = None
        self.cpu_ms = 0.0
        """Time that the panel takes for a picture, smoothed [ms]; the graphics card is
        not in it.
        """
        self._context = imgui.create_context()
        self._enter()
        io = imgui.get_io()
        io.set_ini_filename("")
        io.config_windows_move_from_title_bar_only = True
        imgui.style_colors_dark()
        for name, colour in COLOURS.items():
            imgui.get_style().set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*colour))
        self._renderer = Renderer(imgui)
        self._scale = 1.0
        self._fitted = False
        self._before = time.perf_counter()
        self.bounds = (0.0, 0.0, 0.0, 0.0)
        self._window_size = window.size_px
        self._widgets = Widgets(imgui)
        self._browser, self._spawning = Browser(self._widgets), SpawnSection(self._widgets)
        self._events = Events(imgui, window.handle, self._enter, window.holds, self._click)
        self._events.over = self._is_over
        window.handle.push_handlers(self._events)
        self.shown = True

    @property
    def shown(self) -> bool:
        """Whether it is to be seen."""
        return self._shown

    @shown.setter
    def shown(self, value: bool) -> None:
        self._shown = value
        self._events.shown = value and self.inspection is not None
        self._spawning.placing = False
        if not value:
            self._enter()
            self._imgui.get_io().clear_input_keys()
            self._imgui.get_io().clear_input_mouse()

    def meet(self, screen: Any) -> None:
        """Look into the game that the window shows now; into nothing where it is a menu."""
        if self.inspection is not None:
            self.inspection.session.over_world.remove(self._draw_in_world)
            self.inspection = None
        if isinstance(screen, Session):
            self.inspection = Inspection(screen)
            screen.over_world.append(self._draw_in_world)
        self.shown = self._shown

    def follow(self, frame_ms: float) -> None:
        """Update after the frames since the last picture; `frame_ms` is the duration of the last
        one [ms].
        """
        if self._shown and self.inspection is not None:
            self.inspection.follow(frame_ms)

    def draw(self) -> None:
        """Draw the panel over the picture that is in the back buffer."""
        inspection = self.inspection
        if not self._shown or inspection is None or inspection.game.sim.closed:
            return
        started = thread_time()
        # The current context is global to the process: another one may be set.
        self._enter()
        imgui = self._imgui
        io = self._imgui.get_io()
        width, height = self._window.size_px
        io.display_size = imgui.ImVec2(width, height)
        now = time.perf_counter()
        io.delta_time = min(max(now - self._before, 1e-4), 0.2)
        self._before = now
        self._fit_letters()
        imgui.new_frame()
        try:
            self._draw_panel(inspection, width, height)
        finally:
            imgui.render()
        self._renderer.draw(imgui.get_draw_data())
        self.cpu_ms += ((thread_time() - started) * 1000.0 - self.cpu_ms) * 0.05

    def _draw_panel(self, inspection: Inspection, width: int, height: int) -> None:
        imgui = self._imgui
        scale = self._scale
        wide = min(WIDTH * scale, max(MOST_WIDTH * width, LEAST_SIZE[0]))
        imgui.set_next_window_pos(imgui.ImVec2(width - wide, 0.0), imgui.Cond_.first_use_ever)
        imgui.set_next_window_size(imgui.ImVec2(wide, height), imgui.Cond_.first_use_ever)
        least = imgui.ImVec2(min(LEAST_SIZE[0], width), min(LEAST_SIZE[1], height))
        imgui.set_next_window_size_constraints(least, imgui.ImVec2(width, height))
        flags = imgui.WindowFlags_.no_collapse
        if height >= ENOUGH_HEIGHT * scale:
            flags |= imgui.WindowFlags_.no_scrollbar
        is_open, stays = imgui.begin("Inspector", True, flags)
        self._keep_inside(width, height)
        if is_open:
            self._draw_sections(inspection)
        imgui.end()
        if not stays:
            self.shown = False

    def _keep_inside(self, width: int, height: int) -> None:
        """Have the panel follow the edges of a window that has become smaller or larger."""
        imgui = self._imgui
        place = imgui.get_window_pos()
        size = imgui.get_window_size()
        old_width, old_height = self._window_size
        left = place.x
        top = place.y
        wide = size.x
        high = size.y
        if (width, height) != (old_width, old_height):
            left += width - old_width if left + wide >= old_width - 1.0 else 0.0
            high = height if high >= old_height - 1.0 else min(high, height)
            self._window_size = (width, height)
        wide = min(wide, width)
        high = min(high, height)
        left = max(min(left, width - wide), 0.0)
        top = max(min(top, height - high), 0.0)
        if (left, top, wide, high) != (place.x, place.y, size.x, size.y):
            imgui.set_window_pos(imgui.ImVec2(left, top))
            imgui.set_window_size(imgui.ImVec2(wide, high))
        self.bounds = (left, top, wide, high)

    def _draw_sections(self, inspection: Inspection) -> None:
        imgui = self._imgui
        worlds = inspection.worlds
        if len(worlds) > 1:
            names = [sim.world for sim in worlds]
            changed, number = imgui.combo("world", worlds.index(inspection.sim), names)
            if changed:
                inspection.choose_world(number)
        draw_time(imgui, inspection)
        draw_plots(imgui, inspection)
        self._spawning.draw(inspection)
        self._browser.draw(inspection, height_of_pending(imgui, inspection))
        draw_pending(imgui, inspection)

    def _fit_letters(self) -> None:
        """Have letters and lines as large as the screen's resolution asks for."""
        across = self._window.size_px[0] / max(self._window.handle.get_size()[0], 1)
        scale = min(max(float(self._window.handle.scale), across, 1.0), 4.0)
        if scale == self._scale and self._fitted:
            return
        self._fitted = True
        imgui = self._imgui
        style = imgui.get_style()
        style.scale_all_sizes(scale / self._scale)
        style.window_rounding = 5.0 * scale
        style.frame_rounding = 3.0 * scale
        style.grab_rounding = 3.0 * scale
        style.item_spacing = imgui.ImVec2(6 * scale, 4 * scale)
        style.frame_padding = imgui.ImVec2(5 * scale, 2 * scale)
        style.font_scale_dpi = scale
        style.font_size_base = LETTERS
        self._scale = scale

    def _enter(self) -> None:
        self._imgui.set_current_context(self._context)

    def _is_over(self, x: float, y: float) -> bool:
        left, top, wide, high = self.bounds
        return left <= x < left + wide and top <= y < top + high

    def _click(self, x: int, y: int, button: int) -> bool:
        """Select the entity at a place in the world, or spawn a body there; True keeps the click
        from the game.
        """
        inspection = self.inspection
        if inspection is None or button != LEFT_BUTTON:
            return False
        scale = USUAL_HEIGHT / max(self._window.handle.height, 1)
        at_x, at_y = inspection.game.camera.screen_to_world((x * scale, y * scale))
        if self._spawning.placing:
            self._spawning.spawn(inspection, (float(at_x), float(at_y)))
            return True
        inspection.pick((float(at_x), float(at_y)))
        return False

    def _draw_in_world(self, picture: Picture, alpha: float) -> None:
        inspection = self.inspection
        if not self._shown or inspection is None or (entity := inspection.selected) is None:
            return
        if inspection.alive(entity) and inspection.sim is inspection.game.sim:
            draw_highlight(inspection.sim, entity, picture, alpha)

    def close(self) -> None:
        """Release the panel's resources, while the window is still open."""
        self.meet(None)
        self._enter()
        self._window.handle.remove_handlers(self._events)
        self._renderer.close()
        self._imgui.destroy_context(self._context)

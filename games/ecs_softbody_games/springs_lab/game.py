"""Springs lab: pages of springs and soft bodies, each measured against its formula while one
touches it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from ecs_softbody import MouseJoint
from ecs_softbody.play import Axis, Button, Controls, Game, Sliders
from ecs_softbody.rendering import Picture, themes
from ecs_softbody_games.springs_lab.look import EXACT, INK, inside, lay_out, place_view
from ecs_softbody_games.springs_lab.page import Page
from ecs_softbody_games.springs_lab.pages import PAGES
from ecs_softbody_games.springs_lab.panels import Panels

SHOWN, MOVED = 480, (210, 226)
"""Frames for which the scripted player stays on a page, and in which it moves a slider."""


class SpringsLab(Game):
    """One page at a time: its world, its sliders, its numbers."""

    name: ClassVar[str] = "springs-lab"
    group = "lab"
    lays_out_itself = True
    title: ClassVar[str] = "Springs lab"
    tagline: ClassVar[str] = "Springs and soft bodies against their formulas"
    theme = themes.GRAPH_PAPER
    impact_effects: ClassVar[bool] = False
    drag_with_mouse: ClassVar[bool] = True
    actions: ClassVar[Mapping[str, Axis | Button]] = {
        "page": Axis("q pad_lb", "e pad_rb"),
        "pages": Button("i", "pad_x"),
        "again": Button("space", "pad_a"),
    }
    keys: ClassVar[list[tuple[str, str]]] = [
        ("page", "page"),
        ("pages", "all pages"),
        ("↑ ↓ ← →", "sliders"),
        ("again", "begin anew"),
        ("mouse", "slide, grab"),
    ]
    by_pointer: ClassVar[Sequence[str]] = ("page", "pages", "↑ ↓ ← →")

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[Page] = [page() for page in PAGES]
        self.number = 0
        self.sliders = self._sliders()
        self.panels = Panels()
        self.list_shown = False
        self._marked = 0
        self._script_frame = 0
        self._look = (0.0, 0.0)

    def _sliders(self) -> Sliders:
        return Sliders(self.page.sliders, ink=INK, accent=EXACT)

    @property
    def page(self) -> Page:
        """The page that is open."""
        return self.pages[self.number]

    def start(self) -> None:
        """Open the page that was open last, with all sliders as they are meant."""
        self._close_others()
        self.pages = [page() for page in PAGES]
        self.number = self.saves.whole("page", 0, 0, len(self.pages) - 1)
        self.sliders = self._sliders()
        self.list_shown = False
        self._script_frame = 0
        self._begin_page()

    def turn_to(self, number: int) -> None:
        """Open another page."""
        self._close_others()
        self.number = number % len(self.pages)
        self.sliders = self._sliders()
        self.list_shown = False
        self._script_frame = 0
        self.sounds.play("click")
        self._begin_page()
        self.saves["page"] = self.number  # one that cannot begin is not kept

    def _begin_page(self) -> None:
        """Make the world of the page anew."""
        self._close_others()
        page = self.page
        page.begin(self.open_scene(f"scenes/{page.scene}.toml", solver=page.solver))
        self.start_view = page.view
        self._place_camera()

    def _place_camera(self) -> None:
        self._look = (self.camera.aspect, float(self.panels.height_px))
        width = 720.0 * self.camera.aspect
        box = lay_out(width, self.panels.height_px).world
        height, centre = place_view(self.page.view, box, width)
        self.camera.height = height
        self.camera.center = centre
        self.camera.jump_to(centre)

    def update(self, controls: Controls, dt: float) -> None:
        """Answer the player, then let go of the numbers when something is held."""
        page = self.page
        clicked = (
            self.panels.pressed(controls.pointer_screen)
            if controls.was_pressed("mouse_left")
            else None
        )
        turn = int(controls.was_pressed("page+") or clicked == "next")
        turn -= int(controls.was_pressed("page-") or clicked == "previous")
        if turn:
            self.turn_to(self.number + turn)
        elif self.list_shown:
            self._choose_page(controls, clicked)
        elif controls.was_pressed("pages") or clicked == "pages":
            self._marked = self.number
            self.list_shown = True
        elif self.sliders.follow(controls) or controls.was_pressed("again"):
            self._begin_page()
        elif page.sim.entities(MouseJoint):
            page.touched = True
        # The mouse takes hold of bodies only where the world is visible.
        if not controls.is_held("mouse_left"):
            free = inside(controls.pointer_screen, self.panels.layout.world) and not self.list_shown
            self.drag_with_mouse = free and page.grabs  # type: ignore[misc]

    def _choose_page(self, controls: Controls, clicked: str | None) -> None:
        """Let the player choose in the list of pages."""
        step = int(controls.was_pressed("vertical-")) - int(controls.was_pressed("vertical+"))
        half = -(-len(self.pages) // 2)
        step += half * (
            int(controls.was_pressed("horizontal+")) - int(controls.was_pressed("horizontal-"))
        )
        if 0 <= self._marked + step < len(self.pages):
            self._marked += step
        if clicked is not None:
            self.turn_to(int(clicked.removeprefix("page ")))
        elif controls.was_pressed("again", "enter"):
            self.turn_to(self._marked)
        elif controls.was_pressed("pages"):
            self.list_shown = False

    def after_step(self, dt: float) -> None:
        """Measure."""
        self.page.after_step(dt)
        self.page.measure()

    def draw(self, picture: Picture, alpha: float) -> None:
        """Draw the page, or the list of pages."""
        self.panels.height_px = picture.height_px
        if self._look != (self.camera.aspect, float(picture.height_px)):
            self._place_camera()
        self.page.draw(picture, alpha)
        self.panels.draw(picture, self.page, self.sliders, self.number, len(self.pages))
        if self.list_shown:
            self.panels.draw_pages(picture, [page.title for page in self.pages], self._marked)

    def autopilot(self) -> Controls:
        """Show one page after the other; move a slider on each."""
        self._script_frame += 1
        if self._script_frame >= SHOWN:
            return Controls(pressed={"page+"}, held={"page+"})
        moves = MOVED[0] <= self._script_frame < MOVED[1] and self._script_frame % 4 == 2
        return Controls(axes={"horizontal": 1.0}) if moves else Controls()

    def close(self) -> None:
        """Give up the worlds."""
        self._close_others()
        super().close()

    def _close_others(self) -> None:
        for page in self.pages:
            page.close_others()

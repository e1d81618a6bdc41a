"""Sections: time, plots, new bodies, and unwritten edits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ecs_softbody.inspector.model.fields import Field
from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.inspector.model.spawning import Arguments, recipes
from ecs_softbody.inspector.panel.widgets import Widgets

FASTEST = 2.0
"""Right end of the slider for the speed of time."""
PLOT_HEIGHT = 34.0
"""Height of a plot [points of 1/96 inch]."""
MOST_LINES = 4
"""Maximum number of unwritten changes shown as lines."""
MESSAGE_LINES = 2.4
"""Lines of the message box; longer messages can be scrolled."""
GOOD = (0.62, 0.85, 0.62, 1.0)
"""Colour of messages (r, g, b, a), 0 to 1."""
BAD = (1.0, 0.55, 0.45, 1.0)
"""Colour of messages on failures."""


def draw_time(imgui: Any, inspection: Inspection) -> None:
    """Draw pause, one step, speed, and the last seconds to go back to."""
    time = inspection.time
    if imgui.button("go on" if time.paused else "pause"):
        time.pause(not time.paused)
    imgui.same_line()
    if imgui.button("one step"):
        time.step()
    imgui.same_line()
    imgui.set_next_item_width(-0.22 * imgui.get_window_width())
    changed, speed = imgui.slider_float(
        "speed", time.speed, 0.0, FASTEST, "%.2f ×", imgui.SliderFlags_.always_clamp
    )
    if changed:
        time.set_speed(round(speed, 2))
    ages = time.history.ages()
    if time.history.problem or len(ages) < 2:
        imgui.text_disabled("back: " + (time.history.problem or "nothing is kept yet"))
        return
    imgui.set_next_item_width(-0.22 * imgui.get_window_width())
    age = time.history.age_of_now()
    said = f"-{age:.1f} s" if age >= 0.05 else "now"
    changed, number = imgui.slider_int(
        "back", time.history.now(), 0, len(ages) - 1, said, imgui.SliderFlags_.always_clamp
    )
    if changed:
        time.rewind(number)


def draw_plots(imgui: Any, inspection: Inspection) -> None:
    """Draw the plots, two beside each other, the present value as a number."""
    if not imgui.collapsing_header("Plots"):
        return
    scale = imgui.get_font_size() / 13.0
    width = 0.5 * imgui.get_content_region_avail().x - 4.0
    for number, (name, values) in enumerate(inspection.measures.series.items()):
        if number % 2:
            imgui.same_line()
        imgui.begin_group()
        imgui.text(f"{name}  {values[-1]:.3g}")
        imgui.plot_lines(f"##{name}", values, graph_size=imgui.ImVec2(width, PLOT_HEIGHT * scale))
        imgui.end_group()


class SpawnSection:
    """Makes bodies of blueprints: in the middle of the view, or where the world is clicked next."""

    def __init__(self, widgets: Widgets) -> None:
        self._widgets = widgets
        self._imgui = widgets.imgui
        self._name = "blob"
        self._chosen: dict[str, Arguments] = {}
        self.placing = False
        """Whether the next click in the world makes the body there."""

    def spawn(self, inspection: Inspection, at: tuple[float, float]) -> None:
        """Make the body that was chosen at a place [m]."""
        self.placing = False
        inspection.spawn(self._name, self._arguments(), at)

    def _arguments(self) -> Arguments:
        return self._chosen.setdefault(self._name, dict(recipes()[self._name].first))

    def draw(self, inspection: Inspection) -> None:
        """Draw the choice of a blueprint, and of its arguments."""
        imgui = self._imgui
        if not imgui.collapsing_header("New body"):
            return
        names = list(recipes())
        imgui.set_next_item_width(0.35 * imgui.get_window_width())
        number = imgui.combo("##blueprint", names.index(self._name), names)[1]
        self._name = names[number]
        imgui.same_line()
        if imgui.button("make it"):
            self.spawn(inspection, inspection.game.camera.center)
        imgui.same_line()
        self.placing = imgui.checkbox("where I click", self.placing)[1]
        given = self._arguments()
        height = 5.2 * imgui.get_frame_height_with_spacing()
        if imgui.begin_child("arguments", imgui.ImVec2(0.0, height), imgui.ChildFlags_.borders):
            for field in recipes()[self._name].fields:
                self._draw_argument(inspection, field, given)
        imgui.end_child()

    def _draw_argument(self, inspection: Inspection, field: Field, given: Arguments) -> None:
        value = given[field.name]
        key = f"{field.owner}.{field.name}"
        if recipes()[self._name].first[field.name] is None and field.shape != "choice":
            if self._imgui.checkbox(
                f"{'' if value is not None else field.name + ': '}by itself##{field.name}",
                value is None,
            )[0]:
                given[field.name] = 1.0 if value is None else None
            if value is None:
                return
        if not isinstance(value, tuple):
            change = partial(given.__setitem__, field.name)
            shown = value if value is not None else field.choices[0]
            self._widgets.value(
                key, field, shown, field.name, change, self._typed(inspection, field, change)
            )
            return
        for entry, part in enumerate(value):
            change = partial(_set_entry, given, field.name, entry)
            typed = self._typed(inspection, field, change)
            self._widgets.value(
                f"{key}.{entry}", field, part, f"{field.name}.{'xy'[entry]}", change, typed
            )

    def _typed(
        self, inspection: Inspection, field: Field, change: Callable[[Any], None]
    ) -> Callable[[str], object]:
        return lambda text: inspection.attempt(lambda: change(field.parsed(text)))


def _set_entry(given: Arguments, name: str, entry: int, value: float) -> None:
    parts = list(given[name])
    parts[entry] = value
    given[name] = tuple(parts)


def draw_pending(imgui: Any, inspection: Inspection) -> None:
    """Draw the unwritten edits and the last message."""
    scene = inspection.scene
    lines = inspection.pending.lines()
    imgui.separator()
    if scene is None:
        imgui.push_style_color(
            imgui.Col_.text, imgui.get_style_color_vec4(imgui.Col_.text_disabled)
        )
        imgui.text_wrapped("This world has no scene file: changes last for this round.")
        imgui.pop_style_color()
    elif lines:
        if imgui.button(f"write {len(lines)} to {scene.path.name}"):
            inspection.write()
        imgui.same_line()
        if imgui.button("discard"):
            inspection.discard()
        for line in lines[-MOST_LINES:]:
            imgui.text_disabled(line)
    else:
        imgui.text_disabled(f"{scene.path.name}: nothing to write")
    if inspection.message and imgui.begin_child("message"):
        imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(*(BAD if inspection.failed else GOOD)))
        imgui.text_wrapped(inspection.message)
        imgui.pop_style_color()
    if inspection.message:
        imgui.end_child()


def height_of_pending(imgui: Any, inspection: Inspection) -> float:
    """Return the height of `draw_pending` [pixels]."""
    lines = min(len(inspection.pending), MOST_LINES) if inspection.scene is not None else 0
    line = imgui.get_text_line_height_with_spacing()
    return float(imgui.get_frame_height_with_spacing() + (lines + MESSAGE_LINES + 1.3) * line)

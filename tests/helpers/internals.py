"""What tests reach for that is nobody else's business: each private name of the library stands here
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import esper
import numpy as np

from ecs_softbody import Particles, Simulation
from ecs_softbody.play.screens.settings_screen import ROW
from ecs_softbody.processors.materials.mending import MendingProcessor
from ecs_softbody.state import files
from ecs_softbody.storage import world_processors


class SharedAlways:
    """A choice that has fallen: every frame is run by all threads."""

    def begin(self) -> bool:
        return True

    def end(self) -> None:
        pass

    def forget(self) -> None:
        pass


def collision_space(sim: Simulation) -> Any:
    """Return what finds and solves the contacts of a simulation."""
    return sim._space


def build_walls_anew(sim: Simulation) -> None:
    """Find edges, seams and cells of all static colliders, as after a change of one."""
    walls = collision_space(sim).walls
    walls._rebuild(walls.offset)
    walls.has_changed()
    walls.refresh()


def stages_of(sim: Simulation) -> Any:
    """Return what all stages of a simulation are reached from."""
    return sim._pipeline


def workers_of(sim: Simulation) -> Any:
    """Return the threads of a simulation."""
    return sim._threads.workers


def share_every_frame(sim: Simulation) -> None:
    """Let all threads of a simulation work in every frame, however small its world is."""
    sim._threads.choice = SharedAlways()  # type: ignore[assignment]


def processors_of_the_world() -> list[Any]:
    """Return the processors of the current esper world in the order in which they run."""
    return list(world_processors())


def times_of_mending(entity: int) -> tuple[float, float]:
    """Return for how long [s] a damaged body of the current esper world is left alone, and mended
    in all.
    """
    mending = next(stage for stage in world_processors() if isinstance(stage, MendingProcessor))
    times: tuple[float, float] = mending._times(esper.component_for_entity(entity, Particles).slot)
    return times


def display_and_view(window: Any) -> tuple[Any, Any]:
    """Return the display of X that a pyglet window is on, and the part of it that hears keys."""
    return window._x_display, window._view


def remembered_layouts(atlas: Any) -> Any:
    """Return the laid-out texts that an atlas of glyphs keeps."""
    return atlas._layouts


def places_of_drops(effects: Any) -> np.ndarray:
    """Return where the drops of all splashes are that are seen now, shape (N, 2) [m]."""
    positions: np.ndarray = effects.particles.position[effects.particles.alive]
    return positions


def lay_over(window: Any, tool: Any) -> None:
    """Have a window draw a tool over its pictures."""
    window._tool = tool


def show_screen(window: Any, screen: Any) -> None:
    """Put a session or a menu on a window, as a click in the menu would."""
    window.screen = screen


def shown_on(stage: Any) -> Any:
    """Return the screen that a stage shows, None before the first one."""
    return stage.screen


def cells_of(menu: Any) -> Any:
    """Return where the cards of a menu are."""
    return menu._grid.cells


def value_place(settings: Any, row: str) -> tuple[float, float]:
    """Return where the value of a row of the settings begins, as they were drawn [points]."""
    return settings._values_from, settings._top - ROW * list(settings._visible()).index(
        settings.rows.index(row)
    )


def controls_of(stage: Any) -> Any:
    """Return what the player holds down."""
    return stage._devices.controls


def set_clock(stage: Any, now: Any) -> None:
    """Let a stage look at another clock."""
    stage.now = now


def languages_of(table: Any) -> Any:
    """Return all texts of a table: language -> key -> text."""
    return table._texts


def keys_of_words(table: Any) -> Any:
    """Return the keys of a table by their English words."""
    return table._keys


@contextmanager
def texts_come_back(table: Any) -> Iterator[None]:
    """Take away, at the end, what was added to a table of texts meanwhile."""
    before = table._texts, table._keys
    table._texts, table._keys = (
        {name: dict(texts) for name, texts in table._texts.items()},
        dict(table._keys),
    )
    yield
    table._texts, table._keys = before
    table.use("en")


def set_languages(table: Any, languages: Any, keys: Any) -> None:
    """Give a table other texts, and other keys by English words."""
    table._texts = languages
    table._keys = keys


def number_in_x(window: Any) -> int:
    """Return the number that X knows a window by."""
    return int(window.handle._window)


def surfaces_of(painter: Any) -> list[Any]:
    """Return the surfaces of the waters that a WorldPainter has drawn."""
    return list(painter._waters._surfaces.values())


def row_arrays_of(component: Any) -> dict[str, np.ndarray]:
    """Return the arrays of a component behind its attributes, to which anything can be written."""
    arrays: dict[str, np.ndarray] = component.row_arrays
    return arrays


def table_arrays(sim: Simulation, kind: Any) -> dict[str, np.ndarray]:
    """Return the packed arrays of a component class."""
    arrays: dict[str, np.ndarray] = sim.buffers[kind].rows.arrays
    return arrays


def forget_stages(sim: Simulation) -> None:
    """Throw all stages of a simulation away; new ones have what a file would tell them.

    Components stay as they are.
    """
    world = sim._snapshots._state
    file = files.FileContent(files.encoded(sim.snapshot(), world, world.version))
    world.forget()
    world.begin_anew().load(file.saved.part("pipeline"))
    world.made_anew()

"""Ground that is not seen is not drawn, and what is seen is the same."""

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider
from ecs_softbody.rendering import Look, Picture, View, WorldPainter, themes
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.world import statics


def chains(random: np.random.Generator) -> list[tuple[StaticCollider, Look]]:
    steps = np.cumsum(random.uniform(0.0, 2.0, 9)) + random.uniform(-15.0, 5.0)
    hills = np.column_stack((steps, np.cumsum(random.uniform(-2.0, 2.0, 9))))
    walled = np.concatenate((np.add(hills[:1], (0.0, 9.0)), hills, np.add(hills[-1:], (0.01, 9.0))))
    x, y = random.uniform(-9.0, 9.0, 2)
    box = np.array(((x, y), (x + 2.0, y), (x + 2.0, y + 1.0), (x, y + 1.0)))
    plank = np.array(((y, x), (y + 2.0, x)))
    return [
        (StaticCollider(hills), Look(style="ground")),
        (StaticCollider(walled), Look(style="ground")),
        (StaticCollider(plank, one_way=(0, 1)), Look()),
        (StaticCollider(box, closed=True), Look(style="solid")),
        (StaticCollider(hills + 3.0, radius=0.3), Look(style="line")),
        (StaticCollider([(x, y)], radius=0.8), Look()),
    ]


@pytest.mark.brief(4)
@pytest.mark.parametrize("seed", range(6))
def test_a_picture_is_the_same_with_what_is_not_seen(seed, monkeypatch):
    random = np.random.default_rng(seed)
    left_out = 0

    def counted(*arguments) -> bool:
        nonlocal left_out
        left_out += is_out_of_view(*arguments)
        return is_out_of_view(*arguments)

    is_out_of_view = statics.is_out_of_view
    with Simulation(world=f"seen {seed}") as sim:
        for ground, look in chains(random):
            sim.spawn(ground, look)
        sim.step()
        for _ in range(12):
            view = View(
                tuple(random.uniform(-18.0, 18.0, 2).tolist()), random.uniform(3.0, 12.0), 160, 90
            )
            seen = []
            for decide in (counted, lambda *arguments: False):
                monkeypatch.setattr(statics, "is_out_of_view", decide)
                picture = Picture(160, 90, view)
                picture.theme = themes.SUMMER
                WorldPainter().draw(sim, picture)
                seen.append(draw_image(picture).copy())
            np.testing.assert_array_equal(*seen)
    assert left_out
    sim.close()

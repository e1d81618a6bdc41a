"""Items: what the search for contacts knows of bodies and static edges, and whether any of it has changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.bounds import MARGIN_FRAMES, SUBSTEPS_AHEAD, find_bounds, find_edge_bounds, spread_margins
from ecs_softbody.collision.shapes import LEAST_REACH, list_points
from ecs_softbody.collision.shared_bounds import share_bounds
from ecs_softbody.collision.static_edges import StaticEdges
from ecs_softbody.kernels.compiling import lean
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.storage import Activity, Table


class Items:
    """Bodies [0, B), then static edges, as arrays by item; rows of particles, then vertices of walls from `offset` on.

    `points`, `first`, `last`, `ringed` and `closed` are the outlines of the bodies; of one that is frozen nothing is
    left. `place` is where all rows were when contacts were looked for, `box` and `margin` belong to that moment.
    `weight` is the inverse mass of every row, 0 for walls and sleepers, `limits` (2, rows) how far it may go squared.
    """

    def __init__(self, particles: Table, colliders: Table, walls: StaticEdges, activity: Activity) -> None:
        self._particles, self._colliders, self._walls, self._activity = particles, colliders, walls, activity
        self.offset = 0
        self.points = np.zeros(0, np.uint32)
        self.first = self.last = np.zeros(0, np.int64)
        self.ringed = self.still = np.zeros(0, np.bool_)
        self.body = np.zeros(0, np.int64)
        """Slot in the table of Particles of every item that is a body."""
        self.has_outlines, self._is_new = False, True
        self._out = np.zeros(0, np.bool_)
        self.weight = self.reach = np.zeros(0)
        self._resize(0, 0, 0)

    def _resize(self, body_count: int, edge_count: int, row_count: int) -> None:
        count = body_count + edge_count
        self.category, self.mask = np.zeros(count, np.uint32), np.zeros(count, np.uint32)
        self.friction, self.restitution = np.zeros(count), np.zeros(count)
        self.box, self.margin, self.own_margin = np.zeros((count, 4)), np.zeros(count), np.zeros(body_count)
        self.slide, self.self_collision = np.zeros(body_count), np.zeros(body_count, np.bool_)
        self.closed = np.zeros(body_count, np.bool_)
        if len(self.weight) != row_count:
            self.place, self.weight, self.reach = np.zeros((row_count, 2)), np.zeros(row_count), np.zeros(row_count)
            self.limits = np.zeros((2, row_count))

    @property
    def body_count(self) -> int:
        """Number of items that are bodies: slots of Collider, free ones among them."""
        return len(self.first)

    @property
    def rolls(self) -> NDArray[np.bool_]:
        """Which bodies (B,) are rings that are awake."""
        rolls: NDArray[np.bool_] = self.ringed & self.closed & ~self.still
        return rolls

    def restructure(self) -> None:
        """List the outlines and make room, after anything came or went, fell asleep or woke."""
        activity, values = self._activity, self._colliders.values
        self.offset = self._particles.rows.capacity
        self._walls.rebuild(self.offset)
        self.points, self.first, self.last, self.ringed = list_points(self._colliders)
        self.body = activity.bodies_of(self._colliders).astype(np.int64)
        self.still = activity.asleep[self.body]
        # A frozen body has no points: its box is empty, and nothing finds it.
        self.last = np.where(activity.frozen[self.body], self.first, self.last)
        self._out = activity.asleep | activity.frozen
        self.has_outlines, self._is_new = bool(self.ringed.any()), True
        self._resize(values.count, self._walls.edge_count, self.offset + self._walls.vertex_count)

    def collect(self) -> bool:
        """Bring what a game may have written up to date; tell whether contacts have to be found anew because of it."""
        rows, values, walls = self._particles.rows, self._colliders.values, self._walls
        changed = collect_bodies(
            values["category"], values["mask"], values["sensor"], values["self_collision"], values["closed"],
            values["friction"], values["restitution"], self.category, self.mask, self.self_collision, self.closed,
            self.friction, self.restitution,
        )  # fmt: skip
        if walls.refresh() or self._is_new:
            self._is_new = False
            count = self.body_count
            self.category[count:] = np.where(walls.sensor, 0, walls.category)
            self.mask[count:] = np.where(walls.sensor, 0, walls.mask)
            self.friction[count:], self.restitution[count:] = walls.friction, walls.restitution
            self.reach[self.offset :] = walls.reach
            changed = True
        grown = collect_rows(
            rows["radius"], rows["inverse_mass"], rows["body"], self._out, LEAST_REACH, self.weight, self.reach
        )
        return bool(changed or grown)

    def bound(self, frame_dt: float, dt: float, workers: Workers) -> None:
        """Remember where everything is, and find the boxes and margins."""
        rows, values, walls = self._particles.rows, self._colliders.values, self._walls
        self.place[: rows.count] = rows["position"]
        self.place[self.offset :] = walls.vertices
        arguments = (
            rows["position"], rows["velocity"], self.reach, self.points, self.first, self.last, self.ringed,
            values["particle_first"], values["particle_last"], MARGIN_FRAMES * frame_dt, SUBSTEPS_AHEAD * dt, self.box,
            self.margin, self.own_margin, self.slide,
        )  # fmt: skip
        if workers.are_used:
            workers.run(share_bounds, *arguments)
        else:
            find_bounds(*arguments)
        spread_margins(
            self._colliders.active_slots, values["particle_first"], values["particle_last"], self.margin, self.slide,
            self.limits,
        )  # fmt: skip
        find_edge_bounds(
            walls.edges, walls.slot, self.place, self.offset, self.reach, walls.velocity, walls.angular_velocity,
            walls.pivot, MARGIN_FRAMES * frame_dt, self.body_count, self.box, self.margin, walls.way,
        )  # fmt: skip


@lean
def collect_bodies(
    category: np.ndarray,
    mask: np.ndarray,
    sensor: np.ndarray,
    self_collision: np.ndarray,
    closed: np.ndarray,
    friction: np.ndarray,
    restitution: np.ndarray,
    item_category: np.ndarray,
    item_mask: np.ndarray,
    item_self: np.ndarray,
    item_closed: np.ndarray,
    item_friction: np.ndarray,
    item_restitution: np.ndarray,
) -> bool:
    """Copy what bodies are to the arrays of items, sensors as touching nothing; tell whether any differs."""
    changed = False
    for i in range(category.shape[0]):
        bits, accepts = (np.uint32(0), np.uint32(0)) if sensor[i] else (category[i], mask[i])
        folds = self_collision[i] and not sensor[i]
        changed |= item_category[i] != bits or item_mask[i] != accepts or item_self[i] != folds
        changed |= item_friction[i] != friction[i] or item_restitution[i] != restitution[i]
        changed |= item_closed[i] != closed[i]
        item_category[i], item_mask[i], item_self[i], item_closed[i] = bits, accepts, folds, closed[i]
        item_friction[i], item_restitution[i] = friction[i], restitution[i]
    return changed


@lean
def collect_rows(
    radius: np.ndarray,
    inverse_mass: np.ndarray,
    body: np.ndarray,
    out: np.ndarray,
    least_reach: float,
    weight: np.ndarray,
    reach: np.ndarray,
) -> bool:
    """Write weight and reach of the particles; tell whether a reach has changed. out: bodies that take no part."""
    changed = False
    for p in range(radius.shape[0]):
        weight[p] = 0.0 if out[body[p]] else inverse_mass[p]
        thickness = radius[p] if radius[p] > least_reach else least_reach
        changed |= reach[p] != thickness
        reach[p] = thickness
    return changed

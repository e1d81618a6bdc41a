"""Injuries: what a game, a mouse or a crusher does to a body,
and whether it is whole afterwards.
"""

import itertools

import numpy as np

from ecs_softbody import Collider, MouseJoint, Simulation, StaticCollider, blueprints
from tests.helpers.outlines import crossings_within

SECONDS = 15
"""How long a body may take to be whole again."""
STAR = [
    (np.sin(a) * r, np.cos(a) * r)
    for a, r in zip(np.pi * np.arange(10) / 5, [0.5, 0.25] * 5, strict=True)
]
ELL = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.0), (0.0, 0.0), (0.0, 0.5), (-0.5, 0.5)]


def blob(size, count):
    """A default blob on the ground."""
    return blueprints.blob((0.0, 0.5 * size), 0.5 * size, particles=count)


def box(size, count):
    """A default box of about as many rows, inner ones among them, on the ground."""
    rows = max(int(np.sqrt(count)), 2)
    return blueprints.box((0.0, 0.5 * size), size, rows=rows, columns=count // rows)


def polygon(size, count):
    """A default polygon on the ground: a letter of few rows, or a star of many."""
    corners = size * np.add(ELL if count < 30 else STAR, (0.0, 0.5))
    edges = np.roll(corners, -1, axis=0) - corners
    return blueprints.polygon(corners, spacing=1.0001 * np.hypot(*edges.T).sum() / count)


KINDS = {"blob": blob, "box": box, "polygon": polygon}
NUMBERS = itertools.count()


class Patient:
    """One body in a world, on a floor or, without gravity, free."""

    def __init__(self, kind, size, count, *, free=False, solver="saturated", substeps=8):
        gravity = (0.0, 0.0) if free else (0.0, -9.81)
        self.sim = Simulation(
            world=f"patient {next(NUMBERS)}", solver=solver, substeps=substeps, gravity=gravity
        )
        self.size = size
        self.free = free
        self.parts = KINDS[kind](size, count)
        self.body = self.parts[0]
        self.outline = next(
            part.outline for part in self.parts if isinstance(part, Collider)
        ).copy()
        self.walls = []
        if not free:
            self.wall([(-50.0 * size, 0.0), (50.0 * size, 0.0)])
        self.entity = self.sim.spawn(*self.parts)
        self.step(1 if free else 60)
        self.area = self.now_area()
        self.time = 0.0

    def wall(self, vertices, **options):
        """Add a wall."""
        self.walls.append(StaticCollider(vertices, **options))
        return self.sim.spawn(self.walls[-1])

    def step(self, frames):
        """Let frames pass."""
        for _ in range(frames):
            self.sim.step()

    def ring(self):
        """The outline now."""
        return self.body.position[self.outline]

    def now_area(self):
        """The area of the outline."""
        x, y = self.ring().T
        return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())

    def inner_outside(self):
        """How many inner rows are outside of the outline."""
        inner = np.setdiff1d(np.arange(self.body.row_count), self.outline)
        return sum(not winds(self.ring(), point) for point in self.body.position[inner])

    def ailment(self, *, area=0.05):
        """What is wrong with the body, or an empty string."""
        found = []
        if count := crossings_within(self.ring()):
            found.append(f"{count} crossings")
        behind = 0 if self.free else int((self.body.position[:, 1] < 0.0).sum())
        if behind:
            found.append(f"{behind} behind")
        if count := self.inner_outside():
            found.append(f"{count} inner outside")
        share = self.now_area() / self.area
        if area and abs(share - 1.0) > area:
            found.append(f"area {share:.2f}")
        return ", ".join(found)

    def recover(self):
        """Give it its time; return what is wrong at its end, and whether it slept before it was
        whole.
        """
        slept = ""
        healthy = 0
        for frame in range(60 * SECONDS):
            self.sim.step()
            if self.sim.asleep_count:
                wrong = self.ailment()
                if wrong and not slept:
                    slept = f"slept after {frame / 60:.1f} s with {wrong}"
                if not wrong:
                    break
            if frame % 6 == 0 and self.ailment():
                healthy = frame
        self.time = healthy / 60
        return "; ".join(part for part in (self.ailment(), slept) if part)


def mirror(patient):
    patient.body.position *= (-1.0, 1.0)


def fold(patient):
    x = patient.body.position[:, 0]
    patient.body.position[:, 0] = x.mean() + np.abs(x - x.mean())


def eight(patient):
    place = patient.body.position - patient.body.position.mean(axis=0)
    place[:, 1] *= np.where(place[:, 0] < 0.0, -1.0, 1.0)
    patient.body.position = place + patient.body.position.mean(axis=0)


def drive(patient):
    """A game pins the lowest vertex and moves it as far below the floor as half of the body."""
    body = patient.body
    row = int(body.position[:, 1].argmin())
    body.pinned[row] = True
    for _ in range(60):
        body.position[row, 1] -= 0.5 * patient.size / 60
        patient.step(1)
    body.pinned[row] = False


def sink(patient):
    """A game puts the body into the floor at once, by most of its height."""
    patient.body.position[:, 1] -= 0.7 * patient.body.position[:, 1].max()


def push(patient):
    """A game moves a kinematic vertex of the top through the body and the floor."""
    body = patient.body
    row = int(body.position[:, 1].argmax())
    body.kinematic[row] = True
    body.velocity[row] = (0.0, -1.5 * patient.size)
    for _ in range(60):
        patient.step(1)
    body.kinematic[row] = False


def crush(patient):
    """Walls close from both sides to 5 cm, stay and open again."""
    size = patient.size
    for side in (-1.0, 1.0):
        patient.wall([(side * size, 0.0), (side * size, 6.0 * size)])
    travel = size - 0.025
    for direction, frames in ((-1.0, 60), (0.0, 30), (1.0, 60)):
        for wall, side in zip(patient.walls[-2:], (-1.0, 1.0), strict=True):
            wall.velocity = (side * direction * travel, 0.0)
        patient.step(frames)
    for wall in patient.walls[-2:]:
        wall.velocity = (0.0, 0.0)


def press(patient):
    """A lid comes down to 5 cm above the floor, stays and goes up again."""
    size = patient.size
    lid = patient.wall([(-5.0 * size, 1.2 * size), (5.0 * size, 1.2 * size)])
    travel = 1.2 * size - 0.05
    for direction, frames in ((-1.0, 60), (0.0, 30), (1.0, 60)):
        patient.walls[-1].velocity = (0.0, direction * travel)
        patient.step(frames)
    patient.sim.despawn(lid)


def thrash(patient):
    """The mouse drags a vertex wildly, in a room, to places behind its walls."""
    size = patient.size
    sim = patient.sim
    patient.wall(
        [(-1.5 * size, 0.0), (-1.5 * size, 3.0 * size), (1.5 * size, 3.0 * size), (1.5 * size, 0.0)]
    )
    random = np.random.default_rng(7)
    for _ in range(3):
        row = int(random.integers(patient.body.row_count))
        mouse = MouseJoint(patient.entity, rows=row, target=patient.body.position[row])
        handle = sim.spawn(mouse)
        for _ in range(12):
            mouse.target = size * np.array([random.uniform(-2.5, 2.5), random.uniform(-1.0, 4.0)])
            patient.step(int(random.integers(3, 12)))
        sim.despawn(handle)


INJURIES = {
    "mirrored": mirror, "mirrored free": mirror, "folded": fold, "folded free": fold,
    "eight": eight, "eight free": eight, "driven": drive, "pushed": push, "crushed": crush,
    "pressed": press, "thrashed": thrash, "sunk": sink,
}  # fmt: skip


def winds(ring, point):
    """Whether a ring goes around a point."""
    angle = np.unwrap(np.arctan2(*(np.vstack([ring, ring[:1]]) - point).T[::-1]))
    return abs(angle[-1] - angle[0]) > np.pi

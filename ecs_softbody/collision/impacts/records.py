"""Records: what bodies remember of an impact, and where two of them touch."""

from typing import NamedTuple

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1

SEVERAL, NOTHING, WALLS, BODIES = -1, 0, 1, 2
"""What a body touches; BODIES is the first one."""
PUSH, MOMENT, RUBBING, FACTOR = 6, 7, 8, 9
"""Columns of `Impacts.whole` behind velocity (2), angular velocity and the change of these (3): the impulse of the
contacts, impulse times speed, their friction, and by which factor the change was scaled."""


class Impacts(NamedTuple):
    """B bodies and C contacts."""

    takes_part: Flags1  # (B,) closed outlines without joints, pins and muscles
    has_walls: bool  # Whether any body is a wall to others: none of its particles can be pushed
    is_wall: Flags1  # (B,) which bodies are
    shape_rate: Floats1  # (B,) [1/s²] stiffness of the rest shape over the mass of a particle; 0 without one
    loses: Flags1  # (B,) whether damping takes energy from it
    arrival: Floats1  # (B,) [m/s] speed of the impact that goes on; 0 outside of one
    hardest: Floats1  # (B,) [m/s] of the last impacts, the older ones count less
    closing: Floats1  # (B,) substeps until the hardest one turned
    parting: Floats1  # (B,) substeps since
    apart: Floats1  # (B,) substeps since a contact pushed
    crowded: Floats1  # (B,) [s] how long the body still counts as one that touches several
    leaning: Floats1  # (B,) [s] how long it counts as one that leans on another body, which it then does not hit
    restitution: Floats1  # (B,) of the contact that began the impact
    energy: Floats1  # (B,) [m²/s²] twice that of all motion against the wall when the impact began, over the mass
    met: Floats2  # (B, 2) [m] where the centre was when it met a wall, which has carried that place on since
    wall: Floats2  # (B, 2) [m/s] velocity of that wall
    partner: Integers1  # (B,) whom it met: WALLS, or BODIES + number of a body
    touched: Integers1  # (B,) what pushed in the last substep: NOTHING, WALLS, BODIES + number of a body, SEVERAL
    touching: Integers1  # (B,) the same, of the substep that is being prepared
    whole: Floats2
    """(B, 10) workspace of how bodies move as wholes: velocity (2), angular velocity, change of these (3), and PUSH to
    FACTOR"""
    found: Floats1  # (8,) workspace, see `find_rotation`
    impulse: Floats2  # (C, 3) [N·s] of contacts as listed: pushing, holding back, friction


class Touch(NamedTuple):
    """Where a body touches a wall or another body; n points to the body."""

    body: int
    x: float
    y: float  # From the centre of mass [m]
    other: int  # -1 for a wall
    other_x: float
    other_y: float  # From the centre of mass of the other one [m]
    nx: float
    ny: float
    wall_x: float
    wall_y: float  # Velocity of the wall [m/s]

"""Records: what bodies in an impact remember, and the points where they touch.

A soft body with a closed outline bounces as a whole (impact.py): from first contact it is
compressed until it has turned, that is, approaches no more; then restitution drives it apart, until
it has separated. `Impacts` has a column for each quantity of this.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Flags1, Floats1, Floats2, Integers1, Layout
from ecs_softbody.collision.solve.rigid_motion import RigidBodies, RigidVelocities

SEVERAL = -1
"""Contact partner of a body: several bodies, or a body and a wall."""
NOTHING = 0
"""The body touches nothing."""
WALLS = 1
"""The body touches walls alone; an immovable body counts as a wall."""
BODIES = 2
"""Contact partner of a body that touches body 0 alone; body b is BODIES + b."""
PRESSING = np.dtype(
    [
        ("impulse", np.float64),  # [N·s] sum over the contacts
        # [J] sum of the impulses times the speeds at which the contacts open
        ("moment", np.float64),
        ("friction", np.float64),  # sum of the coefficients of friction
        ("factor", np.float64),  # f, by which restitution scales the impulses, see restitution.py
    ]
)
"""How the contacts of a body press it in a substep, in sum."""
REACTION = np.dtype(
    [
        ("pushing", np.float64),  # [N·s] along the normal n
        ("holding", np.float64),  # [N·s] against the normal: takes speed that springs gave
        ("rubbing", np.float64),  # [N·s] of friction, along (-n_y, n_x)
    ]
)
"""The impulses that an impact adds to one contact, on both bodies as rigid bodies."""


class Impacts(NamedTuple):
    """The impacts of B bodies with C contacts; columns of Collider keep them between substeps."""

    # (B,) whether a body takes part: a closed outline without joints, pins and muscles
    takes_part: Flags1
    # Whether any body is a wall to others: none of its particles can be pushed
    has_walls: bool
    # (B,) whether a body is a wall to others
    is_wall: Flags1
    # (B,) [1/s²] stiffness of the rest shape over the mass of a particle; 0 without one
    shape_rate: Floats1
    # (B,) whether damping takes energy from a body
    loses: Flags1
    # (B,) [m/s] speed of the impact that goes on; 0 outside of one
    arrival: Floats1
    # (B,) [m/s] speed of the hardest of the last impacts; older ones count less
    hardest: Floats1
    # (B,) substeps until the hardest impact turned
    compression_steps: Floats1
    # (B,) substeps since the impact turned
    restitution_steps: Floats1
    # (B,) [J] energy that the law of restitution has given the rigid motion, and springs still
    # store
    energy_given: Floats1
    # (B,) substeps since a contact pushed
    steps_apart: Floats1
    # (B,) [s] how long the body still counts as touching several others
    crowded_time: Floats1
    # (B,) [s] how long the body still counts as leaning on another one, which it then does not hit
    leaning_time: Floats1
    # (B,) coefficient of restitution of the contact that began the impact
    restitution: Floats1
    # (B,) [m²/s²] twice the energy of the motion relative to the wall at the start of the impact,
    # over the mass
    energy: Floats1
    # (B, 2) [m] place of the centre when it met a wall, carried on by the wall since
    met: Floats2
    # (B, 2) [m/s] velocity of that wall
    wall: Floats2
    # (B,) impact partner: WALLS, or BODIES + number of a body
    partner: Integers1
    # (B,) partner that pushed in the last substep: NOTHING, WALLS, BODIES + number of a body,
    # SEVERAL
    touched: Integers1
    # (B,) partner in the substep that is being prepared, numbered alike
    touching: Integers1
    # (B,) workspace: motion of each body as a rigid body, with the impulses so far
    rigid_motion: RigidVelocities
    # (B,) workspace: change of this motion by the impulses of the impact in this substep
    change: RigidVelocities
    # (B,) workspace, see PRESSING
    pressing: Annotated[np.ndarray, Layout(PRESSING, 1)]
    # (1,) workspace for one body
    found: RigidBodies
    # (C,) workspace by contact, in the order of ActiveContacts.impacts
    reactions: Annotated[np.ndarray, Layout(REACTION, 1)]


class Touch(NamedTuple):
    """Where a body touches a wall or another body."""

    body: int
    x: float  # [m] from the body's centre of mass
    y: float
    other: int  # second body, -1 for a wall
    other_x: float  # [m] from the other body's centre of mass
    other_y: float
    nx: float  # normal, a unit vector that points to `body`
    ny: float
    wall_x: float  # [m/s] velocity of the wall, 0 for a body
    wall_y: float

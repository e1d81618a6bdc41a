"""The order of a substep: processors run from the highest number to the lowest."""

from enum import IntEnum


class Order(IntEnum):
    """Priority of each stage, for `esper.add_processor(processor, priority=Order.X)`.

    Forces add up in `Particles.force` from the state at the start of the substep. COLLISION finds contact
    impulses on the velocities that these forces will give; INTEGRATION moves velocity, then position, and clears
    `force`; CONTACT_CORRECTION mends what is left of the positions and lets things bounce.
    """

    PACKING = 900
    WAKING = 875
    MUSCLES = 860
    SATURATION = 850
    GRAVITY = 800
    POINT_GRAVITY = 790
    SPRING_FORCE = 700
    ANGULAR_SPRING_FORCE = 600
    PRESSURE_FORCE = 500
    AREA_CONSTRAINT = 475
    SHAPE_MATCHING = 450
    DRAG = 400
    WIND = 390
    BUOYANCY = 380
    CUSTOM_FORCE = 300
    """Reserved for the processors of games."""
    GUARD = 280
    """With `Simulation(solver="xpbd")`: bodies with forces that are not finite are frozen."""
    XPBD = 275
    """With that solver: springs, angular springs, gas, areas and rest shapes, in place of five stages above."""
    XPBD_DRAG = 270
    """Drag, wind and water with that solver: they resist the velocity that its springs will give, too."""
    JOINTS = 250
    COLLISION = 200
    INTEGRATION = 100
    CONTACT_CORRECTION = 50
    PLASTICITY = 40
    TEARING = 30
    HEALING = 20

"""The order of a step: which work is done at the start of a frame, in its substeps, and at its end.

`sim.step()` does FrameStart once, then all stages of Order, highest number first, in each of the
equal substeps, then FrameEnd once. Games read these numbers to place their own processors. Each
member has its description in words; `python -m tests.docs` makes docs/order.md of them.
"""

from __future__ import annotations

from enum import Enum, IntEnum


class FrameStart(Enum):
    """The work done once before the substeps, in order."""

    EVENTS = "starts tracking touching pairs if a handler listens to contact events"
    DELETIONS = "refuses deletions of entities that do not exist, before anything has moved"
    THREADS = "decides whether the stages of this frame use several threads"


class Order(IntEnum):
    """Priority of each stage of a substep, for `esper.add_processor(processor, priority=Order.X)`;
    highest first.

    Every stage has a number of its own. With the solver `xpbd` the stage XPBD takes the place of
    the stages from SPRING_FORCE to SHAPE_MATCHING.

    Forces add up in `Particles.force` from the state at the start of the substep. COLLISION finds
    contact impulses for the velocities after these forces; INTEGRATION updates velocity, then
    position, and clears `force`; CONTACT_CORRECTION corrects remaining position errors.
    """

    doc: str
    """What the stage does, in Markdown."""

    def __new__(cls, priority: int, doc: str) -> Order:
        """Make a member of a line below."""
        member = int.__new__(cls, priority)
        member._value_ = priority
        member.doc = doc
        return member

    # Numbers have gaps, so that a game can place a processor between any two stages. Comments say
    # why a stage has its place.

    # Packing is first: all other stages read packed arrays.
    PACKING = (
        900,
        "packs what was added, replaced or removed, so that a column has all its rows in one array",
    )
    # Waking precedes the forces, which run over awake bodies only: a body that was written to takes
    # part in the whole substep.
    WAKING = 875, "wakes sleeping bodies that something has changed or moved towards"
    FRAME_GUARD = (
        870,
        "at the start of a frame: freezes bodies with numbers that are not finite, thaws others",
    )
    CHARACTERS = (
        865,
        "at the start of a frame: lets [characters](characters.md) jump, and reads what the "
        "game wants of them",
    )
    MUSCLES = 860, "sets the rest lengths, rest angles and gas that muscles drive"
    # Saturation precedes the forces, which read the effective stiffness and damping that it writes.
    SATURATION = (
        850,
        "after a change of springs, masses or dt, finds the stiffness and damping that a "
        "substep can carry; with the [solver](solvers.md) `xpbd` the full stiffness, and the "
        "gas that a substep can carry",
    )
    GRAVITY = 800, "adds the weight of every free particle to `Particles.force`"
    POINT_GRAVITY = 790, "adds the pull of points, and the reaction on points that are bodies"
    MAGNETS = 780, "adds the forces between magnetic poles"
    SPRING_FORCE = 700, "adds the springs"
    ANGULAR_SPRING_FORCE = 600, "adds the angular springs"
    PRESSURE_FORCE = 500, "adds the gas in every outline"
    AREA_CONSTRAINT = 475, "restores the area of rings"
    # Shape matching follows the other elastic forces: it acts on the velocities that they will
    # give.
    SHAPE_MATCHING = (
        450,
        "pulls bodies, or groups of their rows, back to their rest shape, from the velocity "
        "that the forces above will give",
    )
    MENDING = (
        440,
        "brings [damaged bodies](physics.md#contacts) back to their rest shape; their "
        "springs, gas and shapes rest",
    )
    DRAG = 400, "sums the drag of bodies"
    WIND = 390, "sums the resistance of air to outlines"
    BUOYANCY = 380, "adds the lift of water, and sums its resistance"
    CUSTOM_FORCE = 300, "**yours**: reserved for the processors of games"
    CHARACTER_FORCE = (
        290,
        "the last force that a game sees: drives characters, and pushes what they stand on with "
        "the opposite force",
    )
    # The guard precedes XPBD, whose sweeps would spread a force that is not finite to other bodies.
    GUARD = 280, "with the solver `xpbd` only: freezes bodies with forces that are not finite"
    XPBD = (
        275,
        "with that solver only: springs, angular springs, gas, areas and rest shapes, instead of "
        "700 to 450",
    )
    # Resistance follows XPBD, so that it also brakes the velocity that springs give.
    RESISTANCE = (
        270,
        "adds drag and resistance together, implicit in the velocity that all forces will give",
    )
    # Healing came too late after the move: in one substep the gas of a fragment gives its skin 0.5
    # m/s, which is its size in ten frames for a blob of 10 cm.
    HEALING = (
        260,
        "brakes the deforming of new fragments, implicit in the velocity that all forces "
        "above will give",
    )
    # Contacts that were found after the joints, and closed at once, let rods be pressed together:
    # bounces were up to 7 % off.
    CONTACT_SEARCH = 255, "where there are joints: finds contacts, which `COLLISION` does else"
    # Joints follow all forces: they are solved on the velocities that these give, and hold at the
    # end of the substep.
    JOINTS = 250, "solves joints, on the velocities that all forces will give"
    FORCED_WAKING = 210, "wakes sleeping bodies that a force acts on"
    FORCE_GUARD = 205, "freezes bodies with numbers that are not finite"
    ENERGY = (
        203,
        "gives bodies without damping and with restitution 1 back what impacts and substeps "
        "took, or takes the rest",
    )
    # Collision follows joints, since impulses act on the velocities of all forces; joints
    # anticipate the contacts of the substep before.
    COLLISION = (
        200,
        "finds contacts, wakes sleeping bodies that others hit, and solves the contact impulses "
        "with friction and restitution",
    )
    INTEGRATION = 100, "updates velocity, then position; moves platforms; clears `force`"
    # The correction follows the move, since overlaps depend on the new positions.
    CONTACT_CORRECTION = (50, "corrects remaining overlaps, sweeps against walls")
    ENERGY_NOTE = 45, "notes the energy of these bodies, so that what a game writes counts"
    PLASTICITY = 40, "updates rest lengths, rest angles and rest shapes that yield"
    TEARING = 30, "tears overloaded springs; the fragments move from the next substep on"


class FrameEnd(Enum):
    """The work done once after the substeps, in order."""

    CLOCK = "advances the frame count and the time"
    JOINT_FORCES = "computes the mean force of every joint over the frame"
    ROLLING = "applies rolling resistance"
    SPEED_LIMIT = "limits all speeds to `speed_limit`"
    TOUCHING = "finds the pairs that begin, continue and stop touching"
    FOOTING = "finds out what characters stand on"
    SLEEPING = "puts islands at rest to sleep"
    EVENTS = "queues the contact events"
    BREAKING = "removes overloaded joints and runs the handlers of `joint_broken`"
    CHARACTERS = "runs the handlers of `jumped` and `landed`"
    HANDLERS = "runs the handlers of contact events"

"""The order of a step: the start of a frame, its substeps, and its end."""

from enum import Enum, IntEnum


class FrameStart(Enum):
    """The work done once before the substeps, in order."""

    EVENTS = "from now on, if a handler listens to contact events, the pairs that touch are known"
    DELETIONS = "refuses deletions of entities that do not exist; nothing has moved then"
    THREADS = "decides whether the stages of this frame share their work among threads"


class Order(IntEnum):
    """Priority of each stage of a substep, for `esper.add_processor(processor, priority=Order.X)`;
    highest first.

    Every stage has a number of its own, with either solver.

    Forces add up in `Particles.force` from the state at the start of the substep. COLLISION finds
    contact impulses for the velocities after these forces; INTEGRATION updates velocity, then
    position, and clears `force`; CONTACT_CORRECTION corrects remaining position errors and applies
    restitution.
    """

    # Packing is first: all other stages read packed arrays.
    PACKING = 900
    # Waking precedes the forces, which run over awake bodies only: a body that was written to takes
    # part in the whole substep.
    WAKING = 875
    FRAME_GUARD = 870
    """Checks values that a game wrote between two frames for NaN."""
    CHARACTERS = 865
    """At the start of a frame: characters read the controls set by the game, and jump."""
    MUSCLES = 860
    # Saturation precedes the forces, which read the effective stiffness and damping that it writes.
    SATURATION = 850
    GRAVITY = 800
    POINT_GRAVITY = 790
    MAGNETS = 780
    SPRING_FORCE = 700
    ANGULAR_SPRING_FORCE = 600
    PRESSURE_FORCE = 500
    AREA_CONSTRAINT = 475
    # Shape matching follows the other elastic forces: it acts on the velocities that they will
    # give.
    SHAPE_MATCHING = 450
    MENDING = 440
    """Brings wounded bodies back to their rest shape, while the stages above leave them out."""
    DRAG = 400
    WIND = 390
    BUOYANCY = 380
    CUSTOM_FORCE = 300
    """Reserved for the processors of games."""
    CHARACTER_FORCE = 290
    """The last of the forces visible to a game: characters compensate all forces above."""
    # The guard precedes XPBD, whose sweeps would spread a force that is not finite to other bodies.
    GUARD = 280
    """With `Simulation(solver="xpbd")`: bodies with forces that are not finite are frozen."""
    XPBD = 275
    """With that solver: springs, angular springs, gas, areas and rest shapes, in place of five
    stages above.
    """
    # Resistance follows XPBD, so that it also brakes the velocity that springs give.
    RESISTANCE = 270
    """The resistance of drag, wind and water: implicit in the velocity after all forces above."""
    # Healing came too late after the move: in one substep the gas of a fragment gives its skin 0.5
    # m/s, which is its size in ten frames for a blob of 10 cm.
    HEALING = 260
    """Brakes the deforming of new fragments: implicit, too, and ahead of contacts."""
    # Contacts that were found after the joints, and closed at once, let rods be pressed together:
    # bounces were up to 7 % off.
    CONTACT_SEARCH = 255
    """If there are joints: finds contacts before COLLISION, which otherwise does it, so that joints
    take them into account.
    """
    # Joints follow all forces: they are solved on the velocities that these give, and hold at the
    # end of the substep.
    JOINTS = 250
    FORCED_WAKING = 210
    """Wakes bodies that a force acts on."""
    FORCE_GUARD = 205
    """Freezes bodies with NaN before anything moves by it."""
    ENERGY = 203
    """Gives bodies that lose none their energy back."""
    # Collision follows joints, since impulses act on the velocities of all forces; joints
    # anticipate the contacts of the substep before.
    COLLISION = 200
    INTEGRATION = 100
    JOINT_CORRECTION = 75
    """Mends what joints are off by, on positions alone."""
    # The correction follows the move, since overlaps and bounces depend on the new positions.
    CONTACT_CORRECTION = 50
    ENERGY_NOTE = 45
    """Notes the energy of these bodies: changes from here to ENERGY have other causes."""
    PLASTICITY = 40
    TEARING = 30


class FrameEnd(Enum):
    """The work done once after the substeps, in order."""

    CLOCK = "counts the frame and its time"
    JOINT_FORCES = "takes the mean force of every joint"
    ROLLING = "slows down what rolls"
    SPEED_LIMIT = "lets nothing be faster than `speed_limit`"
    TOUCHING = "finds out which pairs began, go on and ended to touch"
    FOOTING = "finds out what characters stand on"
    SLEEPING = "lets islands that have come to rest fall asleep"
    EVENTS = "queues the contact events"
    BREAKING = "takes away joints that carried too much; handlers of `joint_broken` run"
    CHARACTERS = "runs the handlers of `jumped` and `landed`"
    HANDLERS = "runs the handlers of contact events"

"""Turning: a correction of bounces of particles at a rotating rod or taut rope.

Velocities belong to the middle of a substep, positions to its ends. A row of length d that rotates
by θ in the substep h gives its particles a velocity with the part (cos θ - 1) d/h along its
direction at the start: half of the velocity change that keeps them on the circle. Restitution is a
law of the speeds at the surface at the time of the positions. So the speed at which a contact has
to part, `least` of its support, includes that half: a rod of 30 cm was 6 % off without it. The half
depends on the rotation after the bounce, so it is updated after the rows have been solved, and they
are solved again.
"""

from ecs_softbody.elementary.lengths import hypot
from ecs_softbody.kernels.joints.arrays import Groups, JointMotion, Rows
from ecs_softbody.kernels.joints.contacts import FREE
from ecs_softbody.kernels.joints.newton import mobility_of
from ecs_softbody.kernels.joints.rows import DISTANCE, offset_at_end
from ecs_softbody.parallel.compiling import kernel

SETTLED = 1e-3
"""The parting speed of a contact counts as changed if it changes by more than this share."""


@kernel
def find_turning(g: int, rows: Rows, groups: Groups, motion: JointMotion, dt: float) -> None:
    """Write `motion.turning` [m/s] of the particles of group g: the half velocity change by all
    their rotating DISTANCE rows. Each row's part is shared out by s_p w_p / mobility, as by an
    impulse of the row.
    """
    turning = motion.turning
    direction = rows.direction
    for m in range(groups.member_first[g], groups.member_first[g + 1]):
        turning[groups.members[m], 0] = 0.0
        turning[groups.members[m], 1] = 0.0
    for r in range(groups.first[g], groups.first[g + 1]):
        mobility = mobility_of(r, rows, motion.inverse_mass)
        if rows.side[r] == 0 or rows.kind[r] != DISTANCE or not mobility > 0.0:
            continue
        dx, dy = offset_at_end(r, rows, motion.velocity, dt)
        along = (dx * direction[r, 0] + dy * direction[r, 1] - hypot(dx, dy)) / dt
        for t in range(rows.term_first[r], rows.term_first[r + 1]):
            p = rows.particle[t]
            share = rows.coefficient[t] * motion.inverse_mass[p] / mobility
            turning[p, 0] += share * along * direction[r, 0]
            turning[p, 1] += share * along * direction[r, 1]


@kernel
def follow_turning(g: int, rows: Rows, groups: Groups, motion: JointMotion, dt: float) -> bool:
    """Add the turning along the normal to the parting speed `least` of the bouncing contacts of
    group g; return whether any changes by more than SETTLED, so that the rows are solved again.
    """
    changed = False
    looked = False
    for m in range(groups.member_first[g], groups.member_first[g + 1]):
        p = groups.members[m]
        support = motion.support[p]
        if support["parts"] == 0.0 or motion.contact_state[p] == FREE:
            continue
        if not looked:
            find_turning(g, rows, groups, motion, dt)
            looked = True
        turned = (
            motion.turning[p, 0] * support["normal_x"] + motion.turning[p, 1] * support["normal_y"]
        )
        more = support["parts"] * turned - support["turned"]
        support["least"] += more
        support["turned"] += more
        changed |= abs(more) > SETTLED * abs(support["least"])
    return changed

"""Trees of the solver XPBD: springs that are in no loop (ropes, strings, chains, trees; all of them
are the *forest*), solved exactly and together.

Solved one after another, the load of a heavy weight would travel up a rope by only one spring in a
sweep. A forest can be eliminated from its leaves: a particle then represents all that hangs on it,
with the velocity u and an inverse mass S that is a symmetric 2 x 2 tensor, since it yields more
easily across the rope than along it. With the stiffness k, damping c, stretch C and length l, a
spring between p and its parent q (one spring nearer to the root) pulls with

    f = b + G (u_q - u_p),  b = (k C, 0),  G = diag(k h + c, s h T/l)  along, across its line (n, t)

The second entry is the resistance of a spring under the tension T (of the last substep) against
turning. Only the share s = 1 - TURNING / κ of it is needed, and only where κ = T h² W / l, W = w_p
+ w_q, is so large that the turn could not be followed from substep to substep. Eliminating p, from
the leaves inwards:

    f = (1 + h G (S_p + S_q))^-1 (b + G (u_q - u_p)),   u_q -= h S_q f
    S_q -= h S_q (1 + h G (S_p + S_q))^-1 G S_q

On the way back, from the roots outwards, u_q is known:

    f = (1 + h G S_p)^-1 (b + G (u_q - u_p)),           u_p += h S_p f

It is the implicit Euler step of the whole forest: finite for any k and any masses. Forces across a
line have a torque; `balance_torque` gives it back to the tree as a whole.
"""

from typing import Annotated, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats2, Integers1, Integers2, Layout, Uint32s2
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.kernels.xpbd.springs import ImplicitSprings, Lines
from ecs_softbody.parallel.compiling import entry, kernel

NODE = np.dtype(
    [
        ("velocity_x", np.float64),  # u [m/s]
        ("velocity_y", np.float64),
        ("yield_xx", np.float64),  # S [1/kg]
        ("yield_xy", np.float64),
        ("yield_yy", np.float64),
    ]
)
"""A particle of the forest, with all that hangs on it."""
Nodes = Annotated[np.ndarray, Layout(NODE, 1)]


class Link(NamedTuple):
    """A spring of the forest, seen from its child, the end further from the root."""

    stretch: float  # k C [N]
    along: float  # k h + c, the resistance along its line [N·s/m]
    across: float  # s h T/l, the resistance across it [N·s/m]
    nx: float
    ny: float  # n, unit vector to the parent


@entry
def list_links(pairs: Uint32s2, first_link: Integers1, links: Integers1) -> None:
    """List the springs at each particle p: links[first_link[p]:first_link[p + 1]], written here.
    pairs (M, 2): ends of the springs. first_link (N + 1,) has to be 0 before the call.
    """
    # A counting sort: count the springs at each particle, sum up, and fill in from behind.
    for s in range(pairs.shape[0]):
        if pairs[s, 0] != pairs[s, 1]:
            first_link[pairs[s, 0]] += 1
            first_link[pairs[s, 1]] += 1
    total = 0
    for p in range(len(first_link)):
        total += first_link[p]
        first_link[p] = total
    for s in range(pairs.shape[0] - 1, -1, -1):
        if pairs[s, 0] != pairs[s, 1]:
            for end in range(2):
                first_link[pairs[s, end]] -= 1
                links[first_link[pairs[s, end]]] = s


@entry
def find_forest(
    pairs: Uint32s2, first_link: Integers1, links: Integers1, scratch: Integers2, child: Integers2
) -> int:
    """Write the springs that are in no loop to `child` (M, 2), as rows (spring, its particle
    further from the root), leaves first; return their number.

    first_link, links: from `list_links`. scratch (5, N) has to be 0. The search for bridges goes
    depth first (R. E. Tarjan): `entered` is the time at which a particle is reached, `low` the
    earliest time reached from its subtree by a spring that leads back. A spring is in no loop if
    nothing beyond it leads back to before it.
    """
    entered = scratch[0]
    low = scratch[1]
    came_by = scratch[2]
    cursor = scratch[3]
    stack = scratch[4]
    found = 0
    clock = 0
    for root in range(len(first_link) - 1):
        if entered[root]:
            continue
        depth = 1
        stack[0] = root
        came_by[root] = -1
        while depth:
            here = stack[depth - 1]
            if not entered[here]:
                clock += 1
                entered[here] = low[here] = clock
                cursor[here] = first_link[here]
            if cursor[here] < first_link[here + 1]:
                spring = links[cursor[here]]
                cursor[here] += 1
                other = pairs[spring, 1] if pairs[spring, 0] == here else pairs[spring, 0]
                if entered[other]:
                    if spring != came_by[here]:
                        low[here] = min(low[here], entered[other])
                else:
                    came_by[other] = spring
                    stack[depth] = other
                    depth += 1
                continue
            depth -= 1
            if depth:
                parent = stack[depth - 1]
                low[parent] = min(low[parent], low[here])
                if low[here] > entered[parent]:
                    child[found, 0] = came_by[here]
                    child[found, 1] = here
                    found += 1
    return found


@kernel
def pull_apart(
    link: Link, x: float, y: float, s: tuple[float, float, float], dt: float
) -> tuple[float, float, float, float, float]:
    """Return the force (f_x, f_y) [N] of a spring and the tensor (1 + h G S)^-1 G (xx, xy, yy)
    [N·s/m]. x, y: velocity of the parent relative to the child [m/s]. s: the tensor S (xx, xy, yy)
    of what yields [1/kg]. All is computed along n and across it, and turned back at the end.
    """
    along = link.along
    across = link.across
    nx = link.nx
    ny = link.ny
    # S along (n), across (t) and mixed, then (1 + h G S) = ((a, b), (c, d)) and its determinant.
    tx = -ny
    ty = nx
    snn = nx * (s[0] * nx + s[1] * ny) + ny * (s[1] * nx + s[2] * ny)
    snt = nx * (s[0] * tx + s[1] * ty) + ny * (s[1] * tx + s[2] * ty)
    stt = tx * (s[0] * tx + s[1] * ty) + ty * (s[1] * tx + s[2] * ty)
    a = 1.0 + dt * along * max(snn, 0.0)
    d = 1.0 + dt * across * max(stt, 0.0)
    b = dt * along * snt
    c = dt * across * snt
    bound = max(a * d - b * c, 1.0)
    first = link.stretch + along * (nx * x + ny * y)
    second = across * (tx * x + ty * y)
    fn = (d * first - b * second) / bound
    ft = (a * second - c * first) / bound
    knn = d * along / bound
    knt = -b * across / bound
    ktt = a * across / bound
    kxx = knn * nx * nx + 2.0 * knt * nx * tx + ktt * tx * tx
    kxy = knn * nx * ny + knt * (nx * ty + ny * tx) + ktt * tx * ty
    kyy = knn * ny * ny + 2.0 * knt * ny * ty + ktt * ty * ty
    return fn * nx + ft * tx, fn * ny + ft * ty, kxx, kxy, kyy


@entry
def begin_forest(
    forest: Integers2, pairs: Uint32s2, motion: Motion, link_force: Floats2, dt: float, node: Nodes
) -> None:
    """Prepare `node` (N,) of the particles of the forest: velocity u by all other forces, and
    inverse mass. The forces `link_force` that the springs forest[:, 0] have added to `force` so far
    are subtracted from it.
    """
    velocity = motion.velocity
    inverse_mass = motion.inverse_mass
    force = motion.force
    for f in range(forest.shape[0]):
        s = forest[f, 0]
        add_pair(force, pairs[s, 0], pairs[s, 1], -link_force[s, 0], -link_force[s, 1])
    # A particle may have several springs: this loop waits until `force` is free of them all.
    for f in range(forest.shape[0]):
        for end in range(2):
            p = pairs[forest[f, 0], end]
            w = inverse_mass[p]
            node[p]["velocity_x"] = velocity[p, 0] + dt * w * force[p, 0]
            node[p]["velocity_y"] = velocity[p, 1] + dt * w * force[p, 1]
            node[p]["yield_xx"] = w
            node[p]["yield_xy"] = 0.0
            node[p]["yield_yy"] = w


@entry
def eliminate_forest(
    forest: Integers2,
    springs: ImplicitSprings,
    line: Lines,
    link_force: Floats2,
    dt: float,
    node: Nodes,
) -> None:
    """From the leaves inwards, add the effect of its children to every parent in `node`: the first
    two formulas at the top. forest: rows (spring, child) as `find_forest` sorts them.
    """
    pairs = springs.packed_pairs
    for f in range(forest.shape[0]):
        s = forest[f, 0]
        p = forest[f, 1]
        q = pairs[s, 0] + pairs[s, 1] - p  # the other end: the parent
        outer = node[p]
        inner = node[q]
        both = (
            outer["yield_xx"] + inner["yield_xx"],
            outer["yield_xy"] + inner["yield_xy"],
            outer["yield_yy"] + inner["yield_yy"],
        )
        link = link_from(p, s, springs, line, link_force, dt)
        vx = inner["velocity_x"] - outer["velocity_x"]
        vy = inner["velocity_y"] - outer["velocity_y"]
        x, y, kxx, kxy, kyy = pull_apart(link, vx, vy, both, dt)
        sxx = inner["yield_xx"]
        sxy = inner["yield_xy"]
        syy = inner["yield_yy"]
        inner["velocity_x"] -= dt * (sxx * x + sxy * y)
        inner["velocity_y"] -= dt * (sxy * x + syy * y)
        ax = sxx * kxx + sxy * kxy
        ay = sxx * kxy + sxy * kyy
        bx = sxy * kxx + syy * kxy
        by = sxy * kxy + syy * kyy
        inner["yield_xx"] -= dt * (ax * sxx + ay * sxy)
        inner["yield_xy"] -= dt * (ax * sxy + ay * syy)
        inner["yield_yy"] -= dt * (bx * sxy + by * syy)


@kernel
def link_from(
    p: int, s: int, springs: ImplicitSprings, line: np.ndarray, link_force: np.ndarray, dt: float
) -> Link:
    """Return the spring s as a link, with the direction from its end p to the other end."""
    sign = 1.0 if springs.packed_pairs[s, 0] == p else -1.0
    along = springs.effective_stiffness[s] * dt + springs.effective_damping[s]
    return Link(
        line[s]["pull"],
        along,
        link_force[s, 2],
        sign * line[s]["normal_x"],
        sign * line[s]["normal_y"],
    )


@entry
def pull_forest(
    forest: Integers2,
    springs: ImplicitSprings,
    line: Lines,
    dt: float,
    node: Nodes,
    link_force: Floats2,
    force: Floats2,
) -> bool:
    """From the roots outwards, find the forces of the springs, the third formula at the top, and
    add them to `force` (N, 2); write `tension`. Return whether any acts across its line, so that
    `balance_torque` is needed.

    link_force (M, 3): of each spring the force on its first end (x, y) [N], written here, and the
    resistance s h T/l against being turned [N·s/m].
    """
    across = False
    pairs = springs.packed_pairs
    for f in range(forest.shape[0] - 1, -1, -1):
        s = forest[f, 0]
        p = forest[f, 1]
        q = pairs[s, 0] + pairs[s, 1] - p
        sign = 1.0 if pairs[s, 0] == p else -1.0
        outer = node[p]
        inner = node[q]
        own = (outer["yield_xx"], outer["yield_xy"], outer["yield_yy"])
        link = link_from(p, s, springs, line, link_force, dt)
        vx = inner["velocity_x"] - outer["velocity_x"]
        vy = inner["velocity_y"] - outer["velocity_y"]
        x, y, _, _, _ = pull_apart(link, vx, vy, own, dt)
        outer["velocity_x"] += dt * (outer["yield_xx"] * x + outer["yield_xy"] * y)
        outer["velocity_y"] += dt * (outer["yield_xy"] * x + outer["yield_yy"] * y)
        link_force[s, 0] = sign * x
        link_force[s, 1] = sign * y
        springs.tension[s] = (
            link_force[s, 0] * line[s]["normal_x"] + link_force[s, 1] * line[s]["normal_y"]
        )
        add_pair(force, pairs[s, 0], pairs[s, 1], link_force[s, 0], link_force[s, 1])
        across = across or link_force[s, 2] > 0.0
    return across


@kernel
def add_pair(force: np.ndarray, a: int, b: int, x: float, y: float) -> None:
    """Add the force (x, y) [N] to particle a and its counter-force to b."""
    force[a, 0] += x
    force[a, 1] += y
    force[b, 0] -= x
    force[b, 1] -= y


@entry
def balance_torque(
    forest: Integers2,
    pairs: Uint32s2,
    members: Integers1,
    tree: Integers1,
    motion: Motion,
    link_force: Floats2,
    total: Floats2,
) -> None:
    """Cancel the torque that the springs' forces across their lines have: each tree without fixed
    particles gets the opposite torque, as forces of a rigid rotation.

    members: every particle of the forest once; tree (N,): the number of its tree. total (K, 6):
    scratch, a row for each tree: mass, first moments in x and y, moment of inertia, torque, number
    of fixed particles.
    """
    position = motion.position
    inverse_mass = motion.inverse_mass
    force = motion.force
    total[:] = 0.0
    for p in members:
        row = total[tree[p]]
        w = inverse_mass[p]
        if w > 0.0:
            row[0] += 1.0 / w
            row[1] += position[p, 0] / w
            row[2] += position[p, 1] / w
        else:
            row[5] += 1.0
    for p in members:
        row = total[tree[p]]
        w = inverse_mass[p]
        if w > 0.0:
            row[3] += (
                (position[p, 0] - row[1] / row[0]) ** 2 + (position[p, 1] - row[2] / row[0]) ** 2
            ) / w
    for f in range(forest.shape[0]):
        s = forest[f, 0]
        a = pairs[s, 0]
        b = pairs[s, 1]
        x = position[a, 0] - position[b, 0]
        y = position[a, 1] - position[b, 1]
        total[tree[a], 4] += x * link_force[s, 1] - y * link_force[s, 0]
    for p in members:
        row = total[tree[p]]
        w = inverse_mass[p]
        if w > 0.0 and row[5] == 0.0 and row[3] > 0.0:
            turn = row[4] / row[3] / w
            force[p, 0] += turn * (position[p, 1] - row[2] / row[0])
            force[p, 1] -= turn * (position[p, 0] - row[1] / row[0])

"""Stages: the order of the contact solver's work within a substep, with one thread or several.

A substep runs in parts. PREPARE predicts velocities and prepares contacts; SOLVE does the warm
start, the iterations, a test for contacts that were missed, and the forces; after the move CORRECT
takes back overlap and sweeps against walls. After PREPARE, discs that bounce at once are reflected;
if that asks for new contacts, AGAIN prepares them and goes on, and where discs on joints bounce, it
waits for the answer of their joints, and REFLECT goes on.

Each part is a job of stages, and each stage visits all batches: a batch is a range of contacts that
share no body with the other batches of its set (partition.py), so threads work on these at once. A
thread takes one batch after the other and calls `execute_batch`.
"""

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats1, Integers1
from ecs_softbody.collision.contacts.contact import ContactArrays, ParticleArrays, Rows, Walls
from ecs_softbody.collision.contacts.matching import Chains, link_contacts, match_contacts
from ecs_softbody.collision.contacts.materials import Materials, set_materials
from ecs_softbody.collision.impacts.landing import forget_touches
from ecs_softbody.collision.impacts.records import Impacts
from ecs_softbody.collision.reflection.approaching import Reflection
from ecs_softbody.collision.reflection.reflection import reflect_contacts
from ecs_softbody.collision.solve.active import DISCS, EDGES, FIRM, SPECULATIVE, ActiveContacts
from ecs_softbody.collision.solve.correct import (
    Correction,
    correct_discs,
    correct_edges,
    correction_of,
)
from ecs_softbody.collision.solve.firm import (
    FirmContacts,
    Firmness,
    apply_firmness,
    find_shares,
    iterate_firm,
    spread_pending,
    store_firm_impulses,
    warm_start_firm,
)
from ecs_softbody.collision.solve.iterate import (
    activate_speculative,
    forget_speculative,
    is_one_missed,
    iterate_discs,
    iterate_edges,
    store_disc_impulses,
    store_edge_impulses,
    warm_start_discs,
    warm_start_edges,
)
from ecs_softbody.collision.solve.partition import (
    BATCH_SETS,
    INTERFACES,
    PARTITIONS,
    BatchArrays,
    batches_of,
)
from ecs_softbody.collision.solve.prepare import predict_velocities, prepare_contacts
from ecs_softbody.collision.solve.spin import Spins, apply_spins, find_spins
from ecs_softbody.collision.sweep.ccd import sweep_contacts
from ecs_softbody.collision.sweep.corner_ccd import Sweep
from ecs_softbody.parallel.compiling import entry, inline, kernel
from ecs_softbody.parallel.stage_runner import run_job, run_stage

PREPARE = 0
"""First part of a substep: predict velocities, prepare contacts, reflect elastic discs."""
SOLVE = 1
"""Second part: find the impulses and add them to the forces of the particles."""
CORRECT = 2
"""Third part, after the move: take back overlap, sweep."""
LOOK = 3
"""PREPARE ahead of the others, without bounces, to read separations."""
AGAIN = 4
"""PREPARE once more, after a reflection has asked for new contacts."""
REFLECT = 5
"""The rest of a reflection that waited for the answer of joints."""
(
    PREDICT,
    FIND_SPINS,
    UPDATE,
    WARM_START,
    ITERATE,
    SPREAD,
    FIND_MISSED,
    ACTIVATE,
    APPLY,
    APPLY_SPINS,
) = range(10)
"""Stages of PREPARE (the first three) and SOLVE, in their order, see `next_stage`:

PREDICT      velocities that the forces so far will give
FIND_SPINS   rigid motion of bodies, and which share of impulses firm bodies pass on
UPDATE       geometry and masses of contacts, and the lists of active ones
WARM_START   impulses of the last substep
ITERATE      one iteration of sequential impulses, repeated until it has converged
SPREAD       rigid motion that firm bodies got, to their particles
FIND_MISSED  whether a contact that was left out would overlap
ACTIVATE     if so: all contacts that were left out are iterated, too
APPLY        impulses to records, and to forces
APPLY_SPINS  rotation and rigid motion of whole bodies, to forces
"""
PUSH_OUT = 10
"""First stage of CORRECT: take back overlap."""
SWEEP = 11
"""Second stage of CORRECT: bring particles back that have passed a wall."""
END = -1
"""Instead of a stage: the part is over."""
SETTLED = 0.1
"""The iterations end only after one that has changed no relative velocity by more than this [m/s]:
heavy loads on light bodies converge slowly, and get up to LONGEST times `iterations`.
"""
LONGEST = 4
"""Limit of the number of iterations, over `iterations`."""
CONVERGED = 1e-5
"""Iterations end before `iterations` once no relative velocity changes by more than this distance
[m] per substep. With 1e-4 a worm crawled less far.
"""


class Solver(NamedTuple):
    """Everything that the stages read and write."""

    batches: BatchArrays  # which contacts threads may solve at the same time
    contacts: ContactArrays
    active: ActiveContacts  # the contacts that the iterations work on
    particles: ParticleArrays
    walls: Walls
    rows: Rows  # masses, radii and predicted velocities of particles and vertices
    spins: Spins  # how friction turns bodies
    impacts: Impacts  # bodies that bounce as wholes
    firmness: Firmness  # bodies that pass on impulses to all of their particles
    reflection: Reflection  # discs that bounce at once
    gravity: Floats1  # (2,) [m/s²]
    changes: Floats1
    """(batches,) result of a stage: largest change of a relative velocity in an iteration [m/s], or
    1 where FIND_MISSED found a contact.
    """


class Substep(NamedTuple):
    """The solver, and the numbers of a substep."""

    solver: Solver
    part: int  # PREPARE, SOLVE, CORRECT, LOOK, AGAIN or REFLECT
    iterations: int  # of sequential impulses, as asked
    dt: float  # [s]
    correction: Correction


@entry
def solve_contacts(
    solver: Solver,
    team: Integers1,
    job: int,
    worker_index: int,
    part: int,
    iterations: int,
    dt: float,
    speed_limit: float,
) -> None:
    """Job: run one part of a substep on all contacts.

    team, job, worker_index: of the threads, see parallel/stage_runner.py. speed_limit [m/s].
    """
    substep = Substep(solver, part, iterations, dt, correction_of(dt, speed_limit))
    run_job(team, job, worker_index, lead_substep, execute_batch, substep)


@inline
def lead_substep(team: np.ndarray, job: int, substep: Substep) -> None:
    """Run the stages of one part, each on one set of independent batches after the other.

    There is one call of `run_stage`, since all stages are compiled into it.
    """
    partitions = (substep.solver.batches.start.shape[0] - 1) // 2
    stage = first_stage(substep.part)
    iteration = 0
    while stage != END:
        iteration = iteration + 1 if stage == ITERATE else 0
        # One set after the other: an interface shares bodies with both partitions beside it, and
        # the remainder with any batch. At once they would write the same velocities.
        for batch_set in range(BATCH_SETS):
            first, count = batches_of(partitions, batch_set)
            if stage == SWEEP:
                # The sweep moves only particles, and the contacts of one with walls lie in one
                # batch: all batches run at once.
                first = 0
                count = 2 * partitions if batch_set == PARTITIONS else 0
            elif stage == PREDICT and batch_set == INTERFACES:
                # Every particle lies in the span of a partition or of the remainder: an interface
                # has none of its own.
                count = 0
            elif stage in (FIND_SPINS, SPREAD, APPLY_SPINS):  # chunks of the bodies
                first = 0
                count = partitions if batch_set == PARTITIONS else 0
            if count > 0:
                run_stage(team, job, stage, first, count, execute_batch, substep)
        stage = next_stage(stage, iteration, substep)
    # Reflection follows UPDATE, as it needs the present normals and separations, and precedes the
    # other impulses, which start from the reflected velocities.
    if substep.part in (PREPARE, AGAIN, REFLECT):
        solver = substep.solver
        reflect_contacts(
            solver.contacts,
            solver.active,
            solver.batches.start,
            solver.particles,
            solver.rows,
            solver.reflection,
            solver.gravity,
            substep.dt,
        )


@inline
def first_stage(part: int) -> int:
    """Return the first stage of a part of a substep."""
    if part in (PREPARE, LOOK, AGAIN):
        return PREDICT
    if part == REFLECT:
        return END
    return WARM_START if part == SOLVE else PUSH_OUT


@inline
def next_stage(stage: int, iteration: int, substep: Substep) -> int:
    """Return the stage that follows `stage`, or END. iteration: how many ITERATE there were in a
    row.

    Iterations go on until nothing changes by much: `iterations` times, or more where heavy loads
    rest on light bodies.
    """
    if stage in (UPDATE, APPLY_SPINS, SWEEP):
        return END
    if stage == ITERATE:
        # SPREAD follows the last iteration: the next stages read the velocities of particles alone,
        # without the pending motion of firm bodies.
        change = greatest_change(substep.solver)
        least = substep.iterations
        settled = change < SETTLED and (iteration >= least or change * substep.dt < CONVERGED)
        return SPREAD if settled or iteration >= LONGEST * least else ITERATE
    if stage == FIND_MISSED:
        return ACTIVATE if greatest_change(substep.solver) > 0.0 else APPLY
    if stage == ACTIVATE:
        # Speculative contacts are rarely needed: the iterations leave them out, and are repeated
        # with all of them if one would close.
        return ITERATE
    return stage + 1


@inline
def greatest_change(solver: Solver) -> float:
    """Return the greatest of `solver.changes` over all batches."""
    greatest = 0.0
    for batch in range(solver.batches.start.shape[0] - 1):
        greatest = max(greatest, solver.changes[batch])
    return greatest


@inline
def execute_batch(  # noqa: C901 - a branch for each stage
    stage: int, batch: int, worker_index: int, substep: Substep
) -> None:
    """Run a stage on one batch; stages of whole bodies run on one of equal chunks of the bodies.

    Compiled into the loop over batches: to hand over all arrays for every batch took a tenth of the
    iterations.
    """
    solver = substep.solver
    dt = substep.dt
    start = substep.solver.batches.start
    particles = solver.particles
    rows = solver.rows
    predicted = solver.rows.predicted
    solver.changes[batch] = 0.0
    if stage == PREDICT:
        batches = solver.batches
        partition = min(batch, (start.shape[0] - 1) // 2)
        spans = batches.spans[batches.span_start[partition] : batches.span_stop[partition]]
        predict_velocities(spans, particles, dt, predicted)
        return
    if stage in (FIND_SPINS, SPREAD, APPLY_SPINS):
        bodies = solver.spins.start.shape[0]
        chunks = (start.shape[0] - 1) // 2
        first = bodies * batch // chunks
        last = bodies * (batch + 1) // chunks
        if stage == FIND_SPINS:
            find_spins(solver.spins, first, last, particles, rows)
            forget_touches(solver.impacts, first, last, dt)
            find_shares(solver.firmness, first, last, solver.spins, solver.impacts, dt)
        elif stage == SPREAD:
            spread_pending(
                solver.firmness, first, last, solver.spins, particles.position, predicted
            )
        else:
            apply_spins(solver.spins, first, last, particles, dt)
            apply_firmness(solver.firmness, first, last, solver.spins, particles, dt)
        return
    own = slice(start[batch], start[batch + 1])
    count = solver.active.counts[batch]
    contacts = contacts_in(solver.contacts, start, batch)
    records = solver.contacts.records[own]
    every = solver.active
    active = ActiveContacts(
        every.discs[own],
        every.edges[own],
        every.speculative[own],
        every.impacts[own],
        every.approaching[own],
        every.counts,
    )
    if stage == UPDATE:
        prepare_contacts(
            contacts,
            active,
            count,
            particles,
            solver.walls,
            rows,
            solver.spins,
            solver.impacts,
            solver.firmness,
            solver.gravity,
            dt,
            substep.part == PREPARE,
        )
    elif start[batch] == start[batch + 1]:
        return
    elif stage == WARM_START:
        warm_start_discs(active.discs[: count[DISCS]], rows)
        warm_start_edges(active.edges[: count[EDGES]], rows)
        # Firm bodies are rare, and handing over all that their contacts need takes longer than this
        # test.
        if count[FIRM] > 0:
            warm_start_firm(firm_contacts(solver, contacts, active, count))
    elif stage == ITERATE:
        change = iterate_discs(active.discs[: count[DISCS]], rows)
        change = max(change, iterate_edges(active.edges[: count[EDGES]], rows))
        if count[FIRM] > 0:
            change = max(change, iterate_firm(firm_contacts(solver, contacts, active, count)))
        solver.changes[batch] = change
    elif stage == FIND_MISSED:
        if is_one_missed(contacts, active.speculative[: count[SPECULATIVE]], predicted, dt):
            solver.changes[batch] = 1.0
    elif stage == ACTIVATE:
        first_disc = count[DISCS]
        first_edge = count[EDGES]
        first_firm = count[FIRM]
        activate_speculative(contacts, active, count, rows, dt, solver.firmness)
        warm_start_discs(active.discs[first_disc : count[DISCS]], rows)
        warm_start_edges(active.edges[first_edge : count[EDGES]], rows)
        warm_start_firm(firm_contacts(solver, contacts, active, count, first_firm))
    elif stage == APPLY:
        forget_speculative(records, active.speculative[: count[SPECULATIVE]])
        store_disc_impulses(
            records, active.discs[: count[DISCS]], rows, dt, particles, solver.gravity
        )
        store_edge_impulses(
            contacts,
            active.edges[: count[EDGES]],
            rows,
            solver.spins,
            dt,
            particles,
            solver.gravity,
        )
        if count[FIRM] > 0:
            store_firm_impulses(firm_contacts(solver, contacts, active, count), solver.gravity, dt)
    elif stage == PUSH_OUT:
        # This precedes the sweep: a correction may push a particle through a wall, and the sweep
        # brings it back.
        correct_discs(active.discs[: count[DISCS]], particles, rows, substep.correction)
        correct_edges(
            active.edges[: count[EDGES]], records, particles, solver.walls, rows, substep.correction
        )
        firm = firm_contacts(solver, contacts, active, count)
        correct_edges(firm.edges, records, particles, solver.walls, rows, substep.correction)
    else:
        sweep_contacts(contacts, Sweep(particles, solver.walls, rows, dt))


@inline
def firm_contacts(
    solver: Solver,
    contacts: ContactArrays,
    active: ActiveContacts,
    counts: np.ndarray,
    first: int = 0,
) -> FirmContacts:
    """Return the active contacts of firm bodies in a batch, without the `first` ones listed.

    They are listed from the end of `active.edges`, so the first ones are the last of the array.
    counts (6,): of the batch, see ActiveContacts.
    """
    last = active.edges.shape[0]
    edges = active.edges[last - counts[FIRM] : last - first]
    return FirmContacts(
        contacts, edges, solver.firmness, solver.spins, solver.particles, solver.rows
    )


@inline
def contacts_in(contacts: ContactArrays, start: np.ndarray, batch: int) -> ContactArrays:
    """Return the contacts of a batch, as views; start (B + 1,): where batches begin."""
    own = slice(start[batch], start[batch + 1])
    return ContactArrays(contacts.rows[own], contacts.proxies[own], contacts.records[own])


class Matching(NamedTuple):
    """Data of the job `match_batches`."""

    old: ContactArrays  # of the last search
    new: ContactArrays
    chains: Chains  # the old contacts of every point
    materials: Materials
    offset: int  # row of the first vertex of a wall
    start: Integers1  # (batches + 1,) where the batches of the new contacts begin
    begins_frame: bool  # whether nothing has pushed in this frame yet


@entry
def match_batches(matching: Matching, team: Integers1, job: int, worker_index: int) -> None:
    """Job: fill the records of new contacts after a search, with impulses of the old ones.

    An old contact is found by its particle, and the batches that a particle belongs to are never
    matched at once.
    """
    run_job(team, job, worker_index, lead_matching, match_batch, matching)


@kernel
def lead_matching(team: np.ndarray, job: int, matching: Matching) -> None:
    """List the old contacts, then match the new ones, one set of independent batches after the
    other.
    """
    link_contacts(matching.old, matching.chains)
    for batch_set in range(BATCH_SETS):
        first, count = batches_of((matching.start.shape[0] - 1) // 2, batch_set)
        run_stage(team, job, 0, first, count, match_batch, matching)


@inline
def match_batch(stage: int, batch: int, worker_index: int, matching: Matching) -> None:
    """Fill the records of the new contacts of one batch: old impulses, then materials."""
    own = contacts_in(matching.new, matching.start, batch)
    match_contacts(matching.old, own, matching.offset, matching.chains)
    set_materials(own, matching.materials, matching.begins_frame)

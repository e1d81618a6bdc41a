"""SpringForceProcessor: the force of every Springs."""

import esper
import numpy as np

from ecs_softbody.components import Particles, Springs
from ecs_softbody.kernels.spring_force import CHUNK, accumulate_run_force, accumulate_spring_force
from ecs_softbody.kernels.workers import Workers
from ecs_softbody.processors.shared_springs import SharedSprings
from ecs_softbody.processors.spring_runs import SpringRuns
from ecs_softbody.storage import PackedBuffers


class SpringForceProcessor(esper.Processor):
    """Adds the force of every spring to Particles.force. Runs at Order.SPRING_FORCE."""

    def __init__(self, buffers: PackedBuffers, workers: Workers | None = None) -> None:
        self._particles, self._springs = buffers[Particles], buffers[Springs]
        self._workers = workers or Workers()
        self._runs = SpringRuns(buffers)
        self._shared = SharedSprings(buffers, self._workers)
        self._room = np.zeros((2, 2 * CHUNK))

    def process(self, dt: float) -> None:
        """Add the forces, with the stiffness and damping that a substep can carry."""
        particles, springs = self._particles.rows, self._springs.rows
        in_runs = self._runs.bring_up_to_date()
        state = particles["position"], particles["velocity"]
        together = self._workers.are_used and self._shared.run(self._runs.runs, in_runs)
        if len(self._runs.runs) and not together:
            accumulate_run_force(self._runs.runs, *state, *in_runs, self._room, particles["force"])
        if len(self._runs.spans):
            accumulate_spring_force(
                self._runs.spans,
                *state,
                springs["packed_pairs"],
                springs["rest_length"],
                springs["effective_stiffness"],
                springs["effective_damping"],
                particles["force"],
            )

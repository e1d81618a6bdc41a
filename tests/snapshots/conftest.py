"""A world whose moments are kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody import Simulation


@pytest.fixture
def sim() -> Iterator[Simulation]:
    made = Simulation(world="snapshots", substeps=4)
    yield made
    made.close()

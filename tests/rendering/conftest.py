from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from numba.core import config

sys.path.insert(0, str(Path(__file__).parent))

from blob_garden import BlobGarden

from ecs_softbody.rendering import Session

needs_compiled_pixels = pytest.mark.skipif(
    bool(config.DISABLE_JIT), reason="drawing every pixel in plain Python takes minutes"
)


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(BlobGarden())
    yield made
    made.close()

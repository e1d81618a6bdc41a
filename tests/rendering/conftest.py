from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from blob_garden import BlobGarden

from ecs_softbody.rendering import Session


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(BlobGarden())
    yield made
    made.close()

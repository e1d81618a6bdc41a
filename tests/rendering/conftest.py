from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody.play import Session
from tests.rendering.blob_garden import BlobGarden


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(BlobGarden())
    yield made
    made.close()

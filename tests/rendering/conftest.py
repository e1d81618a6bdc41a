from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody.play import Session
from ecs_softbody.play.window import GameWindow
from tests.rendering.blob_garden import BlobGarden


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(BlobGarden())
    yield made
    made.close()


@pytest.fixture
def window() -> Iterator[GameWindow]:
    made = GameWindow(size=(640, 360))
    # other tests open windows meanwhile
    made.handle.push_handlers(on_deactivate=lambda: True)
    yield made
    made.close()

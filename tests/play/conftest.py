from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody.play import Session
from tests.play.jumper import Jumper, frames


@pytest.fixture
def session() -> Iterator[Session]:
    """A session of the small game, in its first level."""
    made = Session(Jumper())
    frames(made, 1, pressed={"space"})
    assert made.state == "playing"
    yield made
    made.close()

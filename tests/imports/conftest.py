"""Whatever the tests import is described, too, as the command `ecs-softbody import` does."""

from __future__ import annotations

from typing import Any

import pytest

from ecs_softbody.imports import Imported


@pytest.fixture(autouse=True)
def everything_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Imported.__init__

    def make_and_describe(self: Imported, *given: Any, **options: Any) -> None:
        make(self, *given, **options)
        assert self.describe()

    monkeypatch.setattr(Imported, "__init__", make_and_describe)

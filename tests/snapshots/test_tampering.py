"""A snapshot file with any array or number changed is refused by one sentence, or the world goes
on.
"""

from __future__ import annotations

import os

import pytest

from tests.helpers.starts import WHOLE
from tests.snapshots.tampering import WORLDS, cases_of, file_of, try_all

PARTS = 120
STEPS = 200 if WHOLE else 40


@pytest.mark.slow
@pytest.mark.sample(PARTS)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be forked")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("name", list(WORLDS))
def test_a_file_that_was_tampered_with_is_refused_or_goes_on(
    name: str, solver: str, part: int
) -> None:
    cases = cases_of(file_of(name, solver), part)
    assert len(cases) > 1000
    assert try_all(cases[part::PARTS], solver, STEPS) == {}

"""Samples of large grids of slow tests (the mark `sample`): small, and no value of any parameter is left out."""

from __future__ import annotations

import itertools
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


def sample_of(sizes: tuple[int, ...], share: int) -> list[tuple[int, ...]]:
    seen: dict[str, list[str]] = defaultdict(list)
    mark, kept = pytest.mark.sample(share).mark, []
    for values in itertools.product(*map(range, sizes)):
        callspec = SimpleNamespace(params={f"p{k}": value for k, value in enumerate(values)})
        case: Any = SimpleNamespace(nodeid="test[case]", callspec=callspec, get_closest_marker=lambda _: mark)
        if conftest.is_in_sample(case, seen):
            kept.append(values)
    return kept


@pytest.mark.parametrize(
    ("sizes", "share"), [((4, 4, 3, 2), 4), ((2, 3, 4, 6), 3), ((27, 3), 3), ((6, 11), 6), ((5,), 2)]
)
def test_a_sample_is_small_and_leaves_out_no_value(monkeypatch: pytest.MonkeyPatch, sizes: Any, share: int) -> None:
    monkeypatch.setattr(conftest, "WHOLE", False)
    count = len(list(itertools.product(*map(range, sizes))))
    kept = sample_of(sizes, share)
    assert count / share - 1 <= len(kept) <= count / share + 1
    if len(sizes) > 1:
        assert [len(set(values)) for values in zip(*kept, strict=True)] == list(sizes)


def test_the_whole_grid_runs_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "WHOLE", True)
    assert len(sample_of((4, 3), 3)) == 12

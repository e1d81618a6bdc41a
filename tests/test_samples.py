"""Shares of grids of cases (the marks `brief` and `sample`): small, and no value of any parameter
is left out.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


def sample_of(sizes: tuple[int, ...], share: int) -> list[tuple[int, ...]]:
    seen: dict[str, list[str]] = defaultdict(list)
    kept = []
    for values in itertools.product(*map(range, sizes)):
        if conftest.is_in_share(case_of(values, share, "sample"), "sample", seen):
            kept.append(values)
    return kept


def case_of(values: tuple[int, ...], share: int, mark: str) -> Any:
    """Return what stands for one case of a test that has a mark."""
    keywords: dict[str, pytest.Mark] = {mark: getattr(pytest.mark, mark)(share).mark}
    return SimpleNamespace(
        nodeid="test[case]",
        callspec=SimpleNamespace(params={f"p{k}": value for k, value in enumerate(values)}),
        keywords=keywords,
        get_closest_marker=keywords.get,
        add_marker=lambda new: keywords.setdefault(new.name, new.mark),
    )


def chosen(
    mark: str, markexpr: str, monkeypatch: pytest.MonkeyPatch, *, whole: bool = False
) -> list[int]:
    """Return which of twelve cases of a test with `mark(4)` are left when tests are collected."""
    monkeypatch.setattr(conftest, "WHOLE", whole)
    items = [case_of((k,), 4, mark) for k in range(12)]
    config: Any = SimpleNamespace(
        args=["tests"], option=SimpleNamespace(markexpr=markexpr),
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )  # fmt: skip
    conftest.pytest_collection_modifyitems(config, items)
    if markexpr == "slow":  # what pytest does afterwards
        items = [item for item in items if "slow" in item.keywords]
    return [item.callspec.params["p0"] for item in items]


def test_what_a_brief_test_leaves_out_is_run_with_the_slow_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert chosen("brief", "", monkeypatch) == [0, 4, 8]
    assert chosen("brief", "slow", monkeypatch) == [1, 2, 3, 5, 6, 7, 9, 10, 11]
    assert chosen("sample", "slow or not slow", monkeypatch) == [0, 4, 8]


@pytest.mark.parametrize(
    ("sizes", "share"),
    [((4, 4, 3, 2), 4), ((2, 3, 4, 6), 3), ((27, 3), 3), ((6, 11), 6), ((5,), 2)],
)
def test_a_share_is_small_and_leaves_out_no_value(sizes: Any, share: int) -> None:
    count = len(list(itertools.product(*map(range, sizes))))
    kept = sample_of(sizes, share)
    assert count / share - 1 <= len(kept) <= count / share + 1
    if len(sizes) > 1:
        assert [len(set(values)) for values in zip(*kept, strict=True)] == list(sizes)


def test_the_whole_grid_runs_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen("sample", "slow or not slow", monkeypatch, whole=True) == list(range(12))

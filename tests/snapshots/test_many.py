"""What the extension does with many arrays or dicts at once is what plain Python does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from ecs_softbody.parallel import many


def rows(rng: random.Random) -> tuple[np.ndarray, ...]:
    """Return rows of bytes, an empty one among them, and some that have the same word again and
    again.
    """
    words = [rng.randbytes(rng.choice([0, 1, 8, 700])) for _ in range(6)]
    words += [many.whole(rng.randbytes(8), rng.choice([9, 64, 707])), bytes(700), bytes(699) + b"1"]
    return tuple(np.frombuffer(each, np.uint8).copy() for each in words)


@pytest.mark.parametrize("seed", range(20))
def test_contents_are_kept_shared_and_put_back(seed: int) -> None:
    rng = random.Random(seed)
    arrays = rows(rng)
    likely: list[bytes | None] = [each.tobytes() for each in arrays]
    for number in range(9):
        if rng.random() < 0.6:
            others = (
                None,
                b"other",
                rng.randbytes(8),
                rng.randbytes(len(arrays[number])),
                likely[number][:8],
            )
            likely[number] = rng.choice(others)
    steady = bytes(rng.random() < 0.3 for _ in arrays)
    for flags in (None, steady):
        found, copied = many.keep(arrays, tuple(likely), flags)
        expected, copied_then = many.keep_in_python(arrays, tuple(likely), flags)
        assert (found, copied) == (expected, copied_then)
        assert [a is b for a, b in zip(found, likely, strict=True)] == [
            a is b for a, b in zip(expected, likely, strict=True)
        ]
        own = copied_then if flags is None else None
        assert own is None or own == sum(
            len(a) for a, b in zip(found, likely, strict=True) if a is not b
        )
    kept, _ = many.keep(arrays, (None,) * 9, None)
    assert [len(each) for each in kept[6:]] == [8, 8, 700]
    wholes = [many.whole(each, array.nbytes) for each, array in zip(kept, arrays, strict=True)]
    assert wholes == [array.tobytes() for array in arrays]
    for put_back in (many.put_back, many.put_back_in_python):
        for array in arrays:
            np.invert(array, out=array)
        put_back(arrays, kept, kept, steady)
        for array, content, stays in zip(arrays, wholes, steady, strict=True):
            assert (array.tobytes() == content) != bool(stays and len(content))
        put_back(arrays, kept, (None,) * 9, steady)
        assert [each.tobytes() for each in arrays] == wholes


LARGE = 1 << 15
"""Bytes from which on contents are copied past the caches."""


@pytest.mark.parametrize(
    "size", [LARGE - 1, LARGE, LARGE + 1, LARGE + 63, 3 * LARGE + 77, 8 * LARGE]
)
@pytest.mark.parametrize("offset", [0, 1, 8, 13])
def test_large_contents_are_kept(size: int, offset: int) -> None:
    rng = random.Random(size + offset)
    array = np.frombuffer(bytearray(rng.randbytes(size + offset)), np.uint8)[offset:]
    before = array.tobytes()
    for changed in ([], [0], [size - 1], [size // 2], [0, size - 1]):
        array[:] = np.frombuffer(before, np.uint8)
        array[changed] ^= 1
        for likely in (None, before, before[:8]):
            (kept,), copied = many.keep((array,), (likely,), None)
            assert kept == array.tobytes()
            assert (kept is before) == (likely is before and not changed)
            assert copied == (0 if kept is before else size)
    zeros = np.zeros(size // 8 * 8, np.uint8)
    assert many.keep((zeros,), (None,), None) == ((bytes(8),), 8)
    zeros[-1] = 1
    assert many.keep((zeros,), (None,), None) == ((zeros.tobytes(),), zeros.nbytes)


@pytest.mark.parametrize("same", [many.same, many.same_in_python])
def test_the_same_arrays_are_told_from_others(same: Any) -> None:
    rng = np.random.default_rng(1)
    for kind in (np.uint8, np.uint16, np.int64, np.float64):
        one = rng.integers(0, 9, (40, 3)).astype(kind)
        assert same(one, one.copy())
        assert same(one[:0], one[:0].copy())
        assert not same(one, one[:-1])
        for row in (0, 20, 39):
            other = one.copy()
            other[row, 1] += 1
            assert not same(one, other)
            assert not same(other, one)
    assert not same(np.array([0.0]), np.array([-0.0]))
    assert same(np.array([np.nan]), np.array([np.nan]))


def test_what_does_not_fit_is_refused() -> None:
    row = np.zeros(4, np.uint8)
    if many.keep is many.keep_in_python:
        pytest.skip("there is no extension")
    for arrays, likely in (
        ((row.view(np.int32),), (None,)),
        ((row[::2],), (None,)),
        ((row,), ()),
        (([1, 2],), (None,)),
    ):
        with pytest.raises(TypeError):
            many.keep(arrays, likely, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="flags"):
        many.keep((row, row), (None, None), b"\1")
    with pytest.raises(ValueError, match="another size"):
        many.put_back((row,), (b"abc",), (None,), None)
    for others in ((row,), (row, [1]), (row, row[::2]), (row, row, row)):
        with pytest.raises(TypeError):
            many.same(*others)


@pytest.mark.parametrize("seed", range(20))
def test_differing_dicts_and_lists_are_found(seed: int) -> None:
    rng = random.Random(seed)
    things = [object() for _ in range(6)]

    def anything() -> Any:
        names = rng.sample("abcd", rng.randrange(4))
        return rng.choice(
            [
                {name: rng.choice(things) for name in names},
                rng.choices(things, k=2),
                things[0],
                None,
            ]
        )

    now = [anything() for _ in range(60)]
    then = [
        each.copy() if rng.random() < 0.5 and isinstance(each, dict | list) else anything()
        for each in now
    ]
    for one, other in zip(now, then, strict=True):
        if isinstance(one, dict) and one and rng.random() < 0.5:
            one[rng.choice(list(one))] = rng.choice(things)
        assert one is None or one is not other or one is things[0]
    assert many.differing(now, then) == many.differing_in_python(now, then)
    assert len(many.differing(now, then)) > 10

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_softbody.play import Session, record, screenshot
from tests.rendering.blob_garden import BlobGarden, needs_compiled_pixels

SMALL = (192, 108)


@needs_compiled_pixels
def test_a_gif_has_all_frames_and_they_differ(tmp_path: Path) -> None:
    said = []
    path = record(
        BlobGarden(),
        tmp_path / "g.gif",
        seconds=1.0,
        size=SMALL,
        progress=lambda done, total, what: said.append(what),
    )
    with Image.open(path) as film:
        assert (film.format, film.n_frames, film.size, film.info["duration"]) == (
            "GIF",
            20,
            SMALL,
            50,
        )
        frames = []
        for number in range(film.n_frames):
            film.seek(number)
            frames.append(np.asarray(film.convert("RGB")).astype(int))
    changed = [np.abs(a - b).max() for a, b in pairwise(frames[2:])]
    assert min(changed) > 20
    assert {"playing", "writing"} <= set(said)


@needs_compiled_pixels
def test_the_hero_is_seen_where_it_is(tmp_path: Path) -> None:
    path = record(BlobGarden(), tmp_path / "last.PNG", seconds=0.5, size=(640, 360))
    image = np.asarray(Image.open(path)).astype(int)
    red = (image[:, :, 0] > 170) & (image[:, :, 1] < 110) & (image[:, :, 2] < 110)
    assert 500 < red.sum() < 5000


@needs_compiled_pixels
def test_two_recordings_are_the_same(tmp_path: Path) -> None:
    files = [
        record(BlobGarden(), tmp_path / f"{name}.png", seconds=0.5, size=SMALL) for name in "ab"
    ]
    assert files[0].read_bytes() == files[1].read_bytes()


@needs_compiled_pixels
def test_a_session_can_be_photographed(session: Session, tmp_path: Path) -> None:
    session.frame()
    with Image.open(screenshot(session, tmp_path / "s.png", size=SMALL)) as image:
        assert image.size == SMALL


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("x.avi", {}, r"must end in \.gif, \.png"),
        ("x.gif", {"seconds": 0}, "seconds: 0"),
        ("x.gif", {"size": (2, 2)}, "size: 2x2"),
        ("x.gif", {"rate": 0}, "rate: 0"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(
    tmp_path: Path, name: str, options: dict[str, int], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        record(BlobGarden(), tmp_path / name, **options)  # type: ignore[arg-type]
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("size", [(0, 0), (100_000, 100_000)])
def test_a_photograph_of_no_size_is_refused_as_a_film_is(
    session: Session, tmp_path: Path, size: tuple[int, int]
) -> None:
    with pytest.raises(
        ValueError,
        match=r"^screenshot.size: .* is not allowed; expected a .* of 16 to 8192 pixels a side$",
    ):
        screenshot(session, tmp_path / "s.png", size=size)


def test_a_film_without_the_extra_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match=r"pip install 'ecs-softbody\[video\]'"):
        record(BlobGarden(), tmp_path / "x.mp4")

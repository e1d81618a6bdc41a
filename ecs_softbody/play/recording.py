"""Recording: record a game played by its scripted player to a GIF, a PNG or a film, without a
display.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.files import check_place, put_in_place
from ecs_softbody.indices import arange, repeat, unique
from ecs_softbody.parallel.machine import can_start_threads
from ecs_softbody.play.game import Game, check_game
from ecs_softbody.play.session import Session
from ecs_softbody.play.sharing.films import FILMS, check_films, write_film, write_png
from ecs_softbody.rendering.backend.rasterizer import draw_image, drawing
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.points import USUAL_SIZE
from ecs_softbody.rendering.warmup import warmup_steps
from ecs_softbody.validation import check_count, check_number, check_path, check_size

Frame = NDArray[np.uint8]
Progress = Callable[[int, int, str], None]
ENDINGS = (".gif", ".png", *FILMS)
"""Endings of files that can be written."""
GAME_RATE = 60
"""Frames of a game in a second."""
LONGEST = 3600.0
"""Maximum length [s]."""
LEAST_PIXELS = 16
"""Minimum side of a picture."""
PALETTE_FRAMES = 12
"""Number of pictures from which the palette of a GIF is chosen."""
COUNT_POWER = 0.35
"""Weight of a colour's area in the choice of the palette: 1 fully, 0 not at all."""
COLOURS = 256
"""Colours of a GIF."""


def record(
    game: Game | type[Game],
    path: str | Path,
    *,
    seconds: float = 12.0,
    size: tuple[int, int] = (640, 360),
    rate: int = 20,
    progress: Progress | None = None,
) -> Path:
    """Play a game with its autopilot and record it to a file.

    Args:
        game: a game not started yet; it is closed afterwards.
        path: the file to write; its ending selects the format: `.gif`, `.png` (the last moment),
            `.mp4`, `.webm`.
        seconds: length in game time [s].
        size: width and height [pixels].
        rate: pictures per second; a divisor of 60 keeps the motion even.
        progress: called as progress(done, total, what) while it works.

    Returns:
        The path.

    Raises:
        ValueError: for another file ending, or an invalid size or length.
        OSError: if the file cannot be written; an old file stays.
        RuntimeError: for a film without the extra `video`.
    """
    check_game("record", game)
    target = check_path("record", "path", path)
    size = check_size("record", "size", size, minimum=LEAST_PIXELS)
    _check(target, seconds, rate)
    check_place(target)
    tell = progress or (lambda done, total, what: None)
    session = Session(game, autopilot=True)
    try:
        for done, total, name in warmup_steps(session.game.sim, rasterizer=True):
            tell(done, total, f"preparing: {name}")
        frames = _frames(session, seconds, size, rate, tell)
        _write(target, frames, rate, tell)
    finally:
        session.close()
    return target


def _write(target: Path, frames: Iterator[Frame], rate: int, tell: Progress) -> None:
    """Write the frames in the format given by the file's ending."""
    if target.suffix.lower() == ".png":
        for last in frames:
            image = last
        write_png(target, image)
    elif target.suffix.lower() == ".gif":
        write_gif(target, list(frames), rate, tell)
    else:
        write_film(target, frames, rate)


def screenshot(session: Session, path: str | Path, *, size: tuple[int, int] = USUAL_SIZE) -> Path:
    """Write a session's current picture as a PNG file."""
    if not isinstance(session, Session):
        raise FieldTypeError("screenshot", "session", session, "a Session")
    size = check_size("screenshot", "size", size, minimum=LEAST_PIXELS)
    return write_png(check_path("screenshot", "path", path), draw_image(session.picture(*size)))


def _check(target: Path, seconds: float, rate: int) -> None:
    if target.suffix.lower() not in ENDINGS:
        raise ValueError(f"cannot write {target.name!r}: the file must end in {', '.join(ENDINGS)}")
    check_number("record", "seconds", seconds, above=0.0, maximum=LONGEST)
    check_count("record", "rate", rate, maximum=GAME_RATE)
    if target.suffix.lower() in FILMS:
        check_films()


def _frames(
    session: Session, seconds: float, size: tuple[int, int], rate: int, tell: Progress
) -> Iterator[Frame]:
    """Yield the images.

    If threads are available, one is drawn in another thread while the game plays on to the next.
    """
    picture = Picture(*size)
    count = max(1, round(seconds * rate))
    played = 0
    with ThreadPoolExecutor(1) as other:
        drawn: list[Callable[[], Frame]] = []
        for number in range(count):
            while played < (number + 1) * GAME_RATE // rate:
                session.frame()
                played += 1
            draw = drawing(session.picture(*size, into=picture))
            drawn.append(other.submit(draw).result if can_start_threads() else draw)
            if number:
                yield drawn.pop(0)()
            tell(number + 1, count, "playing")
        yield drawn.pop()()


def write_gif(target: Path, frames: list[Frame], rate: int, tell: Progress) -> None:
    """Write frames with a shared palette, without dithering: small and fast.

    Raises:
        OSError: if it cannot be written; an old file stays.
    """
    colours = shared_palette(frames)
    images = []
    for number, frame in enumerate(frames, 1):
        images.append(Image.fromarray(frame).quantize(palette=colours, dither=Image.Dither.NONE))
        tell(number, len(frames), "writing")
    delays = np.diff(np.round(arange(len(images) + 1) * 100.0 / rate)).astype(np.int64) * 10
    options = {"duration": delays.tolist(), "loop": 0, "optimize": False}
    with put_in_place(target) as beside:
        images[0].save(beside, format="GIF", save_all=True, append_images=images[1:], **options)


def shared_palette(frames: list[Frame]) -> Image.Image:
    """Return one palette for all frames; small bright objects get colours next to large dark
    areas.
    """
    step = max(1, len(frames) // PALETTE_FRAMES)
    pixels = np.concatenate([frame[::2, ::2].reshape(-1, 3) for frame in frames[::step]])
    bins = (pixels >> 2).astype(np.int64) @ np.array((1 << 12, 1 << 6, 1), np.int64)
    _, first, counts = unique(bins, return_index=True, return_counts=True)
    weights = np.ceil(counts**COUNT_POWER).astype(np.int64)
    balanced = repeat(pixels[first], weights, axis=0)
    return Image.fromarray(balanced[None]).quantize(
        COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=1
    )

"""How a test plays a game: frame by frame, as a session does."""

from __future__ import annotations

from ecs_softbody.play import Controls, Game


def play(game: Game, frames: int, *keys: str, released: bool = False) -> None:
    """Hold keys for some frames, pressed in the first one; with `released` let go of them in one
    frame more.
    """
    held = set(keys)
    for frame in range(frames):
        play_frame(game, Controls(held=held, pressed=held if frame == 0 else set()))
    if released:
        play_frame(game, Controls(released=held))


def play_frame(game: Game, controls: Controls) -> None:
    """Play one frame as a session does."""
    game.advance(controls)

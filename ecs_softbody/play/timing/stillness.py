"""Stillness: when a picture that does not move has to be drawn again."""

SETTLING = 4
"""Pictures that are drawn after something has happened, until what it changed is seen."""
HEARTBEAT = 60
"""Every so many pictures one is drawn although nothing has happened."""


class Stillness:
    """Counts the pictures in which nothing moved and nothing happened."""

    def __init__(self) -> None:
        self._quiet = 0

    @property
    def lasts(self) -> bool:
        """Whether nothing has happened for a moment."""
        return self._quiet > SETTLING

    def end(self) -> None:
        """Note that something has happened."""
        self._quiet = 0

    def needs_picture(self, *, still: bool) -> bool:
        """Return whether this picture has to be drawn; `still` says that it does not move by itself."""
        self._quiet = self._quiet + 1 if still else 0
        return not self.lasts or self._quiet % HEARTBEAT == 0

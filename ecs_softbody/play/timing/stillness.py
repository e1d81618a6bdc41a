"""Stillness: when a static picture has to be redrawn."""

SETTLING = 4
"""Pictures drawn after an event, until its effect is visible."""
AFTER_MOVING = 1
"""Pictures drawn after the last moving one: the frame that ended the movement may have changed
it.
"""
HEARTBEAT = 60
"""One picture in this many is drawn even if nothing has happened."""


class Stillness:
    """Counts the pictures without motion or events."""

    def __init__(self) -> None:
        self._owed = SETTLING
        self._quiet = 0

    @property
    def lasts(self) -> bool:
        """Whether the picture has settled since the last event."""
        return self._owed == 0

    def end(self) -> None:
        """Note an event."""
        self._owed = SETTLING
        self._quiet = 0

    def needs_picture(self, *, still: bool) -> bool:
        """Return whether this picture has to be drawn; `still` means that it does not move by
        itself.
        """
        if not still:
            self._owed = max(self._owed - 1, AFTER_MOVING)
            self._quiet = 0
            return True
        self._quiet += 1
        if self._owed:
            self._owed -= 1
            return True
        return self._quiet % HEARTBEAT == 0

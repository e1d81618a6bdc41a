"""Another program's window, which takes the keys when it is in front."""

from __future__ import annotations

import time

import pyglet

pyglet.options.shadow_window = False
window = pyglet.window.Window(300, 200, caption="Other")
while not window.has_exit:
    window.dispatch_events()
    window.flip()
    time.sleep(0.02)

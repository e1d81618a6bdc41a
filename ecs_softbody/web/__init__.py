"""Web: the same games in a page, by Pyodide; `page.js` is the browser's side.

Nothing here imports pyglet.
"""

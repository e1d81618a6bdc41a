"""Inspector: shows and edits a running game, and writes the edits to its scene file.

`model` holds the inspected state and its edits, without a window; `panel` draws it with Dear ImGui,
from the extra `inspector`. A window opens it on a key; nothing here is imported before.
"""

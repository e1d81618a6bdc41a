"""Inspector: looks into a game while it runs, changes what is in it, and writes that to its scene
file.

`model` knows what there is to see and to change, without a window; `panel` draws it with Dear
ImGui, which is in the extra `inspector`. A window opens it on a key; nothing here is imported
before.
"""

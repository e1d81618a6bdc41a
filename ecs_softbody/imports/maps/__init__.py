"""Maps: the parts of a Tiled map before they become bodies: raw tables, templates, pictures and
objects.
"""

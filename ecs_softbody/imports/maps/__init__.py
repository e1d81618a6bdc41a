"""Maps: what a map of Tiled is made of, before it becomes bodies: raw tables, templates, pictures
and objects.
"""

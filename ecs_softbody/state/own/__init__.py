"""Values of a game's own in files: what its components and processors hold, as JSON; nothing in it
is code.

JSON lists encode other values: `["r", 5]` is node 5, `["-"]` a value without state, which the world
keeps as it is. Nodes are values that can be shared: containers, arrays, objects. An object has a
registered class (`register_component`), or the class of the object in the same place in the world:
a file can name no others.
"""

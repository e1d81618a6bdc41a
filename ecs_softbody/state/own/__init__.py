"""User-defined values in files: the state of components and processors of a game, as JSON without
any code.

JSON lists encode other values: `["r", 5]` is node 5, `["-"]` a value without state, which the world
keeps as it is. Nodes are values that can be shared: containers, arrays, objects. An object has a
registered class (`register_component`), or the class of the object in the same place in the world:
a file can name no others.
"""

"""Values of a game's own in files: what its components and processors hold, as JSON; nothing in it
is code.

JSON has lists for what it lacks: `["r", 5]` is node 5, `["-"]` something that is no state and stays
as it is in the world. Nodes are what several values may share: containers, arrays, objects. An
object is one of a class that is registered (`register_component`), or of the class that the world
has in its place: a file names no others.
"""

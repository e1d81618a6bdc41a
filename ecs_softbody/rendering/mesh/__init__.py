"""Meshes: triangles of bodies, strokes and polygons."""

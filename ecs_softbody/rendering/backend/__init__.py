"""Backends: draw the triangles of a picture, by OpenGL or a rasterizer."""

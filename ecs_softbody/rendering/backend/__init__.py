"""Back ends: what draws the triangles of a picture, OpenGL or a rasterizer."""

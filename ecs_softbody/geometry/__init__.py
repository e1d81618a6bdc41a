"""Geometry: rings, outlines, segments and polygons, as compiled functions of plain arrays."""

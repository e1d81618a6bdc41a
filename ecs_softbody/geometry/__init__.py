"""Geometry: rings, outlines, segments, polygons and boxes, as compiled functions of plain
arrays.
"""

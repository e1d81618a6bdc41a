"""Queries: ray casts, closest points, overlaps, sensors."""

"""Fluids: processors of wind and water."""

"""Impacts: bodies with an outline bounce as wholes, off walls and off each other."""

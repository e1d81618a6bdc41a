"""Keeping: what files of saves may hold, and what they are called."""

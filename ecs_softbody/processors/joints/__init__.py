"""Joints: attachments, limits and motors."""

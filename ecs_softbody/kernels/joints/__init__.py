"""Kernels of joints: attachments, ropes, rods and mouse joints are taken apart into scalar
constraints (rows), which are solved together on velocities; motors add torques before.
"""

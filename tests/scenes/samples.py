"""Right scene files with everything in them."""

from __future__ import annotations

FULL = """
title = "Everything"
tagline = "All of it"
[world]
gravity = [0, -9.81]
substeps = 4
[camera]
view = [-8, -1, 8, 8]
follow = "hero"
[theme]
name = "canyon"
ground = [80, 140, 220]
[data]
lives = 3
names = ["a", "b"]
[materials.rubber]
friction = 0.9
restitution = 0.8
frequency = 30
[prefabs.crate]
box = { size = 0.5, rows = 3, columns = 3 }
Look = { fill = [200, 160, 80] }
[prefabs.heavy]
prefab = "crate"
box = { density = 5 }
[entities.ground]
StaticCollider = { vertices = [[-8, 9], [-8, 0], [8, 0], [8, 9]], friction = 0.7 }
Look = { style = "ground" }
[entities.hero]
blob = { center = [0, 1], radius = 0.6, particles = 12 }
Collider = { rolling_resistance = 0.1 }
material = "rubber"
tags = ["player"]
data = { lives = 3 }
Look = { fill = [98, 200, 116], eyes = 2, mood = "happy" }
[entities.one]
prefab = "crate"
at = [2, 1]
[entities.two]
prefab = "heavy"
at = [2, 2]
angle = 0.3
[entities.rope]
rope = { start = [-4, 5], end = [-2, 5], segments = 6, pin_start = true }
[entities.cloth]
cloth = { center = [5, 5], size = [2, 1], rows = 4, columns = 5 }
[entities.star]
polygon = { vertices = [[0, 4], [1, 4], [0.5, 5]], spacing = 0.3 }
[entities.rod]
rod = { start = [-6, 1], end = [-5, 3], segments = 4 }
Muscles = { rows = [0, 1], amplitude = 0.1, frequency = 1 }
[entities.wheel]
wheel = { center = [-3, 1], radius = 0.4, particles = 8 }
[entities.axle]
axle = { chassis = "one", wheel = "wheel", at = [-3, 1], speed = 3 }
[entities.pin]
hinge = { first = "two", second = "world", at = [2, 2] }
[entities.link]
Springs = { pairs = [[0, 0]], stiffness = 20, between = ["one", "two"] }
[entities.grip]
MouseJoint = { entity = "star", target = [1, 5], rows = 0 }
[entities.raw]
Particles = { position = [[0, 7], [1, 7], [0.5, 8]], mass = [1, 2, 3], pinned = [true, false, false] }
Springs = { pairs = [[0, 1], [1, 2], [2, 0]], stiffness = 50 }
ShapeMatching = { stiffness = 3, groups = [[0, 1], [1, 2]] }
Collider = { outline = [0, 1, 2] }
[entities.pond]
Water = { level = -1, left = -8, right = 8 }
[entities.air]
Wind = { velocity = [1, 0], region = [[-8, 0], [8, 5]] }
[entities.pole]
Magnet = { strength = 2, position = [0, 3] }
[entities.goal]
StaticCollider = { vertices = [[6, 0], [7, 0], [7, 2]], closed = true, sensor = true }
tags = ["goal"]
"""

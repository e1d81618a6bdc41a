"""Rendering: pictures of a simulation, games around it, windows and recordings. Importing it opens nothing."""

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.camera import Camera, View
from ecs_softbody.rendering.effects import Effects
from ecs_softbody.rendering.game import FRAME, RESERVED_KEYS, Controls, Game
from ecs_softbody.rendering.look import Look
from ecs_softbody.rendering.picture import Layer, Picture
from ecs_softbody.rendering.recording import record, screenshot
from ecs_softbody.rendering.scene_painter import ScenePainter
from ecs_softbody.rendering.session import Session
from ecs_softbody.rendering.sound import Sounds

__all__ = [
    "FRAME",
    "RESERVED_KEYS",
    "Camera",
    "Controls",
    "Effects",
    "Game",
    "Layer",
    "Look",
    "Picture",
    "ScenePainter",
    "Session",
    "Sounds",
    "View",
    "palette",
    "record",
    "screenshot",
]

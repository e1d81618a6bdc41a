"""GL textures: the pictures held by OpenGL; unused ones are released."""

from __future__ import annotations

import weakref
from typing import Any

from ecs_softbody.rendering.texture import Texture


class GLTextures:
    """Loads a picture when it is drawn first."""

    def __init__(self, gl: Any) -> None:
        self._gl = gl
        self._names: weakref.WeakKeyDictionary[Texture, int] = weakref.WeakKeyDictionary()
        self._dead: list[int] = []

    def bind(self, texture: Texture, repeats: bool) -> None:
        """Draw with this picture from now on."""
        gl = self._gl
        if texture in self._names:
            gl.glBindTexture(gl.GL_TEXTURE_2D, self._names[texture])
        else:
            self._load(texture)
        wrap = gl.GL_REPEAT if repeats else gl.GL_CLAMP_TO_EDGE
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_S, wrap)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_WRAP_T, wrap)

    def forget_dead(self) -> None:
        """Give back pictures that are gone; here, since it needs the OpenGL context."""
        while self._dead:
            name = self._gl.GLuint(self._dead.pop())
            self._gl.glDeleteTextures(1, name)

    def _load(self, texture: Texture) -> None:
        """Send all versions of a picture to the graphics card, as mipmaps."""
        gl = self._gl
        name = self._gl.GLuint()
        gl.glGenTextures(1, name)
        gl.glBindTexture(gl.GL_TEXTURE_2D, name.value)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_LINEAR_MIPMAP_LINEAR)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_LINEAR)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAX_LEVEL, len(texture.levels) - 1)
        for number, (_, width, height) in enumerate(texture.levels.tolist()):
            gl.glTexImage2D(
                gl.GL_TEXTURE_2D,
                number,
                gl.GL_RGBA8,
                width,
                height,
                0,
                gl.GL_RGBA,
                gl.GL_UNSIGNED_BYTE,
                texture.level(number).ctypes.data,
            )
        self._names[texture] = name.value
        weakref.finalize(texture, self._dead.append, name.value)

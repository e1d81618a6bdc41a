"""OpenGL backend: draws opaque triangles first, then the rest, with a draw call for each
texture.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.backend.backend import thinned
from ecs_softbody.rendering.backend.gl_textures import GLTextures
from ecs_softbody.rendering.backend.shaders import OPENGL, shaders
from ecs_softbody.rendering.mesh.mesh import WIDTH
from ecs_softbody.rendering.picture import Picture


class GLBackend:
    """Draws pictures into the current OpenGL context."""

    def __init__(self) -> None:
        from pyglet import gl
        from pyglet.graphics.shader import Shader, ShaderProgram

        self._gl = gl
        source = shaders(OPENGL)

        def program(fragment: str) -> Any:
            return ShaderProgram(Shader(source.vertex, "vertex"), Shader(fragment, "fragment"))

        self._program = program(source.plain)
        self._flat_program = program(source.flat)
        self._skin_program = program(source.skin)
        self._textures = GLTextures(gl)
        names = (gl.GLuint * 2)()
        gl.glGenBuffers(2, names)
        self._vertex_buffer = names[0]
        self._index_buffer = names[1]
        array = gl.GLuint()
        texture = gl.GLuint()
        gl.glGenVertexArrays(1, array)
        gl.glGenTextures(1, texture)
        self._array = array.value
        self._texture = texture.value
        self._atlas_version = -1
        self._describe_vertices()

    def draw(self, picture: Picture) -> None:
        """Draw a picture over the whole viewport."""
        gl = self._gl
        vertices, indices = picture.triangles()
        gl.glViewport(0, 0, picture.width_px, picture.height_px)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glClearColor(0.0, 0.0, 0.0, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        if not len(indices):
            return
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        self._load_atlas(picture)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertex_buffer)
        gl.glBufferData(
            gl.GL_ARRAY_BUFFER, vertices.nbytes, vertices.ctypes.data, gl.GL_STREAM_DRAW
        )
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._index_buffer)
        gl.glBufferData(
            gl.GL_ELEMENT_ARRAY_BUFFER, indices.nbytes, indices.ctypes.data, gl.GL_STREAM_DRAW
        )
        size = (float(picture.width_px), float(picture.height_px))
        self._textures.forget_dead()
        # Opaque meshes at the bottom need neither blending nor the atlas.
        gl.glDisable(gl.GL_BLEND)
        self._draw_run(self._flat_program, size, 0, picture.opaque_count)
        gl.glEnable(gl.GL_BLEND)
        for texture, repeats, start, count in picture.runs:
            first = max(start, picture.opaque_count)
            last = start + count
            if texture is not None:
                self._textures.bind(texture, repeats)
                # Pictures have premultiplied opacity, colours of other meshes have not.
                gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
                self._draw_run(self._skin_program, size, first, last - first)
                gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
            elif last > first:
                gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
                self._draw_run(self._program, size, first, last - first)
        gl.glBindVertexArray(0)
        self._program.stop()

    def _draw_run(self, program: Any, size: tuple[float, float], first: int, count: int) -> None:
        program.use()
        program["size"] = size
        self._gl.glDrawElements(self._gl.GL_TRIANGLES, count, self._gl.GL_UNSIGNED_INT, 4 * first)

    def read(self, width_px: int, height_px: int) -> NDArray[np.uint8]:
        """Return the picture drawn, shape (height, width, 3), rows from the top."""
        gl = self._gl
        image = np.empty((height_px, width_px, 4), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(
            0, 0, width_px, height_px, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, image.ctypes.data
        )
        return np.ascontiguousarray(image[::-1, :, :3])

    def read_small(self, size: tuple[int, int], small: tuple[int, int]) -> NDArray[np.uint8]:
        """Return the picture drawn at a smaller size [pixels], shape (height, width, 3), rows from
        the top.
        """
        gl = self._gl
        samples = gl.GLint()
        gl.glGetIntegerv(gl.GL_SAMPLES, samples)
        if samples.value or small == size:
            # A picture with several samples per pixel cannot be made smaller in one go.
            return thinned(self.read(*size), small)
        buffer = gl.GLuint()
        colour = gl.GLuint()
        gl.glGenFramebuffers(1, buffer)
        gl.glGenRenderbuffers(1, colour)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, colour)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_RGBA8, *small)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, buffer)
        gl.glFramebufferRenderbuffer(
            gl.GL_DRAW_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, colour
        )
        gl.glBlitFramebuffer(0, 0, *size, 0, 0, *small, gl.GL_COLOR_BUFFER_BIT, gl.GL_LINEAR)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, buffer)
        image = self.read(*small)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glDeleteFramebuffers(1, buffer)
        gl.glDeleteRenderbuffers(1, colour)
        return image

    def _describe_vertices(self) -> None:
        gl = self._gl
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertex_buffer)
        for location, (count, first) in enumerate(((2, 0), (4, 2), (4, 6))):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(
                location, count, gl.GL_FLOAT, gl.GL_FALSE, 4 * WIDTH, ctypes.c_void_p(4 * first)
            )
        gl.glBindVertexArray(0)

    def _load_atlas(self, picture: Picture) -> None:
        """Fetch the letters again when there are new ones."""
        # The atlas goes to the graphics card only when letters are new.
        if picture.atlas.version == self._atlas_version:
            return
        gl = self._gl
        pixels = picture.atlas.pixels
        self._atlas_version = picture.atlas.version
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST)
        height, width = pixels.shape
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D,
            0,
            gl.GL_R8,
            width,
            height,
            0,
            gl.GL_RED,
            gl.GL_UNSIGNED_BYTE,
            pixels.ctypes.data,
        )

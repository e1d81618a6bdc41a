"""OpenGL backend: draws what hides all behind it, then the rest, a draw call for each texture."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.rendering.backend.gl_textures import GLTextures
from ecs_softbody.rendering.mesh.mesh import WIDTH
from ecs_softbody.rendering.picture import Picture

VERTEX_SHADER = """#version 330 core
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 edge;
layout(location = 2) in vec4 colour;
uniform vec2 size;
out vec4 vertex_edge;
out vec4 vertex_colour;
void main() {
    gl_Position = vec4(position / size * 2.0 - 1.0, 0.0, 1.0);
    vertex_edge = edge;
    vertex_colour = colour;
}
"""
GRAIN = """
float grain(float opacity) {
    float mixed = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return (mixed - 0.5) * 0.96 / (255.0 * opacity);
}
"""
"""What is added to a colour before it is rounded, so that a gradient shows no bands, and a flat one stays as it is.

Interleaved gradient noise. Recordings without OpenGL go without: they are small, and their files would be half as large
again.
"""
FRAGMENT_SHADER = (
    """#version 330 core
"""
    + GRAIN
    + """
in vec4 vertex_edge;
in vec4 vertex_colour;
uniform sampler2D atlas;
out vec4 result;
void main() {
    float opacity;
    if (vertex_edge.w < 0.0) {
        opacity = texelFetch(atlas, ivec2(vertex_edge.xy), 0).r;
    } else {
        float cover = clamp((vertex_edge.z - length(vertex_edge.xy)) / vertex_edge.w + 0.5, 0.0, 1.0);
        opacity = cover * cover * (3.0 - 2.0 * cover);
    }
    opacity *= vertex_colour.a;
    result = vec4(vertex_colour.rgb + grain(max(opacity, 0.002)), opacity);
}
"""
)
FLAT_SHADER = (
    """#version 330 core
"""
    + GRAIN
    + """
in vec4 vertex_edge;
in vec4 vertex_colour;
out vec4 result;
void main() {
    result = vec4(vertex_colour.rgb + grain(1.0), vertex_colour.a);
}
"""
)
TEXTURE_SHADER = """#version 330 core
in vec4 vertex_edge;
in vec4 vertex_colour;
uniform sampler2D skin;
out vec4 result;
void main() {
    vec4 found = texture(skin, vec2(vertex_edge.x, 1.0 - vertex_edge.y));
    vec3 colour = found.rgb * vertex_colour.rgb;
    colour += (found.a - colour) * vertex_edge.z;
    result = vec4(colour, found.a) * vertex_colour.a;
}
"""


class GLBackend:
    """Draws pictures into the current OpenGL context."""

    def __init__(self) -> None:
        from pyglet import gl
        from pyglet.graphics.shader import Shader, ShaderProgram

        self._gl = gl
        self._program: Any = ShaderProgram(Shader(VERTEX_SHADER, "vertex"), Shader(FRAGMENT_SHADER, "fragment"))
        self._flat_program: Any = ShaderProgram(Shader(VERTEX_SHADER, "vertex"), Shader(FLAT_SHADER, "fragment"))
        self._skin_program: Any = ShaderProgram(Shader(VERTEX_SHADER, "vertex"), Shader(TEXTURE_SHADER, "fragment"))
        self._textures = GLTextures(gl)
        names = (gl.GLuint * 2)()
        gl.glGenBuffers(2, names)
        self._vertex_buffer, self._index_buffer = names[0], names[1]
        array, texture = gl.GLuint(), gl.GLuint()
        gl.glGenVertexArrays(1, array)
        gl.glGenTextures(1, texture)
        self._array, self._texture = array.value, texture.value
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
        gl.glBufferData(gl.GL_ARRAY_BUFFER, vertices.nbytes, vertices.ctypes.data, gl.GL_STREAM_DRAW)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._index_buffer)
        gl.glBufferData(gl.GL_ELEMENT_ARRAY_BUFFER, indices.nbytes, indices.ctypes.data, gl.GL_STREAM_DRAW)
        size = (float(picture.width_px), float(picture.height_px))
        self._textures.forget_dead()
        gl.glDisable(gl.GL_BLEND)
        self._draw_run(self._flat_program, size, 0, picture.opaque_count)
        gl.glEnable(gl.GL_BLEND)
        for texture, repeats, start, count in picture.runs:
            first, last = max(start, picture.opaque_count), start + count
            if texture is not None:
                self._textures.bind(texture, repeats)
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
        """Return what was drawn, shape (height, width, 3), rows from the top."""
        gl = self._gl
        image = np.empty((height_px, width_px, 4), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width_px, height_px, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, image.ctypes.data)
        return np.ascontiguousarray(image[::-1, :, :3])

    def read_small(self, size: tuple[int, int], small: tuple[int, int]) -> NDArray[np.uint8]:
        """Return what was drawn at a smaller size [pixels], shape (height, width, 3), rows from the top."""
        gl = self._gl
        samples = gl.GLint()
        gl.glGetIntegerv(gl.GL_SAMPLES, samples)
        if samples.value or small == size:  # such a picture cannot be made smaller in one go
            step = max(1, -(-size[0] // small[0]))
            whole = self.read(*size)[step // 2 :: step, step // 2 :: step]
            return np.ascontiguousarray(whole)
        buffer, colour = gl.GLuint(), gl.GLuint()
        gl.glGenFramebuffers(1, buffer)
        gl.glGenRenderbuffers(1, colour)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, colour)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_RGBA8, *small)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, buffer)
        gl.glFramebufferRenderbuffer(gl.GL_DRAW_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, colour)
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
            gl.glVertexAttribPointer(location, count, gl.GL_FLOAT, gl.GL_FALSE, 4 * WIDTH, ctypes.c_void_p(4 * first))
        gl.glBindVertexArray(0)

    def _load_atlas(self, picture: Picture) -> None:
        """Fetch the letters again when there are new ones."""
        if picture.atlas.version == self._atlas_version:
            return
        gl, pixels = self._gl, picture.atlas.pixels
        self._atlas_version = picture.atlas.version
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST)
        height, width = pixels.shape
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, 0, gl.GL_R8, width, height, 0, gl.GL_RED, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data
        )

"""Renderer: draws Dear ImGui's output with pyglet's OpenGL: one shader, and font textures."""

from __future__ import annotations

import ctypes
from typing import Any

VERTEX_SHADER = """#version 330 core
layout(location = 0) in vec2 position;
layout(location = 1) in vec2 place;
layout(location = 2) in vec4 colour;
uniform vec2 size;
out vec2 vertex_place;
out vec4 vertex_colour;
void main() {
    gl_Position = vec4(position.x / size.x * 2.0 - 1.0, 1.0 - position.y / size.y * 2.0, 0.0, 1.0);
    vertex_place = place;
    vertex_colour = colour;
}
"""
"""Places triangles of the panel, given in pixels."""
FRAGMENT_SHADER = """#version 330 core
in vec2 vertex_place;
in vec4 vertex_colour;
uniform sampler2D letters;
out vec4 result;
void main() {
    result = vertex_colour * texture(letters, vertex_place);
}
"""
"""Colours them; letters are a texture."""


class Renderer:
    """Draws into the current OpenGL context, over its content.

    The context of Dear ImGui has to be current, too.
    """

    def __init__(self, imgui: Any) -> None:
        from pyglet import gl
        from pyglet.graphics.shader import Shader, ShaderProgram

        self._gl = gl
        self._imgui = imgui
        self._program: Any = ShaderProgram(
            Shader(VERTEX_SHADER, "vertex"), Shader(FRAGMENT_SHADER, "fragment")
        )
        names = (gl.GLuint * 2)()
        gl.glGenBuffers(2, names)
        self._vertex_buffer = names[0]
        self._index_buffer = names[1]
        array = gl.GLuint()
        gl.glGenVertexArrays(1, array)
        self._array = array.value
        self._index_type = gl.GL_UNSIGNED_SHORT if imgui.INDEX_SIZE == 2 else gl.GL_UNSIGNED_INT
        self._describe_vertices()
        imgui.get_io().backend_flags |= imgui.BackendFlags_.renderer_has_textures
        most = gl.GLint()
        gl.glGetIntegerv(gl.GL_MAX_TEXTURE_SIZE, most)
        platform = imgui.get_platform_io()
        platform.renderer_texture_max_width = platform.renderer_texture_max_height = min(
            most.value, 8192
        )

    def draw(self, data: Any) -> None:
        """Draw the commands of one picture in a window of `data.display_size` pixels."""
        gl = self._gl
        imgui = self._imgui
        for texture in imgui.get_platform_io().textures:
            if texture.status != imgui.ImTextureStatus.ok:
                self._update(texture)
        width = int(data.display_size.x)
        height = int(data.display_size.y)
        if width <= 0 or height <= 0:
            return
        gl.glViewport(0, 0, width, height)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_SCISSOR_TEST)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        self._program.use()
        self._program["size"] = (float(width), float(height))
        gl.glBindVertexArray(self._array)
        for commands in data.cmd_lists:
            self._draw_list(commands, height)
        gl.glBindVertexArray(0)
        self._program.stop()
        gl.glDisable(gl.GL_SCISSOR_TEST)

    def _draw_list(self, commands: Any, height: int) -> None:
        gl = self._gl
        imgui = self._imgui
        vertices = commands.vtx_buffer
        indices = commands.idx_buffer
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertex_buffer)
        gl.glBufferData(
            gl.GL_ARRAY_BUFFER,
            vertices.size() * imgui.VERTEX_SIZE,
            vertices.data_address(),
            gl.GL_STREAM_DRAW,
        )
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._index_buffer)
        gl.glBufferData(
            gl.GL_ELEMENT_ARRAY_BUFFER,
            indices.size() * imgui.INDEX_SIZE,
            indices.data_address(),
            gl.GL_STREAM_DRAW,
        )
        for command in commands.cmd_buffer:
            left, top, right, bottom = command.clip_rect
            if right <= left or bottom <= top:
                continue
            gl.glScissor(
                int(max(left, 0)),
                int(max(height - bottom, 0)),
                int(right - left),
                int(bottom - top),
            )
            gl.glBindTexture(gl.GL_TEXTURE_2D, command.get_tex_id())
            gl.glDrawElements(
                gl.GL_TRIANGLES, command.elem_count, self._index_type,
                ctypes.c_void_p(command.idx_offset * imgui.INDEX_SIZE),
            )  # fmt: skip

    def close(self) -> None:
        """Release the GPU resources."""
        gl = self._gl
        imgui = self._imgui
        for texture in imgui.get_platform_io().textures:
            if texture.ref_count == 1:
                self._remove(texture)
        imgui.get_io().backend_flags &= ~imgui.BackendFlags_.renderer_has_textures
        gl.glDeleteBuffers(2, (gl.GLuint * 2)(self._vertex_buffer, self._index_buffer))
        gl.glDeleteVertexArrays(1, gl.GLuint(self._array))
        self._program.delete()

    def _describe_vertices(self) -> None:
        gl = self._gl
        imgui = self._imgui
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vertex_buffer)
        parts = (
            (2, gl.GL_FLOAT, gl.GL_FALSE, imgui.VERTEX_BUFFER_POS_OFFSET),
            (2, gl.GL_FLOAT, gl.GL_FALSE, imgui.VERTEX_BUFFER_UV_OFFSET),
            (4, gl.GL_UNSIGNED_BYTE, gl.GL_TRUE, imgui.VERTEX_BUFFER_COL_OFFSET),
        )
        for location, (count, kind, normalised, first) in enumerate(parts):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(
                location, count, kind, normalised, imgui.VERTEX_SIZE, ctypes.c_void_p(first)
            )
        gl.glBindVertexArray(0)

    def _update(self, texture: Any) -> None:
        """Carry out the request for a font texture: create, update or remove it."""
        status = texture.status
        imgui = self._imgui
        if status == imgui.ImTextureStatus.want_destroy:
            if texture.unused_frames > 0:
                self._remove(texture)
            return
        if status not in (imgui.ImTextureStatus.want_create, imgui.ImTextureStatus.want_updates):
            return
        gl = self._gl
        if status == imgui.ImTextureStatus.want_create:
            name = gl.GLuint()
            gl.glGenTextures(1, name)
            texture.set_tex_id(name.value)
        gl.glBindTexture(gl.GL_TEXTURE_2D, texture.get_tex_id())
        for asked in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, asked, gl.GL_LINEAR)
        for asked in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, asked, gl.GL_CLAMP_TO_EDGE)
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        gl.glPixelStorei(gl.GL_UNPACK_ROW_LENGTH, 0)
        pixels = texture.get_pixels_array()
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D,
            0,
            gl.GL_RGBA,
            texture.width,
            texture.height,
            0,
            gl.GL_RGBA,
            gl.GL_UNSIGNED_BYTE,
            pixels.ctypes.data,
        )
        texture.set_status(imgui.ImTextureStatus.ok)

    def _remove(self, texture: Any) -> None:
        self._gl.glDeleteTextures(1, self._gl.GLuint(texture.get_tex_id()))
        texture.set_tex_id(0)
        texture.set_status(self._imgui.ImTextureStatus.destroyed)

"""Shaders: the code that OpenGL and WebGL run for each corner and each pixel, written once for
both.
"""

from __future__ import annotations

from typing import NamedTuple

OPENGL = "#version 330 core\n"
WEBGL = "#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n"
"""First lines of a shader for OpenGL 3.3, and for WebGL 2."""

VERTEX = """
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
"""Corners: pixels to the -1 to 1 of the screen; the four edge numbers and the colour go on as they
are.
"""
GRAIN = """
float grain(float opacity) {
    float mixed = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    return (mixed - 0.5) * 0.96 / (255.0 * opacity);
}
"""
"""Noise added to a colour before rounding, so that a gradient shows no bands, and a flat colour
stays as it is.

Interleaved gradient noise. Recordings without OpenGL go without: they are small, and their files
would be half as large again.
"""
PLAIN = """
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
"""Pixels of fills, soft edges and letters: `w` below 0 marks a letter of the atlas, else the
opacity follows from the distance to the edge.
"""
FLAT = """
in vec4 vertex_edge;
in vec4 vertex_colour;
out vec4 result;
void main() {
    result = vec4(vertex_colour.rgb + grain(1.0), vertex_colour.a);
}
"""
"""Pixels of meshes without soft edges or letters, which need no atlas."""
SKIN = """
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
"""Pixels of triangles with a picture."""


class Shaders(NamedTuple):
    """The source of the vertex shader, and of the fragment shaders that belong to it."""

    vertex: str
    plain: str
    """For edges that fade, and letters."""
    flat: str
    """For opaque triangles."""
    skin: str
    """For textured triangles."""


def shaders(first_lines: str) -> Shaders:
    """Return all shaders: `first_lines` is OPENGL or WEBGL."""
    return Shaders(
        first_lines + VERTEX,
        first_lines + GRAIN + PLAIN,
        first_lines + GRAIN + FLAT,
        first_lines + SKIN,
    )

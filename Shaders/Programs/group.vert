#version 300 es
// Inputs: position, color, offset to the source's pixel. Output: the same as varyings. Alpha:
// premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec2 offset;

VARYING out vec4 fragmentColor;
CONSTANT out vec2 fragmentOffset;

void main() {
  fragmentColor = color;
  fragmentOffset = offset;
  gl_Position = clipPosition();
}

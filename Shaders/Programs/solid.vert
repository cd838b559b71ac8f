#version 300 es
// Inputs: position, color. Output: the same as varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;

VARYING out vec4 fragmentColor;

void main() {
  fragmentColor = color;
  gl_Position = clipPosition();
}

#version 300 es
// Inputs: position, color, offset to the source's pixel, shape, radii. Output: the same as
// varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec2 offset;
layout(location = 3) in vec4 shape;
layout(location = 4) in vec4 radii;

VARYING out vec4 fragmentColor;
CONSTANT out vec2 fragmentOffset;
VARYING out vec4 fragmentShape;
CONSTANT out RADII fragmentRadii;

void main() {
  fragmentColor = color;
  fragmentOffset = offset;
  fragmentShape = shape;
  fragmentRadii = RADII(radii);
  gl_Position = clipPosition();
}

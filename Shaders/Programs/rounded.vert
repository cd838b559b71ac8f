#version 300 es
// Inputs: position, color, shape (point and half size in the layer), radii. Output: the same as
// varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec4 shape;
layout(location = 3) in vec4 radii;

VARYING out vec4 fragmentColor;
VARYING out vec4 fragmentShape;
CONSTANT out RADII fragmentRadii;
#ifdef UPRIGHT
VARYING out float fragmentRow;
#endif

void main() {
  fragmentColor = color;
  fragmentShape = shape;
#ifdef UPRIGHT
  fragmentShape.zw -= radii.x;
  fragmentRow = position.y;
#endif
  fragmentRadii = RADII(radii);
  gl_Position = clipPosition();
}

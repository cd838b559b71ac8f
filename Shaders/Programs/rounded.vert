#version 300 es
// Inputs: position, color, point and half size in the layer, corner radii. Output: the same as
// varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec4 shape;
layout(location = 3) in vec4 radii;

VARYING out vec4 fragmentColor;
VARYING out vec4 fragmentShape;
CONSTANT out RADII fragmentRadii;

void main() {
  fragmentColor = color;
  fragmentShape = shape;
#ifdef UPRIGHT
  fragmentShape.zw -= radii.x;
#endif
  fragmentRadii = RADII(radii);
  gl_Position = clipPosition();
}

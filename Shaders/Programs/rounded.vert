#version 300 es
// Inputs: position, color, shape (point and half size in the layer), radii, width (a border's, or a
// pixel's in units of an upright shadow). Output: the same as varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec4 shape;
layout(location = 3) in vec4 radii;
layout(location = 4) in float width;

VARYING out vec4 fragmentColor;
VARYING out vec4 fragmentShape;
CONSTANT out RADII fragmentRadii;
CONSTANT out float fragmentWidth;

void main() {
  fragmentColor = color;
  fragmentShape = shape;
  fragmentRadii = RADII(radii);
  fragmentWidth = width;
  gl_Position = clipPosition();
}

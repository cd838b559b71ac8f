#version 300 es
// Inputs: position, color, shape, radii, place in the gradient, scale and offset from location to
// ramp. Output: the same as varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec4 shape;
layout(location = 3) in vec4 radii;
layout(location = 4) in vec4 place;

VARYING out vec4 fragmentColor;
VARYING out vec4 fragmentShape;
CONSTANT out RADII fragmentRadii;
VARYING out vec4 fragmentPlace;

void main() {
  fragmentColor = color;
  fragmentShape = shape;
  fragmentRadii = RADII(radii);
  fragmentPlace = place;
  gl_Position = clipPosition();
}

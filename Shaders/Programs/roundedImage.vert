#version 300 es
// Inputs: position, color, shape, radii, texture coordinate. Output: the same as varyings. Alpha:
// premultiplied.
#include "interpolation"
#include "position"
#include "sourceLayer"
#include "imageColor"

layout(location = 2) in vec4 shape;
layout(location = 3) in vec4 radii;
layout(location = 4) in vec2 textureCoordinate;

VARYING out vec4 fragmentShape;
CONSTANT out RADII fragmentRadii;
VARYING out vec2 fragmentTextureCoordinate;

void main() {
  passColor();
  fragmentShape = shape;
  fragmentRadii = RADII(radii);
  fragmentTextureCoordinate = textureCoordinate;
  passLayer();
  gl_Position = clipPosition();
}

#version 300 es
// Inputs: position, color, point and half size in the layer, corner radii, texture coordinate.
// Output: the same as varyings. Alpha: premultiplied.
#include "position"
#include "sourceLayer"

layout(location = 1) in vec4 color;
layout(location = 2) in vec4 shape;
layout(location = 3) in vec4 radii;
layout(location = 4) in vec2 textureCoordinate;

out vec4 fragmentColor;
out vec4 fragmentShape;
flat out vec4 fragmentRadii;
out vec2 fragmentTextureCoordinate;

void main() {
  fragmentColor = color;
  fragmentShape = shape;
  fragmentRadii = radii;
  fragmentTextureCoordinate = textureCoordinate;
  passLayer();
  gl_Position = clipPosition();
}

#version 300 es
// Inputs: position, color, texture coordinate. Output: the same as varyings. Alpha:
// premultiplied.
#include "interpolation"
#include "position"
#include "sourceLayer"

layout(location = 1) in vec4 color;
layout(location = 2) in vec2 textureCoordinate;

VARYING out vec4 fragmentColor;
VARYING out vec2 fragmentTextureCoordinate;

void main() {
  fragmentColor = color;
  fragmentTextureCoordinate = textureCoordinate;
  passLayer();
  gl_Position = clipPosition();
}

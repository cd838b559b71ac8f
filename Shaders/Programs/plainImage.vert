#version 300 es
// Inputs: position, texture coordinate. Output: the same as varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"
#include "sourceLayer"

layout(location = 1) in vec2 textureCoordinate;

VARYING out vec2 fragmentTextureCoordinate;

void main() {
  fragmentTextureCoordinate = textureCoordinate;
  passLayer();
  gl_Position = clipPosition();
}

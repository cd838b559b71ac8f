#version 300 es
// Inputs: position, color, texture coordinate. Output: the same as varyings. Alpha:
// premultiplied.
#include "interpolation"
#include "position"
#include "sourceLayer"
#include "imageColor"

layout(location = 2) in vec2 textureCoordinate;

VARYING out vec2 fragmentTextureCoordinate;

void main() {
  passColor();
  fragmentTextureCoordinate = textureCoordinate;
  passLayer();
  gl_Position = clipPosition();
}

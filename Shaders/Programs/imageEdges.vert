#version 300 es
// Inputs: position, color, texture coordinate, distances to the four edges times w. Output: the
// same as varyings. Alpha: premultiplied.
#include "position"
#include "sourceLayer"

layout(location = 1) in vec4 color;
layout(location = 2) in vec2 textureCoordinate;
layout(location = 3) in vec4 edges;

out vec4 fragmentColor;
out vec2 fragmentTextureCoordinate;
out vec4 fragmentEdges;

void main() {
  fragmentColor = color;
  fragmentTextureCoordinate = textureCoordinate;
  fragmentEdges = edges;
  passLayer();
  gl_Position = clipPosition();
}

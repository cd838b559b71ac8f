#version 300 es
// Inputs: position, color, texture coordinate, distances to the edges times w. Output: the same as
// varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"
#include "sourceLayer"
#include "imageColor"

layout(location = 2) in vec2 textureCoordinate;
layout(location = 3) in vec4 edges;

VARYING out vec2 fragmentTextureCoordinate;
ON_SCREEN out vec4 fragmentEdges;

void main() {
  passColor();
  fragmentTextureCoordinate = textureCoordinate;
  fragmentEdges = toScreen(edges);
  passLayer();
  gl_Position = clipPosition();
}

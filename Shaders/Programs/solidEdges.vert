#version 300 es
// Inputs: position, color, distances to the edges times w. Output: the same as varyings. Alpha:
// premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec4 edges;

VARYING out vec4 fragmentColor;
ON_SCREEN out vec4 fragmentEdges;

void main() {
  fragmentColor = color;
  fragmentEdges = toScreen(edges);
  gl_Position = clipPosition();
}

#version 300 es
// Inputs: position, color, offset to the source's pixel, distances to the edges times w.
// Output: the same as varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec2 offset;
layout(location = 3) in vec4 edges;

VARYING out vec4 fragmentColor;
CONSTANT out vec2 fragmentOffset;
ON_SCREEN out vec4 fragmentEdges;

void main() {
  fragmentColor = color;
  fragmentOffset = offset;
  fragmentEdges = toScreen(edges);
  gl_Position = clipPosition();
}

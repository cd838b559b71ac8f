#version 300 es
// Inputs: color, distances to the edges. Output: color times the quad's coverage. Alpha:
// premultiplied.
#include "interpolation"
precision highp float;
#include "edges"

VARYING in vec4 fragmentColor;
ON_SCREEN in vec4 fragmentEdges;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor * edgeCoverage(onScreen(fragmentEdges));
}

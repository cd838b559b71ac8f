#version 300 es
// Inputs: color, texture coordinate, distances to the edges, source. Output: color times the
// source, times the quad's coverage. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "edges"
#include "source"
#include "tinted"

VARYING in vec2 fragmentTextureCoordinate;
ON_SCREEN in vec4 fragmentEdges;

layout(location = 0) out vec4 result;

void main() {
  result = tinted(sourceColor(fragmentTextureCoordinate))
    * edgeCoverage(onScreen(fragmentEdges));
}

#version 300 es
// Inputs: color, offset, distances to the edges, source. Output: color times the source at the same
// pixel, times the quad's coverage. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "group"
#include "edges"

uniform highp sampler2D source;

VARYING in vec4 fragmentColor;
CONSTANT in vec2 fragmentOffset;
ON_SCREEN in vec4 fragmentEdges;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor * texelAtFragment(source, fragmentOffset)
    * edgeCoverage(onScreen(fragmentEdges));
}

#version 300 es
// Inputs: color, shape, radii. Output: color inside the rounded rectangle. Alpha: premultiplied.
precision highp float;
#include "corners"
#include "coverage"

in vec4 fragmentColor;
in vec4 fragmentShape;
CONSTANT in vec4 fragmentRadii;

layout(location = 0) out vec4 result;

void main() {
  vec2 point = fragmentShape.xy;
  vec2 halfSize = fragmentShape.zw;
  vec2 dx = dFdx(point);
  vec2 dy = dFdy(point);
  float coverage = outlineCoverage(point, dx, dy, halfSize, fragmentRadii);
  result = fragmentColor * coverage;
}

#version 300 es
// Inputs: color, shape, radii, border width. Output: color between the outline and the one inset
// by the border. Alpha: premultiplied. UPRIGHT: as in rounded.
#include "interpolation"
precision highp float;
#include "corners"
#include "coverage"
#include "shape"

VARYING in vec4 fragmentColor;
CONSTANT in RADII fragmentRadii;
CONSTANT in float fragmentWidth;

layout(location = 0) out vec4 result;

void main() {
#ifdef UPRIGHT
  vec2 outward = abs(shapePoint()) - fragmentShape.zw;
  float coverage = coverageFromMiddles(outward, fragmentRadii);
  float inner = coverageFromMiddles(outward, fragmentRadii - fragmentWidth);
#else
  vec2 point = shapePoint();
  vec2 halfSize = fragmentShape.zw;
  float coverage = outlineCoverage(point, halfSize, fragmentRadii);
  vec2 innerHalf = halfSize - fragmentWidth;
  RADII innerRadii = max(fragmentRadii - fragmentWidth, 0.0);
  // A border that fills the layer has no inside: its inset outline would be inside out.
  float inner = min(innerHalf.x, innerHalf.y) > 0.0
    ? outlineCoverage(point, innerHalf, innerRadii) : 0.0;
#endif
  result = fragmentColor * coverage * (1.0 - inner);
}

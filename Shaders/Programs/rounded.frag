#version 300 es
// Inputs: color, shape, radii. Output: color inside the rounded rectangle. Alpha: premultiplied.
// UPRIGHT: the shape is the point from the middle of the outline to the target's origin, and half
// the outline's size less its radius.
#include "interpolation"
precision highp float;
#include "corners"
#include "coverage"
#include "shape"

VARYING in vec4 fragmentColor;
CONSTANT in RADII fragmentRadii;

layout(location = 0) out vec4 result;

void main() {
#ifdef UPRIGHT
  float coverage = coverageFromMiddles(abs(shapePoint()) - fragmentShape.zw, fragmentRadii);
#else
  float coverage = outlineCoverage(shapePoint(), fragmentShape.zw, fragmentRadii);
#endif
  result = fragmentColor * coverage;
}

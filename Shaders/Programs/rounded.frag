#version 300 es
// Inputs: color, shape, radii. Output: color inside the rounded rectangle. Alpha: premultiplied.
// UPRIGHT: the shape is the point from the middle of the outline to the target's origin, and half
// the outline's size less its radius. Mesa may flip gl_FragCoord.y, which takes time.
#include "interpolation"
precision highp float;
#include "corners"
#include "coverage"

VARYING in vec4 fragmentColor;
VARYING in vec4 fragmentShape;
CONSTANT in RADII fragmentRadii;
#ifdef UPRIGHT
VARYING in float fragmentRow;
#endif

layout(location = 0) out vec4 result;

void main() {
#ifdef UPRIGHT
  vec2 point = vec2(gl_FragCoord.x, floor(fragmentRow) + 0.5) + fragmentShape.xy;
  float coverage = coverageFromMiddles(abs(point) - fragmentShape.zw, fragmentRadii);
#else
  float coverage = outlineCoverage(fragmentShape.xy, fragmentShape.zw, fragmentRadii);
#endif
  result = fragmentColor * coverage;
}

#version 300 es
// Inputs: color, offset, shape, radii, source. Output: color times the source at the same pixel,
// inside the outline. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "group"
#include "corners"
#include "coverage"

uniform highp sampler2D source;

VARYING in vec4 fragmentColor;
CONSTANT in vec2 fragmentOffset;
VARYING in vec4 fragmentShape;
CONSTANT in RADII fragmentRadii;

layout(location = 0) out vec4 result;

void main() {
  float coverage = outlineCoverage(fragmentShape.xy, fragmentShape.zw, fragmentRadii);
  result = fragmentColor * texelAtFragment(source, fragmentOffset) * coverage;
}

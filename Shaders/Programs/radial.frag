#version 300 es
// Inputs: color, shape, radii, place, source. Output: color times the ramp at the length of place,
// or at its angle with CONIC, inside the outline. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "corners"
#include "coverage"

uniform highp sampler2D source;

VARYING in vec4 fragmentColor;
VARYING in vec4 fragmentShape;
CONSTANT in RADII fragmentRadii;
VARYING in vec4 fragmentPlace;

layout(location = 0) out vec4 result;

void main() {
  float coverage = outlineCoverage(fragmentShape.xy, fragmentShape.zw, fragmentRadii);
  vec2 place = fragmentPlace.xy;
#ifdef CONIC
  // The angle of a zero vector is undefined.
  float turns = place == vec2(0.0) ? 0.0 : atan(place.y, place.x) * 0.15915494;
  float location = turns < 0.0 ? turns + 1.0 : turns;
#else
  float location = length(place);
#endif
  vec2 ramp = vec2(location * fragmentPlace.z + fragmentPlace.w, 0.5);
  result = fragmentColor * texture(source, ramp) * coverage;
}

#version 300 es
// Inputs: color, shape, radii, texture coordinate, source. Output: color times the source inside
// the outline. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "corners"
#include "coverage"
#include "source"
#include "tinted"

VARYING in vec4 fragmentShape;
CONSTANT in RADII fragmentRadii;
VARYING in vec2 fragmentTextureCoordinate;

layout(location = 0) out vec4 result;

void main() {
  float coverage = outlineCoverage(fragmentShape.xy, fragmentShape.zw, fragmentRadii);
  result = tinted(sourceColor(fragmentTextureCoordinate)) * coverage;
}

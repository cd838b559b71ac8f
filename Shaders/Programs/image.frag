#version 300 es
// Inputs: color, texture coordinate, source. Output: color times the source. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "source"
#include "tinted"

VARYING in vec2 fragmentTextureCoordinate;

layout(location = 0) out vec4 result;

void main() {
  result = tinted(sourceColor(fragmentTextureCoordinate));
#ifdef CLAMPED
  result = clamp(result, 0.0, 1.0);
#endif
}

#version 300 es
// Inputs: color, texture coordinate, source. Output: color times the source (a coverage texture has
// its one channel in all four). Alpha: premultiplied.
// CLAMPED: in a form that llvmpipe draws by its general rasterizer only.
#include "interpolation"
precision highp float;
#include "source"

VARYING in vec4 fragmentColor;
VARYING in vec2 fragmentTextureCoordinate;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor * sourceColor(fragmentTextureCoordinate);
#ifdef CLAMPED
  result = clamp(result, 0.0, 1.0);
#endif
}

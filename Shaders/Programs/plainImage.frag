#version 300 es
// Inputs: texture coordinate, source. Output: the source itself. Alpha: premultiplied.
// CLAMPED: in a form that llvmpipe draws by its general rasterizer only.
#include "interpolation"
precision highp float;
#include "source"

VARYING in vec2 fragmentTextureCoordinate;

layout(location = 0) out vec4 result;

void main() {
  result = sourceColor(fragmentTextureCoordinate);
#ifdef CLAMPED
  result = clamp(result, 0.0, 1.0);
#endif
}

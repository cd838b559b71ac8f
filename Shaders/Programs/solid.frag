#version 300 es
// Inputs: color. Output: color. Alpha: premultiplied.
#include "interpolation"
precision highp float;

VARYING in vec4 fragmentColor;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor;
#ifdef CLAMPED
  result = clamp(result, 0.0, 1.0);
#endif
}

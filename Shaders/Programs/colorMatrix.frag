#version 300 es
// Inputs: offset, matrix, bias, source. Output: the source's straight colour through the matrix;
// transparent pixels stay transparent. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "group"

uniform highp sampler2D source;

CONSTANT in vec2 fragmentOffset;
CONSTANT in mat4 fragmentMatrix;
CONSTANT in vec4 fragmentBias;

layout(location = 0) out vec4 result;

void main() {
  vec4 texel = texelAtFragment(source, fragmentOffset);
  vec4 straight = vec4(texel.rgb / max(texel.a, 1e-5), texel.a);
  vec4 mapped = clamp(fragmentMatrix * straight + fragmentBias, 0.0, 1.0);
  mapped.a *= float(texel.a > 0.0);
  result = vec4(mapped.rgb * mapped.a, mapped.a);
}

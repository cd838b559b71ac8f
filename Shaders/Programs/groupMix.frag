#version 300 es
// Inputs: weights, offset, second offset, source, mask as a second source. Output: the sum of both
// sources at the same pixel, each times its weight. Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "group"

uniform highp sampler2D source;
uniform highp sampler2D mask;

VARYING in vec4 fragmentColor;
CONSTANT in vec2 fragmentOffset;
CONSTANT in vec2 fragmentMaskOffset;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor.x * texelAtFragment(source, fragmentOffset)
    + fragmentColor.y * texelAtFragment(mask, fragmentMaskOffset);
}

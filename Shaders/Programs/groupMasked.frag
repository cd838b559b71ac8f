#version 300 es
// Inputs: color, offset, mask offset, source, mask. Output: color times the source times the
// mask's alpha, both at the same pixel. Alpha: premultiplied.
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
  result = fragmentColor * texelAtFragment(source, fragmentOffset)
    * texelAtFragment(mask, fragmentMaskOffset).a;
}

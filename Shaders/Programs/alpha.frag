#version 300 es
// Inputs: color, offset, source. Output: color times the source's alpha at the same pixel. Alpha:
// premultiplied.
#include "interpolation"
precision highp float;
#include "group"

uniform highp sampler2D source;

VARYING in vec4 fragmentColor;
CONSTANT in vec2 fragmentOffset;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor * texelAtFragment(source, fragmentOffset).a;
}

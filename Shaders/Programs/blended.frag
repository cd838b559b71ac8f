#version 300 es
// Inputs: color, offset, mask offset, source, mask as the backdrop. Output: color times the source,
// over the backdrop as a macro says: W3C's "Compositing and Blending". Alpha: premultiplied.
#include "interpolation"
precision highp float;
#include "group"
#include "blendModes"

uniform highp sampler2D source;
uniform highp sampler2D mask;

VARYING in vec4 fragmentColor;
CONSTANT in vec2 fragmentOffset;
CONSTANT in vec2 fragmentMaskOffset;

layout(location = 0) out vec4 result;

void main() {
  vec4 over = fragmentColor * texelOrNone(source, fragmentOffset);
  vec4 under = texelOrNone(mask, fragmentMaskOffset);
#ifdef PORTER_DUFF
  vec3 factors = PORTER_DUFF;
  result = over * (factors.x + factors.y * under.a) + under * (factors.z * over.a);
#elif defined(PLUS_DARKER)
  float alpha = min(over.a + under.a, 1.0);
  result = vec4(max(alpha - (over.a - over.rgb) - (under.a - under.rgb), 0.0), alpha);
#else
  vec3 mixed = blend(under.rgb / max(under.a, 1e-5), over.rgb / max(over.a, 1e-5));
  result = over * (1.0 - under.a) + under * (1.0 - over.a)
    + over.a * under.a * vec4(mixed, 1.0);
#endif
}

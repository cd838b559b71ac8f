#version 300 es
// Inputs: color, texture coordinate in texels, source. Output: color times the source's alpha. Alpha:
// premultiplied.
//
// Filtered here and not by the device, whose 8 bits for it may round down: a shadow passes through
// several of these.
precision highp float;

uniform highp sampler2D source;

in vec4 fragmentColor;
in vec2 fragmentTextureCoordinate;

layout(location = 0) out vec4 result;

float alphaAt(ivec2 texel) {
  return texelFetch(source, clamp(texel, ivec2(0), textureSize(source, 0) - 1), 0).a;
}

void main() {
  vec2 place = fragmentTextureCoordinate - 0.5;
  ivec2 texel = ivec2(floor(place));
  vec2 part = place - floor(place);
  float low = mix(alphaAt(texel), alphaAt(texel + ivec2(1, 0)), part.x);
  float high = mix(alphaAt(texel + ivec2(0, 1)), alphaAt(texel + 1), part.x);
  result = fragmentColor * mix(low, high, part.y);
}

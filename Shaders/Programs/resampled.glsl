precision highp float;
precision highp int;

uniform highp sampler2D source;

CONSTANT in vec4 fragmentPlace;
CONSTANT in vec4 fragmentKernel;

layout(location = 0) out vec4 result;

ivec2 targetPixel() { return ivec2(gl_FragCoord.xy) + ivec2(fragmentPlace.xy); }

// Transparent outside the source or, if kernel.w is 1, the nearest texel inside.
vec4 texel(ivec2 pixel) {
  ivec2 place = pixel - ivec2(fragmentPlace.zw);
  ivec2 nearest = clamp(place, ivec2(0), textureSize(source, 0) - 1);
  return texelFetch(source, nearest, 0) * max(float(place == nearest), fragmentKernel.w);
}

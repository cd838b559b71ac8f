precision highp float;
precision highp int;

uniform highp sampler2D source;

CONSTANT in vec4 fragmentPlace;
CONSTANT in vec4 fragmentKernel;
CONSTANT in vec3 fragmentStep;  // from tap to tap, in pixels; the lift

layout(location = 0) out vec4 result;

ivec2 targetPixel() { return ivec2(gl_FragCoord.xy) + ivec2(fragmentPlace.xy); }

// With what is added before rounding.
vec4 lifted(vec4 color) { return color + fragmentStep.z / 255.0; }

// Transparent outside the source or, if kernel.w is 1, the nearest texel inside.
// ZERO_OUTSIDE: if the driver fetches zeros there.
vec4 texel(ivec2 pixel) {
  ivec2 place = pixel - ivec2(fragmentPlace.zw);
  ivec2 nearest = clamp(place, ivec2(0), textureSize(source, 0) - 1);
#ifdef ZERO_OUTSIDE
  return texelFetch(source, fragmentKernel.w > 0.0 ? nearest : place, 0);
#else
  return texelFetch(source, nearest, 0) * max(float(place == nearest), fragmentKernel.w);
#endif
}

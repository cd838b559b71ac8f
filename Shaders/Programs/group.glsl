// The source's texel at the fragment's own pixel plus offset, which must lie inside the source.
vec4 texelAtFragment(highp sampler2D source, vec2 offset) {
  return texelFetch(source, ivec2(gl_FragCoord.xy + offset), 0);
}

// The same; transparent outside the source.
vec4 texelOrNone(highp sampler2D source, vec2 offset) {
  ivec2 pixel = ivec2(floor(gl_FragCoord.xy + offset));
  ivec2 limit = textureSize(source, 0) - 1;
  ivec2 nearest = clamp(pixel, ivec2(0), limit);
  return texelFetch(source, nearest, 0) * float(pixel == nearest);
}

// The source is an image in a layer of an array texture, with pixels as large as the target's,
// shifted by 256ths. They are mixed as llvmpipe's linear rasterizer does: along rows, then along
// columns, each time rounded down. fragmentLayer: the image's last pixel, the layer's index.
uniform highp sampler2DArray source;

CONSTANT in vec3 fragmentLayer;

vec4 texel(int x, int y) { return texelFetch(source, ivec3(x, y, fragmentLayer.z + 0.5), 0); }

// A whole number may have come out as a little less.
vec4 down(vec4 number) { return floor(number + 0.002); }

vec4 row(ivec2 x, int y, float weight) {
  vec4 first = texel(x.x, y);
  return 255.0 * first + down((texel(x.y, y) - first) * (weight * 255.0));
}

// at: in pixels from the middle of the image's first one.
vec4 sourceColor(vec2 at) {
  vec2 pixel = floor(at);
  vec2 weight = floor((at - pixel) * 256.0) / 256.0;
  ivec2 first = max(ivec2(pixel), 0), last = min(ivec2(pixel + 1.0), ivec2(fragmentLayer));
  ivec2 x = ivec2(first.x, last.x);
  vec4 top = row(x, first.y, weight.x);
  return (top + down((row(x, last.y, weight.x) - top) * weight.y)) / 255.0;
}

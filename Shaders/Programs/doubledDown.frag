#version 300 es
// Inputs: place, kernel, source. Output: the source at twice its resolution, interpolated along
// rows and then along columns, each time rounded down to a 255th. Alpha: premultiplied.
// FOURFOLD: at four times its resolution.
#include "interpolation"
#include "resampled"

// From pixel to pixel there are so many bits of steps, of which the target's pixels are two apart.
#ifdef FOURFOLD
#define BITS 3
#else
#define BITS 2
#endif

vec4 between(vec4 first, vec4 second, float weight) {
  return floor(first + (second - first) * weight);
}

vec4 row(ivec2 p, float weight) {
  return between(
    round(255.0 * texel(p)), round(255.0 * texel(p + ivec2(1, 0))), weight);
}

void main() {
  ivec2 steps = 2 * targetPixel() + 1 - (1 << BITS) / 2;
  ivec2 first = steps >> BITS;
  vec2 weight = vec2(steps - (first << BITS)) / float(1 << BITS);
  result = between(row(first, weight.x), row(first + ivec2(0, 1), weight.x), weight.y) / 255.0;
}

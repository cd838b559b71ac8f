#version 300 es
// Inputs: place, kernel, source. Output: the source at twice its resolution, interpolated along
// rows and then along columns, each time rounded down to a 255th. Alpha: premultiplied.
#include "interpolation"
#include "resampled"

vec4 between(vec4 first, vec4 second, float weight) {
  return floor(first + (second - first) * weight);
}

vec4 row(ivec2 p, float weight) {
  return between(
    round(255.0 * texel(p)), round(255.0 * texel(p + ivec2(1, 0))), weight);
}

void main() {
  ivec2 pixel = targetPixel();
  ivec2 odd = pixel & 1;
  ivec2 first = (pixel >> 1) - 1 + odd;
  vec2 weight = 0.75 - 0.5 * vec2(odd);
  result = between(row(first, weight.x), row(first + ivec2(0, 1), weight.x), weight.y) / 255.0;
}

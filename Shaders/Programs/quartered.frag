#version 300 es
// Inputs: place, kernel, source. Output: the source at a quarter of its resolution, from six by six
// pixels weighted 1 3 4 4 3 1 in each direction. Alpha: premultiplied.
#include "interpolation"
#include "resampled"

vec4 row(ivec2 p) {
  return 0.0625 * (texel(p) + texel(p + ivec2(5, 0)))
    + 0.1875 * (texel(p + ivec2(1, 0)) + texel(p + ivec2(4, 0)))
    + 0.25 * (texel(p + ivec2(2, 0)) + texel(p + ivec2(3, 0)));
}

void main() {
  ivec2 p = 4 * targetPixel() - 1;
  result = 0.0625 * (row(p) + row(p + ivec2(0, 5)))
    + 0.1875 * (row(p + ivec2(0, 1)) + row(p + ivec2(0, 4)))
    + 0.25 * (row(p + ivec2(0, 2)) + row(p + ivec2(0, 3)));
}

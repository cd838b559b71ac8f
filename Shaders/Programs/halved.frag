#version 300 es
// Inputs: place, kernel, source. Output: the source at half its resolution, from four by four
// pixels weighted 1 3 3 1 in each direction. Alpha: premultiplied.
#include "interpolation"
#include "resampled"

vec4 row(ivec2 p) {
  return 0.125 * (texel(p) + texel(p + ivec2(3, 0)))
    + 0.375 * (texel(p + ivec2(1, 0)) + texel(p + ivec2(2, 0)));
}

void main() {
  ivec2 p = 2 * targetPixel() - 1;
  result = 0.125 * (row(p) + row(p + ivec2(0, 3)))
    + 0.375 * (row(p + ivec2(0, 1)) + row(p + ivec2(0, 2)));
}

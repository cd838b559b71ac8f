#version 300 es
// Inputs: place, kernel, source. Output: the source at half its resolution, from four by four
// pixels weighted 1 3 3 1 in each direction. Alpha: premultiplied.
// QUARTERED: at a quarter of it, from six by six weighted 1 3 4 4 3 1.
#include "interpolation"
#include "resampled"

#ifdef QUARTERED
#define FACTOR 4
#define MIXED(at) 0.0625 * (at(0) + at(5)) + 0.1875 * (at(1) + at(4)) + 0.25 * (at(2) + at(3))
#else
#define FACTOR 2
#define MIXED(at) 0.125 * (at(0) + at(3)) + 0.375 * (at(1) + at(2))
#endif

vec4 row(ivec2 p) {
#define COLUMN(x) texel(p + ivec2(x, 0))
  return MIXED(COLUMN);
}

void main() {
  ivec2 p = FACTOR * targetPixel() - 1;
#define ROW(y) row(p + ivec2(0, y))
  result = MIXED(ROW);
}

#version 300 es
// Inputs: place, kernel, lift, source. Output: the source at twice its resolution, interpolated
// linearly. Alpha: premultiplied.
#include "interpolation"
#include "resampled"

void main() {
  ivec2 pixel = targetPixel();
  ivec2 near = pixel >> 1;
  ivec2 far = near + (pixel & 1) * 2 - 1;
  result = lifted(
    0.5625 * texel(near) + 0.0625 * texel(far)
    + 0.1875 * (texel(ivec2(near.x, far.y)) + texel(ivec2(far.x, near.y))));
}

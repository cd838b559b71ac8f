#version 300 es
// Inputs: place, kernel (sigma, radius, 1 for along y), source. Output: the source under a Gaussian
// along one axis. Alpha: premultiplied.
#include "resampled"

void main() {
  ivec2 center = targetPixel();
  ivec2 along = fragmentKernel.z > 0.5 ? ivec2(0, 1) : ivec2(1, 0);
  // A weight, its ratio to the one before, and that ratio's own, which is constant.
  float first = exp(-0.5 / (fragmentKernel.x * fragmentKernel.x));
  vec3 weight = vec3(1.0, first, first * first);
  vec4 sum = texel(center);
  float total = 1.0;
  int radius = int(fragmentKernel.y);
  for (int i = 1; i <= radius; i++) {
    weight.xy *= weight.yz;
    sum += weight.x * (texel(center + i * along) + texel(center - i * along));
    total += 2.0 * weight.x;
  }
  result = sum / total;
}

#version 300 es
// Inputs: place, kernel (sigma in taps, centre's offset, taps on either side), step, source.
// Output: the source blurred by a Gaussian along a line. Alpha: premultiplied.
#include "interpolation"
#include "resampled"

CONSTANT in vec2 fragmentStep;  // from tap to tap, in pixels

// Samples between pixels. Fades out at the edge of the source, unless kernel.w is 1.
vec4 tap(vec2 point) {
  vec2 size = vec2(textureSize(source, 0));
  vec2 inside = clamp(min(point, size - point) + 0.5, 0.0, 1.0);
  return texture(source, point / size) * max(inside.x * inside.y, fragmentKernel.w);
}

void main() {
  vec2 middle = vec2(targetPixel() - ivec2(fragmentPlace.zw)) + 0.5;
  // From tap to tap, a weight changes by a factor that itself changes by a constant factor.
  float scale = -0.5 / (fragmentKernel.x * fragmentKernel.x);
  float center = fragmentKernel.y;
  float change = exp(2.0 * scale);
  vec2 growth = exp(scale * vec2(1.0 - 2.0 * center, 1.0 + 2.0 * center));
  vec2 weight = vec2(exp(scale * center * center));
  vec4 sum = weight.x * tap(middle);
  float total = weight.x;
  int taps = int(fragmentKernel.z);
  for (int i = 1; i <= taps; i++) {
    weight *= growth;
    growth *= change;
    vec2 offset = float(i) * fragmentStep;
    sum += weight.x * tap(middle + offset) + weight.y * tap(middle - offset);
    total += weight.x + weight.y;
  }
  result = sum / total;
}

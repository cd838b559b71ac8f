#version 300 es
// Inputs: place, kernel (sigma in taps, centre's offset, taps on either side), step, lift, source.
// Output: the source blurred by a Gaussian along a line. Alpha: premultiplied.
// TAPS: their number, if all are pixels. llvmpipe takes a third of the time without a loop.
#include "interpolation"
#include "resampled"

#ifdef TAPS
vec4 tap(ivec2 pixel) { return texel(pixel); }
#define PLACE ivec2
#else
#define TAPS int(fragmentKernel.z)
#define PLACE vec2
// Samples between pixels. Fades out at the edge of the source, unless kernel.w is 1.
vec4 tap(vec2 pixel) {
  vec2 point = pixel - fragmentPlace.zw + 0.5;
  vec2 size = vec2(textureSize(source, 0));
  vec2 inside = clamp(min(point, size - point) + 0.5, 0.0, 1.0);
  return texture(source, point / size) * max(inside.x * inside.y, fragmentKernel.w);
}
#endif

void main() {
  PLACE middle = PLACE(targetPixel());
  // From tap to tap, a weight changes by a factor that itself changes by a constant factor.
  float scale = -0.5 / (fragmentKernel.x * fragmentKernel.x);
  float center = fragmentKernel.y;
  float change = exp(2.0 * scale);
  vec2 growth = exp(scale * vec2(1.0 - 2.0 * center, 1.0 + 2.0 * center));
  vec2 weight = vec2(exp(scale * center * center));
  vec4 sum = weight.x * tap(middle);
  float total = weight.x;
  for (int i = 1; i <= TAPS; i++) {
    weight *= growth;
    growth *= change;
    PLACE offset = PLACE(i) * PLACE(fragmentStep.xy);
    sum += weight.x * tap(middle + offset) + weight.y * tap(middle - offset);
    total += weight.x + weight.y;
  }
  result = lifted(sum / total);
}

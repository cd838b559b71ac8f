#version 300 es
// Inputs: texture coordinate, tap, kernel, source. Output: the source's alpha in every channel, under
// a Gaussian along a line. Alpha: premultiplied white.
precision highp float;

uniform highp sampler2D source;

in vec2 fragmentTextureCoordinate;
flat in vec2 fragmentTap;
flat in vec3 fragmentKernel;

layout(location = 0) out vec4 result;

void main() {
  // From tap to tap a Gaussian's value grows by a factor that itself does so by one factor.
  float scale = -0.5 / (fragmentKernel.x * fragmentKernel.x);
  float center = fragmentKernel.y;
  float change = exp(2.0 * scale);
  vec2 growth = exp(scale * vec2(1.0 - 2.0 * center, 1.0 + 2.0 * center));
  vec2 weight = vec2(exp(scale * center * center));
  float sum = weight.x * texture(source, fragmentTextureCoordinate).a;
  float total = weight.x;
  int taps = int(fragmentKernel.z);
  for (int i = 1; i <= taps; i++) {
    weight *= growth;
    growth *= change;
    vec2 tap = float(i) * fragmentTap;
    sum += weight.x * texture(source, fragmentTextureCoordinate + tap).a
      + weight.y * texture(source, fragmentTextureCoordinate - tap).a;
    total += weight.x + weight.y;
  }
  result = vec4(sum / total);
}

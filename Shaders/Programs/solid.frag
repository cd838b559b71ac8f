#version 300 es
// Inputs: color. Output: color. Alpha: premultiplied.
// GENERAL: in a form that llvmpipe draws by its general rasterizer only; for 8-bit targets.
precision highp float;

in vec4 fragmentColor;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor;
#ifdef GENERAL
  result = clamp(result, 0.0, 1.0);
#endif
}

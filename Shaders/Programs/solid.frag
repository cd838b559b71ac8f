#version 300 es
// Inputs: color. Output: color. Alpha: premultiplied.
precision highp float;

in vec4 fragmentColor;

layout(location = 0) out vec4 result;

void main() {
  result = fragmentColor;
}

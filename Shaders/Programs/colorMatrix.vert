#version 300 es
// Inputs: position, offset, the matrix's columns, bias. Output: the same as varyings.
#include "interpolation"
#include "position"

layout(location = 1) in vec2 offset;
layout(location = 2) in mat4 matrix;
layout(location = 6) in vec4 bias;

CONSTANT out vec2 fragmentOffset;
CONSTANT out mat4 fragmentMatrix;
CONSTANT out vec4 fragmentBias;

void main() {
  fragmentOffset = offset;
  fragmentMatrix = matrix;
  fragmentBias = bias;
  gl_Position = clipPosition();
}

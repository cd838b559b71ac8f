#version 300 es
// Inputs: position, place, kernel, step and lift. Output: the same as varyings.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 place;  // where target and source start, in their own pixels
layout(location = 2) in vec4 kernel;
layout(location = 3) in vec3 tap;

CONSTANT out vec4 fragmentPlace;
CONSTANT out vec4 fragmentKernel;
CONSTANT out vec3 fragmentStep;

void main() {
  fragmentPlace = place;
  fragmentKernel = kernel;
  fragmentStep = tap;
  gl_Position = clipPosition();
}

#version 300 es
// Inputs: position, place, kernel. Output: the same as varyings. Alpha: premultiplied.
#include "position"

layout(location = 1) in vec4 place;  // where target and source start, in their own pixels
layout(location = 2) in vec4 kernel;

flat out vec4 fragmentPlace;
flat out vec4 fragmentKernel;

void main() {
  fragmentPlace = place;
  fragmentKernel = kernel;
  gl_Position = clipPosition();
}

#version 300 es
// Inputs: position, texture coordinate, from tap to tap in texture coordinates, kernel. Output: the
// same as varyings. Alpha: premultiplied.
#include "position"

layout(location = 1) in vec2 textureCoordinate;
layout(location = 2) in vec2 tap;
layout(location = 3) in vec3 kernel;  // sigma in taps, where the middle lies, taps on either side

out vec2 fragmentTextureCoordinate;
flat out vec2 fragmentTap;
flat out vec3 fragmentKernel;

void main() {
  fragmentTextureCoordinate = textureCoordinate;
  fragmentTap = tap;
  fragmentKernel = kernel;
  gl_Position = clipPosition();
}

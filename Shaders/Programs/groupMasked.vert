#version 300 es
// Inputs: position, color, offsets to the source's and the mask's pixels. Output: the same as
// varyings. Alpha: premultiplied.
#include "interpolation"
#include "position"

layout(location = 1) in vec4 color;
layout(location = 2) in vec2 offset;
layout(location = 3) in vec2 maskOffset;

VARYING out vec4 fragmentColor;
CONSTANT out vec2 fragmentOffset;
CONSTANT out vec2 fragmentMaskOffset;

void main() {
  fragmentColor = color;
  fragmentOffset = offset;
  fragmentMaskOffset = maskOffset;
  gl_Position = clipPosition();
}

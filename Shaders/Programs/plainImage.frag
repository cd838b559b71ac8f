#version 300 es
// Inputs: texture coordinate, source. Output: the source itself. Alpha: premultiplied.
precision highp float;

uniform highp sampler2D source;

in vec2 fragmentTextureCoordinate;

layout(location = 0) out vec4 result;

void main() {
  result = texture(source, fragmentTextureCoordinate);
}

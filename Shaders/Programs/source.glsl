// A source of one size.
uniform highp sampler2D source;

vec4 sourceColor(vec2 textureCoordinate) {
  return texture(source, textureCoordinate);
}

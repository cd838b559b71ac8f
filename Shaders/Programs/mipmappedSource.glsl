// A source with smaller copies, each half as large as the one before it. The bias is added to the
// number of the copy that fits the size it is drawn at.
uniform highp sampler2D source;
uniform float levelBias;

vec4 sourceColor(vec2 textureCoordinate) {
  return texture(source, textureCoordinate, levelBias);
}

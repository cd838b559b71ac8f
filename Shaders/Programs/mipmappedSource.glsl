// The source is a chain of copies, each half as large as the last; the bias counts copies.
uniform highp sampler2D source;
uniform float levelBias;

vec4 sourceColor(vec2 at) { return texture(source, at, levelBias); }

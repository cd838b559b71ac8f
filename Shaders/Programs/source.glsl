uniform highp sampler2D source;

vec4 sourceColor(vec2 at) { return texture(source, at); }

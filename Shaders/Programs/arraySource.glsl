// The source is an image in a layer of an array texture, and is sampled within its own pixels.
// fragmentLayer: the middle of the image's last pixel in texture coordinates, the layer's index.
// FILLED: the image fills the layer, within which the sampler keeps; it is the index alone.
uniform highp sampler2DArray source;

#ifdef FILLED
CONSTANT in float fragmentLayer;

vec4 sourceColor(vec2 at) { return texture(source, vec3(at, fragmentLayer)); }
#else
CONSTANT in vec3 fragmentLayer;

vec4 sourceColor(vec2 at) {
  return texture(source, vec3(min(at, fragmentLayer.xy), fragmentLayer.z));
}
#endif

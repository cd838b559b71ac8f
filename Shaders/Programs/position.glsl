// Converts a vertex in device pixels times w to a clip position. Pixel row 0 maps to NDC -1, the
// first row of the target's memory, so that frames are read without flipping.
uniform vec2 pixelsToClip;  // 2 / the target's size

layout(location = 0) in vec3 position;  // x * w, y * w, w
#ifdef UPRIGHT
VARYING out float fragmentRow;
#endif

vec4 clipPosition() {
#ifdef UPRIGHT
  fragmentRow = position.y;
#endif
  return vec4(position.xy * pixelsToClip - position.z, 0.0, position.z);
}

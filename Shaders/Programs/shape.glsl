// The pixel's place from the middle of the outline.
// UPRIGHT: in pixels. Mesa may flip gl_FragCoord.y, which takes time.
VARYING in vec4 fragmentShape;
#ifdef UPRIGHT
VARYING in float fragmentRow;

vec2 shapePoint() {
  return vec2(gl_FragCoord.x, floor(fragmentRow) + 0.5) + fragmentShape.xy;
}
#else
vec2 shapePoint() {
  return fragmentShape.xy;
}
#endif

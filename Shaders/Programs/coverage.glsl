// The part of a pixel inside the outline.
// EVEN: all is in pixels, and the corners are alike.
#ifdef EVEN
float outlineCoverage(vec2 point, vec2 halfSize, float radius) {
  return clamp(0.5 - evenDistance(point, halfSize, radius), 0.0, 1.0);
}
#else
// The distance divided by its gradient on the screen.
float outlineCoverage(vec2 point, vec2 halfSize, vec4 radii) {
  vec3 outline = outlineDistance(point, halfSize, radii);
  vec2 dx = dFdx(point);
  vec2 dy = dFdy(point);
  float gradient = length(vec2(dot(outline.yz, dx), dot(outline.yz, dy)));
  return clamp(0.5 - outline.x / max(gradient, 1e-6), 0.0, 1.0);
}
#endif

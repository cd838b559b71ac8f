// The part of a pixel inside the outline: the distance divided by its gradient on the screen. dx
// and dy: the point's change from one pixel to the next.
float outlineCoverage(vec2 point, vec2 dx, vec2 dy, vec2 halfSize, vec4 radii) {
  vec3 outline = outlineDistance(point, halfSize, radii);
  float gradient = length(vec2(dot(outline.yz, dx), dot(outline.yz, dy)));
  return clamp(0.5 - outline.x / max(gradient, 1e-6), 0.0, 1.0);
}

// The outline with continuous corners, in the layer's own units around its centre, y down.

// The curve's distance from the edge at a distance `along` it from the corner, both in radii, then
// how fast that shrinks along the edge. Valid up to the diagonal, past which the other edge is
// nearer. Two polynomials, within 5e-5 of CornerOutline's curves, with a line between them.
vec2 cornerInset(float along) {
  float a = clamp(1.52866483 - along, 0.0, 0.85873056);
  float line = clamp(0.66993427 - along, 0.0, 0.03844028);
  float b = clamp(0.63149399 - along, 0.0, 0.33998727);
  float beyond = max(0.29150672 - along, 0.0);
  float inset = a * a * a * (0.032352 + a * (-0.002006 + a * 0.098833)) + 0.244925 * line
    + b * (0.362469 + b * (0.683879 + b * (-0.012144 + b * 1.105398))) + beyond;
  float slopeA = a * a * (0.097056 + a * (-0.008024 + a * 0.494165));
  float slopeB = 0.362469 + b * (1.367758 + b * (-0.036432 + b * 4.421592));
  float curved = along > 0.29150672 ? slopeB : 1.0;
  float flatter = along > 0.63149399 ? 0.244925 : curved;
  return vec2(inset, along > 0.66993427 ? slopeA : flatter);
}

// A point's distance to the outline along the nearer edge's normal (negative inside), then its
// gradient. radii: minX minY, maxX minY, maxX maxY, minX maxY.
vec3 outlineDistance(vec2 point, vec2 halfSize, vec4 radii) {
  vec2 pair = point.x < 0.0 ? radii.xw : radii.yz;
  float radius = max(point.y < 0.0 ? pair.x : pair.y, 1e-6);
  vec2 side = vec2(point.x < 0.0 ? -1.0 : 1.0, point.y < 0.0 ? -1.0 : 1.0);
  vec2 inward = halfSize - abs(point);
  bool nearX = inward.x < inward.y;
  vec2 inset = cornerInset((nearX ? inward.y : inward.x) / radius);
  vec2 direction = nearX ? vec2(1.0, inset.y) : vec2(inset.y, 1.0);
  return vec3(inset.x * radius - (nearX ? inward.x : inward.y), direction * side);
}

// The distance, divided by the length of its gradient, from an outline whose corners are alike.
float evenDistance(vec2 point, vec2 halfSize, float radius) {
  vec3 outline = outlineDistance(point, halfSize, vec4(radius));
  return outline.x / length(outline.yz);
}

// The part of a pixel inside an outline whose corners are alike, by the pixel's place outward from
// the nearest point that lies a radius inward of both sides.
float coverageFromMiddles(vec2 outward, float radius) {
  return clamp(0.5 - evenDistance(vec2(0.0), radius - outward, radius), 0.0, 1.0);
}

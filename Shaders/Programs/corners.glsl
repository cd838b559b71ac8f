// The rounded rectangle's outline, in the layer's own units around its centre, y down.

// A point's signed distance to the outline (negative inside), then the direction in which it grows.
// radii: minX minY, maxX minY, maxX maxY, minX maxY.
vec3 outlineDistance(vec2 point, vec2 halfSize, vec4 radii) {
  vec2 pair = point.x < 0.0 ? radii.xw : radii.yz;
  float radius = point.y < 0.0 ? pair.x : pair.y;
  vec2 side = vec2(point.x < 0.0 ? -1.0 : 1.0, point.y < 0.0 ? -1.0 : 1.0);
  vec2 q = abs(point) - halfSize + radius;
  vec2 outward = max(q, 0.0);
  float reach = length(outward);
  vec2 nearestEdge = q.x > q.y ? vec2(1.0, 0.0) : vec2(0.0, 1.0);
  vec2 direction = reach > 0.0 ? outward / reach : nearestEdge;
  return vec3(min(max(q.x, q.y), 0.0) + reach - radius, direction * side);
}

// The part of a pixel inside an outline whose corners are alike, by the pixel's place outward from
// the middle of the nearest corner. The radius is half a pixel or more, so that what is inward of
// the corners is covered.
float coverageFromMiddles(vec2 outward, float radius) {
  return clamp(radius + 0.5 - length(max(outward, 0.0)), 0.0, 1.0);
}

// The distance alone, of an outline whose corners are alike.
float evenDistance(vec2 point, vec2 halfSize, float radius) {
  vec2 q = abs(point) - halfSize + radius;
  return min(max(q.x, q.y), 0.0) + length(max(q, 0.0)) - radius;
}

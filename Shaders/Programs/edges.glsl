// The part of a pixel between a quad's edges, from its centre's signed distances to them (left,
// right, top, bottom; positive inside), in pixels. A span thinner than a pixel covers its own
// width, not one minus two halves.
float edgeCoverage(vec4 distances) {
  vec4 inside = min(distances, 0.5);
  vec2 span = max(inside.xz + inside.yw, 0.0);
  return span.x * span.y;
}

#version 300 es
// Inputs: color, shape, radii, sigma. Output: color times the rounded rectangle blurred by a
// Gaussian, in the layer's own units. Alpha: premultiplied.
//
// The rectangle is cut into strips across y. Along x, a strip's blur is exact: a difference of two
// error functions. Along y, a strip's weight is the Gaussian's integral over it. The only
// approximation is that a strip's ends are straight even at round corners.
//
// Of a rectangle that is large beside the Gaussian, each part sees less, at a fraction of the cost:
// STRAIGHT sees an edge, or two that meet in a square corner; CORNER sees one round corner, the one
// that has a radius, whose rows alone are cut into strips.
precision highp float;

in vec4 fragmentColor;
in vec4 fragmentShape;
CONSTANT in vec4 fragmentRadii;
CONSTANT in float fragmentWidth;  // sigma

layout(location = 0) out vec4 result;

#ifdef CORNER
const int strips = 4;
#else
const int strips = 12;
#endif

// The error function, to 5e-4 (Abramowitz and Stegun 7.1.27).
vec2 erf(vec2 x) {
  vec2 a = abs(x);
  vec2 d = 1.0 + (0.278393 + (0.230389 + (0.000972 + 0.078108 * a) * a) * a) * a;
  d *= d;
  return sign(x) * (1.0 - 1.0 / (d * d));
}

// How far the left and right corners move the outline inward; `over` is y above their centres.
vec2 inset(vec2 radius, float y, float halfHeight) {
  vec2 over = clamp(abs(y) - (halfHeight - radius), vec2(0.0), radius);
  return radius - sqrt(max(radius * radius - over * over, 0.0));
}

#if defined(STRAIGHT)
float coverageAt(vec2 point, vec2 halfSize, float scale) {
  vec2 inside = 0.5 + 0.5 * erf((halfSize - abs(point)) * scale);
  return inside.x * inside.y;
}
#elif defined(CORNER)
float coverageAt(vec2 point, vec2 halfSize, float scale) {
  // Mirrored, so that the corner is the one of the least x and y.
  vec4 radii = fragmentRadii;
  float radius = max(max(radii.x, radii.y), max(radii.z, radii.w));
  point *= vec2(radii.x + radii.w > 0.0 ? 1.0 : -1.0, radii.x + radii.y > 0.0 ? 1.0 : -1.0);
  float low = max(point.y - 4.0 * fragmentWidth, -halfSize.y);
  float high = max(radius - halfSize.y, low);
  float height = (high - low) / float(strips);
  float below = erf(vec2((low - point.y) * scale)).x;
  float coverage = 0.0;
  for (int i = 0; i < strips; i++) {
    float top = low + height * float(i + 1);
    float end = inset(vec2(radius), top - 0.5 * height, halfSize.y).x - halfSize.x;
    vec2 error = erf(vec2(top - point.y, end - point.x) * scale);
    coverage += 0.25 * (error.x - below) * (1.0 - error.y);
    below = error.x;
  }
  float across = 1.0 - erf(vec2((-halfSize.x - point.x) * scale)).x;
  return coverage + 0.25 * (1.0 - below) * across;
}
#else
float coverageAt(vec2 point, vec2 halfSize, float scale) {
  // Three sigmas hold all but 1/370 of the Gaussian; past four nothing shows.
  float low = max(point.y - 4.0 * fragmentWidth, -halfSize.y);
  float high = min(point.y + 4.0 * fragmentWidth, halfSize.y);
  float height = max(high - low, 0.0) / float(strips);
  float coverage = 0.0;
  float below = erf(vec2((low - point.y) * scale)).x;
  for (int i = 0; i < strips; i++) {
    float top = low + height * float(i + 1);
    float above = erf(vec2((top - point.y) * scale)).x;
    float y = top - 0.5 * height;
    vec2 radius = y < 0.0 ? fragmentRadii.xy : fragmentRadii.wz;
    vec2 ends = vec2(-halfSize.x, halfSize.x) + vec2(1.0, -1.0) * inset(radius, y, halfSize.y);
    vec2 across = erf((ends - point.x) * scale);
    coverage += 0.25 * (above - below) * (across.y - across.x);
    below = above;
  }
  return coverage;
}
#endif

void main() {
  float scale = 0.70710678 / fragmentWidth;
  result = fragmentColor * coverageAt(fragmentShape.xy, fragmentShape.zw, scale);
}

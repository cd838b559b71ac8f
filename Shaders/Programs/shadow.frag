#version 300 es
// Inputs: color, shape, radii, sigma. Output: color times the rounded rectangle blurred by a
// Gaussian, in the layer's own units. Alpha: premultiplied.
//
// Without round corners, that is a product: of the blur along x and the one along y, each a
// difference of two error functions. What round corners lack comes off it: the integral, along a
// corner's curve, of the Gaussian of the curve's y times the blur along x of what is missing there.
// It is a sum over a few points of the curve (Gauss-Legendre quadrature), to a fifth of a 255th.
//
// What is simpler costs less. ALIKE has four corners that are alike. So has TIGHT, with radii of at
// most 2.25 sigmas, for which four points do. RECTANGLE has none that is round. Of a rectangle that
// is large beside the Gaussian, STRAIGHT sees an edge, or two that meet in a square corner; CORNER
// sees one round corner, the one that has a radius, as small as in TIGHT.
#include "interpolation"
precision highp float;

VARYING in vec4 fragmentColor;
VARYING in vec4 fragmentShape;
CONSTANT in vec4 fragmentRadii;
CONSTANT in float fragmentWidth;  // sigma

layout(location = 0) out vec4 result;

#ifdef TIGHT
#define ALIKE
#endif

#if defined(TIGHT) || defined(CORNER)
// Points of the quadrature, and weights.
const vec4 points = vec4(0.06943184, 0.33000948, 0.66999052, 0.93056816);
const vec4 weights = vec4(0.17392742, 0.32607258, 0.32607258, 0.17392742);
#else
// The points of the quadrature from one end to the middle, which the others mirror, and their
// weights.
const vec4 points = vec4(0.01985507, 0.10166676, 0.23723380, 0.40828268);
const vec4 weights = vec4(0.05061427, 0.11119052, 0.15685332, 0.18134189);
#endif

// The error function, to 5e-4 (Abramowitz and Stegun 7.1.27).
vec4 erf(vec4 x) {
  vec4 a = abs(x);
  vec4 d = 1.0 + (0.278393 + (0.230389 + (0.000972 + 0.078108 * a) * a) * a) * a;
  d *= d;
  return sign(x) * (1.0 - 1.0 / (d * d));
}

// The Gaussian whose sigma is the square root of a half, 1 at 0.
vec4 bell(vec4 x) { return exp2(-1.44269504 * x * x); }

// Along a corner's curve goes the tangent of half the angle, from 0 at the edge of least y to 1 at
// the one of least x. These are the tangents at some distances from the edge of least y.
vec4 tangents(vec4 distances, float radius) {
  vec4 part = clamp(distances / radius, 0.0, 1.0);
  return sqrt(part / (2.0 - part));
}

// What four points of the quadrature add. `edges` are the error functions of the distances `from`
// the edges that meet in the corner and from the opposite ones, inward.
float sumAt(vec4 tangent, vec4 from, vec4 edges, float radius, float scale) {
  vec4 d = 1.0 / (1.0 + tangent * tangent);
  vec4 sine = 2.0 * tangent * d;
  vec4 x = radius - radius * sine;
  vec4 y = radius * sine * tangent;
  vec4 across = erf((x - from.x) * scale) + edges.x;
  vec4 down = bell((y - from.y) * scale);
#ifdef ALIKE
  across += erf((x - from.z) * scale) + edges.z;
  down += bell((y - from.w) * scale);
#endif
  return dot(weights * d * sine, across * down);
}

// What a corner lacks for being round; if they are alike, what all four do, from a point that is
// nearest to this one.
float missing(float radius, vec4 from, vec4 edges, float scale) {
#if defined(TIGHT) || defined(CORNER)
  return 0.56418958 * scale * radius * sumAt(points, from, edges, radius, scale);
#else
  // Three and a half sigmas hold all but 1/2000 of the Gaussian. Where the curve is farther than
  // that from the edge along x, all of the Gaussian is missing.
  float reach = 3.5 * fragmentWidth;
  vec4 ends = tangents(vec2(-reach, reach).xyxy + from.xxyy, radius);
  ends.xy = (1.0 - ends.xy) / (1.0 + ends.xy);
  float first = max(ends.z, ends.y);
  float length = max(min(ends.w, ends.x), first) - first;
  float beyond = 2.0 * radius * ends.y * ends.y / (1.0 + ends.y * ends.y);
  vec4 hidden = erf((beyond - from.ywyw) * scale);
  float sum = hidden.x + edges.y;
#ifdef ALIKE
  sum += hidden.y + edges.w;
#endif
  sum *= 0.25 * (1.0 + edges.x);
  vec4 reached = length * points;
  float along = sumAt(first + reached, from, edges, radius, scale)
      + sumAt(first + length - reached, from, edges, radius, scale);
  return sum + 0.56418958 * scale * radius * length * along;
#endif
}

#if defined(STRAIGHT)
float coverageAt(vec2 point, vec2 halfSize, float scale) {
  vec4 inside = 0.5 + 0.5 * erf((halfSize - abs(point)).xyxy * scale);
  return inside.x * inside.y;
}
#elif defined(CORNER)
float coverageAt(vec2 point, vec2 halfSize, float scale) {
  // Mirrored, so that the corner is the one of the least x and y.
  vec4 radii = fragmentRadii;
  float radius = max(max(radii.x, radii.y), max(radii.z, radii.w));
  vec4 from =
      (halfSize
       + point * vec2(radii.x + radii.w > 0.0 ? 1.0 : -1.0, radii.x + radii.y > 0.0 ? 1.0 : -1.0))
          .xyxy;
  vec4 edges = erf(from * scale);
  return 0.25 * (1.0 + edges.x) * (1.0 + edges.y) - missing(radius, from, edges, scale);
}
#else
float coverageAt(vec2 point, vec2 halfSize, float scale) {
#ifdef ALIKE
  point = -abs(point);
#endif
  vec4 from = vec4(halfSize + point, halfSize - point);
  vec4 edges = erf(from * scale);
  float coverage = 0.25 * (edges.x + edges.z) * (edges.y + edges.w);
#ifndef RECTANGLE
  // The radius of a square corner has no effect if it is small.
  vec4 radii = max(fragmentRadii, 1e-3 * fragmentWidth);
  coverage -= missing(radii.x, from, edges, scale);
#ifndef ALIKE
  coverage -= missing(radii.y, from.zyxw, edges.zyxw, scale)
      + missing(radii.z, from.zwxy, edges.zwxy, scale)
      + missing(radii.w, from.xwzy, edges.xwzy, scale);
#endif
#endif
  return coverage;
}
#endif

void main() {
  float scale = 0.70710678 / fragmentWidth;
  result = fragmentColor * coverageAt(fragmentShape.xy, fragmentShape.zw, scale);
}

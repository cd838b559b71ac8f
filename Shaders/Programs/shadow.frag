#version 300 es
// Inputs: color, shape, radii. Output: color times the rounded rectangle blurred by a Gaussian, of
// which sigma is the square root of a half. Alpha: premultiplied.
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
#include "shape"

VARYING in vec4 fragmentColor;
CONSTANT in vec4 fragmentRadii;
#ifdef UPRIGHT
CONSTANT in float fragmentWidth;
#else
const float fragmentWidth = 1.0;
#endif

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

// A polynomial: no division, and few steps that wait for each other. Those below deviate least.
vec4 polynomial(vec4 a, vec2 b, vec4 x) {
  vec4 y = x * x;
  return a.x + a.y * x + (a.z + a.w * x) * y + (b.x + b.y * x) * (y * y);
}

// The error function, to 5e-4; 1 from 2.5 on.
vec4 erf(vec4 x) {
  x = clamp(x, -2.5, 2.5);
  return x * polynomial(
    vec4(1.12607314, -0.364908276, 0.0968736242, -0.0165659185),
    vec2(0.00159190126, -0.0000643990531), x * x);
}

// The Gaussian, 1 at 0, to 1e-4.
vec4 bell(vec4 x) {
  vec4 y = polynomial(
    vec4(0.999993746, -0.124913315, 0.00766122271, -0.000253412631), vec2(0), min(x * x, 9.0));
  y *= y;
  y *= y;
  return y * y;
}

// Along a corner's curve goes the tangent of half the angle, from 0 at the edge of least y to 1 at
// the one of least x. These are the tangents at some distances from the edge of least y.
vec4 tangents(vec4 distances, float radius) {
  vec4 part = clamp(distances / radius, 0.0, 1.0);
  return sqrt(part / (2.0 - part));
}

// What four points of the quadrature add. `edges` are the error functions of the distances `from`
// the edges that meet in the corner and from the opposite ones, inward.
float sumAt(vec4 tangent, vec4 from, vec4 edges, float radius) {
  vec4 d = 1.0 / (1.0 + tangent * tangent);
  vec4 sine = 2.0 * tangent * d;
  vec4 x = radius - radius * sine;
  vec4 y = radius * sine * tangent;
  vec4 across = erf(x - from.x) + edges.x;
  vec4 down = bell(y - from.y);
#ifdef ALIKE
  across += erf(x - from.z) + edges.z;
  down += bell(y - from.w);
#endif
  return dot(weights * d * sine, across * down);
}

// What a corner lacks for being round; if they are alike, what all four do, from a point that is
// nearest to this one.
float missing(float radius, vec4 from, vec4 edges) {
#if defined(TIGHT) || defined(CORNER)
  return 0.56418958 * radius * sumAt(points, from, edges, radius);
#else
  // Three and a half sigmas hold all but 1/2000 of the Gaussian. Where the curve is farther than
  // that from the edge along x, all of the Gaussian is missing.
  float reach = 2.47487373;
  vec4 ends = tangents(vec2(-reach, reach).xyxy + from.xxyy, radius);
  ends.xy = (1.0 - ends.xy) / (1.0 + ends.xy);
  float first = max(ends.z, ends.y);
  float length = max(min(ends.w, ends.x), first) - first;
  float beyond = 2.0 * radius * ends.y * ends.y / (1.0 + ends.y * ends.y);
  vec4 hidden = erf(beyond - from.ywyw);
  float sum = hidden.x + edges.y;
#ifdef ALIKE
  sum += hidden.y + edges.w;
#endif
  sum *= 0.25 * (1.0 + edges.x);
  vec4 reached = length * points;
  float along = sumAt(first + reached, from, edges, radius)
      + sumAt(first + length - reached, from, edges, radius);
  return sum + 0.56418958 * radius * length * along;
#endif
}

#if defined(STRAIGHT)
float coverageAt(vec2 point, vec2 halfSize) {
  vec4 inside = 0.5 + 0.5 * erf((halfSize - abs(point)).xyxy);
  return inside.x * inside.y;
}
#elif defined(CORNER)
float coverageAt(vec2 point, vec2 halfSize) {
  // Mirrored, so that the corner is the one of the least x and y.
  vec4 radii = fragmentRadii;
  float radius = max(max(radii.x, radii.y), max(radii.z, radii.w));
  vec4 from =
      (halfSize
       + point * vec2(radii.x + radii.w > 0.0 ? 1.0 : -1.0, radii.x + radii.y > 0.0 ? 1.0 : -1.0))
          .xyxy;
  vec4 edges = erf(from);
  return 0.25 * (1.0 + edges.x) * (1.0 + edges.y) - missing(radius, from, edges);
}
#else
float coverageAt(vec2 point, vec2 halfSize) {
#ifdef ALIKE
  point = -abs(point);
#endif
  vec4 from = vec4(halfSize + point, halfSize - point);
  vec4 edges = erf(from);
  float coverage = 0.25 * (edges.x + edges.z) * (edges.y + edges.w);
#ifndef RECTANGLE
  // The radius of a square corner has no effect if it is small.
  vec4 radii = max(fragmentRadii, 1e-3);
  coverage -= missing(radii.x, from, edges);
#ifndef ALIKE
  coverage -= missing(radii.y, from.zyxw, edges.zyxw)
      + missing(radii.z, from.zwxy, edges.zwxy)
      + missing(radii.w, from.xwzy, edges.xwzy);
#endif
#endif
  return coverage;
}
#endif

void main() {
  result = fragmentColor * coverageAt(shapePoint() * fragmentWidth, fragmentShape.zw);
}

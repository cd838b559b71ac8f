// B(b, s) of the backdrop's and the source's straight colours, in the mode that a macro names.

// For each channel, low if s is at most 0.5, else high.
vec3 pick(vec3 s, vec3 low, vec3 high) { return mix(high, low, vec3(lessThanEqual(s, vec3(0.5)))); }

vec3 hardLight(vec3 b, vec3 s) { return pick(s, 2.0 * b * s, b + (2.0 * s - 1.0) * (1.0 - b)); }

float lum(vec3 c) { return dot(c, vec3(0.3, 0.59, 0.11)); }
float least(vec3 c) { return min(min(c.r, c.g), c.b); }
float most(vec3 c) { return max(max(c.r, c.g), c.b); }
float sat(vec3 c) { return most(c) - least(c); }
vec3 setSat(vec3 c, float s) { return (c - least(c)) * s / max(sat(c), 1e-6); }

vec3 setLum(vec3 c, float l) {
  c += l - lum(c);
  float low = least(c);
  float high = most(c);
  if (low < 0.0) c = l + (c - l) * l / max(l - low, 1e-6);
  if (high > 1.0) c = l + (c - l) * (1.0 - l) / max(high - l, 1e-6);
  return c;
}

vec3 blend(vec3 b, vec3 s) {
#if defined(OVERLAY)
  return hardLight(s, b);
#elif defined(HARD_LIGHT)
  return hardLight(b, s);
#elif defined(DARKEN)
  return min(b, s);
#elif defined(LIGHTEN)
  return max(b, s);
#elif defined(COLOR_DODGE)
  return min(b / max(1.0 - s, 1e-6), 1.0);
#elif defined(COLOR_BURN)
  return 1.0 - min((1.0 - b) * step(1e-4, 1.0 - b) / max(s, 1e-6), 1.0);
#elif defined(SOFT_LIGHT)
  vec3 d = mix(sqrt(b), ((16.0 * b - 12.0) * b + 4.0) * b, vec3(lessThanEqual(b, vec3(0.25))));
  return b + (2.0 * s - 1.0) * pick(s, b * (1.0 - b), d - b);
#elif defined(LINEAR_LIGHT)
  return clamp(b + 2.0 * s - 1.0, 0.0, 1.0);
#elif defined(PIN_LIGHT)
  return pick(s, min(b, 2.0 * s), max(b, 2.0 * s - 1.0));
#elif defined(SUBTRACT)
  return max(b - s, 0.0);
#elif defined(DIVIDE)
  return min(b / max(s, 1e-6), 1.0);
#elif defined(DIFFERENCE)
  return abs(b - s);
#elif defined(EXCLUSION)
  return b + s - 2.0 * b * s;
#elif defined(HUE)
  return setLum(setSat(s, sat(b)), lum(b));
#elif defined(SATURATION)
  return setLum(setSat(b, sat(s)), lum(b));
#elif defined(COLOR)
  return setLum(s, lum(b));
#elif defined(LUMINOSITY)
  return setLum(b, lum(s));
#else
  return s;
#endif
}

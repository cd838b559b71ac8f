// An image times what `imageColor` passes on. ALPHA_ONLY: blending multiplies the rest;
// constants are 1 in 8 bits.
#ifdef WHITE
vec4 tinted(vec4 image) { return image; }
#elif defined(ALPHA_ONLY)
uniform float alpha;
vec4 tinted(vec4 image) { return vec4(0.999, 0.9998, 0.9997, 0.999978 * alpha) * image; }
#else
VARYING in vec4 fragmentColor;

vec4 tinted(vec4 image) { return fragmentColor * image; }
#endif

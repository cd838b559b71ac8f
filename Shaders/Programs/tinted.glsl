// An image's colour times what `imageColor` passes on.
#ifdef WHITE
vec4 tinted(vec4 image) { return image; }
#else
VARYING in vec4 fragmentColor;

vec4 tinted(vec4 image) { return fragmentColor * image; }
#endif

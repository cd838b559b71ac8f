// How a fragment gets what its polygon's vertices have: every program begins with this. VARYING:
// interpolated. CONSTANT: the same at all vertices. ON_SCREEN: linear on the screen, and given
// times w.
// AFFINE: every w is 1. What is the same at all vertices comes out as it was; perspective, which
// takes time, changes nothing.
// EITHER: either of llvmpipe's rasterizers may draw, of which the linear one takes nothing that is
// interpolated without perspective. CLAMPED: the general one, which takes what is clamped.
#if defined(GL_NV_shader_noperspective_interpolation) && !defined(EITHER)
#extension GL_NV_shader_noperspective_interpolation : require
#define ON_SCREEN noperspective
#define toScreen(value) ((value) / position.z)
#define onScreen(value) (value)
#else
#define ON_SCREEN
#define toScreen(value) (value)
#define onScreen(value) ((value) * gl_FragCoord.w)
#endif
#ifdef AFFINE
#define VARYING ON_SCREEN
#define CONSTANT ON_SCREEN
#else
#define VARYING
#define CONSTANT flat
#endif

// How a fragment gets what its polygon's vertices have: every program begins with this. VARYING:
// interpolated. CONSTANT: the same at all vertices.
// AFFINE: every w is 1. What is the same at all vertices comes out as it was, interpolated or not,
// and perspective changes nothing: without it, that takes less time.
// EITHER: either of llvmpipe's rasterizers may draw, of which the linear one takes nothing that is
// interpolated without perspective.
// ON_SCREEN: interpolated along the screen, which is given times w: `onScreen` is passed on, and
// `fromScreen` is what comes out.
#ifndef AFFINE
#define VARYING
#define CONSTANT flat
#ifdef GL_NV_shader_noperspective_interpolation
#extension GL_NV_shader_noperspective_interpolation : require
#define ON_SCREEN noperspective
#define onScreen(value) ((value) / position.z)
#define fromScreen(value) (value)
#else
#define ON_SCREEN
#define onScreen(value) (value)
#define fromScreen(value) ((value) * gl_FragCoord.w)
#endif
#elif defined(EITHER) || !defined(GL_NV_shader_noperspective_interpolation)
#define VARYING
#define CONSTANT
#else
#extension GL_NV_shader_noperspective_interpolation : require
#define VARYING noperspective
#define CONSTANT noperspective
#endif
#ifdef AFFINE
#define ON_SCREEN VARYING
#define onScreen(value) (value)
#define fromScreen(value) (value)
#endif

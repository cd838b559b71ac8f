// How a fragment gets what its polygon's vertices have: every program begins with this. VARYING:
// interpolated. CONSTANT: the same at all vertices.
// AFFINE: every w is 1. What is the same at all vertices comes out as it was, interpolated or not,
// and perspective changes nothing: without it, that takes less time.
// EITHER: either of llvmpipe's rasterizers may draw, of which the linear one takes nothing that is
// interpolated without perspective.
#ifndef AFFINE
#define VARYING
#define CONSTANT flat
#elif defined(EITHER) || !defined(GL_NV_shader_noperspective_interpolation)
#define VARYING
#define CONSTANT
#else
#extension GL_NV_shader_noperspective_interpolation : require
#define VARYING noperspective
#define CONSTANT noperspective
#endif

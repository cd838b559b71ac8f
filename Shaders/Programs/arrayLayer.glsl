// Passes on what `arraySource` samples.
#ifdef FILLED
#define LAYER float
#else
#define LAYER vec3
#endif

layout(location = 7) in LAYER layer;

CONSTANT out LAYER fragmentLayer;

void passLayer() { fragmentLayer = layer; }

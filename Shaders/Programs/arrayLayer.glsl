// Passes on what `arraySource` samples.
layout(location = 7) in vec3 layer;

CONSTANT out vec3 fragmentLayer;

void passLayer() { fragmentLayer = layer; }

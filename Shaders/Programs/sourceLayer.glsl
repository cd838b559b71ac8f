// The source is a texture of its own, which has no layers.
void passLayer() {}

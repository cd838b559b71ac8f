// WHITE: the colour is white at all corners, and is not there.
#ifdef WHITE
void passColor() {}
#else
layout(location = 1) in vec4 color;

VARYING out vec4 fragmentColor;

void passColor() { fragmentColor = color; }
#endif

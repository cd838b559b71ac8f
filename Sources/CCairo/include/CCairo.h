#pragma once

// Cairo, for LaminaGraphics and for LaminaPlanner's paths. It is not linked: it loads 16 libraries
// more, and many programs and most frames draw nothing with it. Its own header declares the
// functions, of which those in functions.h may be called; the first that is opens it.

#include <cairo/cairo.h>

/// Opens Cairo, unless it is open. NULL, or why it cannot be used now, until the thread's next
/// call. Here because only the preprocessor has the list of functions.
const char *lamina_open_cairo(void);

#include "CLinux.h"

// These functions are defined here for this program alone: what else it loads calls GLib's own.
#pragma GCC visibility push(hidden)
#include "CGLib.h"

LAMINA_LIBRARY(lamina_open_glib, "libglib-2.0.so.0", "libglib2.0-0", GLIB_FUNCTIONS)

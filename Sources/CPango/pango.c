#include "CLinux.h"

// These functions are defined here for this program alone: what else it loads calls Pango's own.
#pragma GCC visibility push(hidden)
#include "CPango.h"

// Opens fontconfig and GLib, too, whose functions are found through it.
LAMINA_LIBRARY(
    lamina_open_pango, "libpangocairo-1.0.so.0", "libpangocairo-1.0-0", PANGO_FUNCTIONS)

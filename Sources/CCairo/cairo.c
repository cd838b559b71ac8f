#include "CLinux.h"

// Cairo's functions are defined here for this program alone: what else it loads calls Cairo's own.
#pragma GCC visibility push(hidden)
#define cairo_public
#include "CCairo.h"
#include "functions.h"

LAMINA_LIBRARY(lamina_open_cairo, "libcairo.so.2", "libcairo2", CAIRO_FUNCTIONS)

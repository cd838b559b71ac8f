#include "CLinux.h"

// These functions are defined here for this program alone: what else it loads calls GLib's own.
#pragma GCC visibility push(hidden)
#include "CGLib.h"

const char *lamina_open_glib(void);

// Result, name, parameters, arguments.
#define GLIB_FUNCTIONS(F) \
  F(GChecksum *, g_checksum_new, (int algorithm), (algorithm)) \
  F(void, g_checksum_update, \
    (GChecksum *checksum, const unsigned char *data, ptrdiff_t length), (checksum, data, length)) \
  F(const char *, g_checksum_get_string, (GChecksum *checksum), (checksum)) \
  F(void, g_checksum_free, (GChecksum *checksum), (checksum))

LAMINA_LIBRARY(lamina_open_glib, "libglib-2.0.so.0", "libglib2.0-0", GLIB_FUNCTIONS)

// GLib's checksums, declared and opened as Pango is: see CPango.h.
#pragma once

#include <stddef.h>

typedef struct _GChecksum GChecksum;

/// GLib's value of its enumeration of algorithms.
enum { LAMINA_CHECKSUM_SHA256 = 2 };

// Result, name, parameters, arguments.
#define GLIB_FUNCTIONS(F) \
  F(GChecksum *, g_checksum_new, (int algorithm), (algorithm)) \
  F(void, g_checksum_update, \
    (GChecksum *checksum, const unsigned char *data, ptrdiff_t length), (checksum, data, length)) \
  F(const char *, g_checksum_get_string, (GChecksum *checksum), (checksum)) \
  F(void, g_checksum_free, (GChecksum *checksum), (checksum))

#define LAMINA_DECLARE(result, name, parameters, arguments) result name parameters;
GLIB_FUNCTIONS(LAMINA_DECLARE)
#undef LAMINA_DECLARE

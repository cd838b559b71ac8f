// GLib's checksums, declared and opened as Pango is: see CPango.h.
#pragma once

#include <stddef.h>

typedef struct _GChecksum GChecksum;

/// GLib's value of its enumeration of algorithms.
enum { LAMINA_CHECKSUM_SHA256 = 2 };

GChecksum *g_checksum_new(int algorithm);
void g_checksum_update(GChecksum *checksum, const unsigned char *data, ptrdiff_t length);
const char *g_checksum_get_string(GChecksum *checksum);
void g_checksum_free(GChecksum *checksum);


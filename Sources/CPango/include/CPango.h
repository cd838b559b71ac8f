// The part of Pango that draws text, and of fontconfig that finds its fonts. Neither is linked:
// they load 25 libraries more, and many programs draw no text. What is declared here, instead of by
// headers that need GLib's and its compiler flags, may be called; the first call opens Pango, and
// with it fontconfig and GLib's objects.
#pragma once

/// Pango's unit: this many are a pixel.
enum { LAMINA_PANGO_SCALE = 1024 };

/// Pango's values of its enumerations.
enum { LAMINA_PANGO_WRAP_WORD_CHAR = 2, LAMINA_PANGO_DIRECTION_RTL = 1 };
enum {
  LAMINA_PANGO_ELLIPSIZE_START = 1,
  LAMINA_PANGO_ELLIPSIZE_MIDDLE = 2,
  LAMINA_PANGO_ELLIPSIZE_END = 3
};

typedef struct _cairo LaminaCairo;
typedef struct _cairo_font_options LaminaCairoFontOptions;
typedef struct _cairo_scaled_font LaminaScaledFont;
typedef struct _PangoAttrList PangoAttrList;
typedef struct _PangoContext PangoContext;
typedef struct _PangoFont PangoFont;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoFontMetrics PangoFontMetrics;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoLayoutIter PangoLayoutIter;
typedef struct _PangoLayoutLine PangoLayoutLine;

/// An attribute and the bytes of the text that it holds for.
typedef struct {
  const void *kind;
  unsigned start_index, end_index;
} PangoAttribute;

/// In Pango's units, y down from the baseline.
typedef struct {
  int x, y, width, height;
} PangoRectangle;

typedef struct {
  unsigned glyph;
  int width, x_offset, y_offset;
  unsigned is_cluster_start : 1, is_color : 1;
} PangoGlyphInfo;

typedef struct {
  int count;
  PangoGlyphInfo *glyphs;
  int *clusters, space;
} PangoGlyphString;

typedef struct {
  int offset, length, num_chars;
  void *shape_engine, *language_engine;
  PangoFont *font;
  unsigned char level, gravity, flags, script;
  void *language, *extra_attributes;
} PangoItem;

/// Glyphs of one font in a line.
typedef struct {
  PangoItem *item;
  PangoGlyphString *glyphs;
  int y_offset, start_x_offset, end_x_offset;
} PangoGlyphItem;

enum { LAMINA_PANGO_ANALYSIS_IS_ELLIPSIS = 2 };
/// Glyphs that are no glyphs of a font: one that draws nothing, and one for a character that no
/// font has.
enum { LAMINA_PANGO_GLYPH_EMPTY = 0x0FFFFFFF, LAMINA_PANGO_GLYPH_UNKNOWN = 0x10000000 };

typedef struct _FcConfig FcConfig;
typedef struct _FcPattern FcPattern;

/// The fonts that fontconfig knows.
typedef struct {
  int count, capacity;
  FcPattern **fonts;
} LaminaFontSet;

enum { LAMINA_FC_RESULT_MATCH = 0, LAMINA_FC_MATCH_PATTERN = 0, LAMINA_FC_SET_APPLICATION = 1 };

#include "functions.h"

#define LAMINA_DECLARE(result, name, parameters, arguments) result name parameters;
PANGO_FUNCTIONS(LAMINA_DECLARE)
#undef LAMINA_DECLARE

// The part of Pango that draws text, and of fontconfig that finds its fonts. Neither is linked:
// they load 25 libraries more, and many programs draw no text. What is declared here, instead of by
// headers that need GLib's and its compiler flags, may be called; the first call opens Pango, and
// with it fontconfig and GLib's objects.
#pragma once

/// Opens Pango, unless it is open. NULL, or why it cannot be used now, until the thread's next
/// call. Here because only the preprocessor has the list of functions.
const char *lamina_open_pango(void);

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

void g_object_unref(void *object);

PangoFontMap *pango_cairo_font_map_new(void);
PangoContext *pango_font_map_create_context(PangoFontMap *map);
void pango_cairo_context_set_font_options(
    PangoContext *context, const LaminaCairoFontOptions *options);
void pango_context_set_round_glyph_positions(PangoContext *context, int round);
PangoFont *pango_context_load_font(PangoContext *context, const PangoFontDescription *description);
PangoFontMetrics *pango_font_get_metrics(PangoFont *font, void *language);
PangoFontDescription *pango_font_describe(PangoFont *font);
int pango_font_metrics_get_ascent(PangoFontMetrics *metrics);
int pango_font_metrics_get_descent(PangoFontMetrics *metrics);
int pango_font_metrics_get_height(PangoFontMetrics *metrics);
int pango_font_metrics_get_underline_position(PangoFontMetrics *metrics);
int pango_font_metrics_get_underline_thickness(PangoFontMetrics *metrics);
void pango_font_metrics_unref(PangoFontMetrics *metrics);

PangoFontDescription *pango_font_description_from_string(const char *text);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
const char *pango_font_description_get_family(const PangoFontDescription *description);
void pango_font_description_free(PangoFontDescription *description);

PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *attributes);
void pango_layout_set_single_paragraph_mode(PangoLayout *layout, int isOn);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_height(PangoLayout *layout, int height);
void pango_layout_set_wrap(PangoLayout *layout, unsigned mode);
void pango_layout_set_ellipsize(PangoLayout *layout, unsigned mode);
void pango_layout_set_justify(PangoLayout *layout, int isOn);
int pango_layout_get_justify(PangoLayout *layout);
void pango_layout_set_spacing(PangoLayout *layout, int spacing);
int pango_layout_is_ellipsized(PangoLayout *layout);
void pango_font_get_glyph_extents(
    PangoFont *font, unsigned glyph, PangoRectangle *ink, PangoRectangle *logical);
PangoLayoutIter *pango_layout_get_iter(PangoLayout *layout);
PangoGlyphItem *pango_layout_iter_get_run(PangoLayoutIter *iterator);
int pango_layout_iter_next_run(PangoLayoutIter *iterator);
PangoLayoutLine *pango_layout_iter_get_line_readonly(PangoLayoutIter *iterator);
int pango_layout_iter_get_baseline(PangoLayoutIter *iterator);
int pango_layout_iter_next_line(PangoLayoutIter *iterator);
void pango_layout_iter_free(PangoLayoutIter *iterator);
unsigned pango_layout_line_get_resolved_direction(PangoLayoutLine *line);
int pango_layout_line_get_start_index(PangoLayoutLine *line);
int pango_layout_line_get_length(PangoLayoutLine *line);
int pango_layout_line_is_paragraph_start(PangoLayoutLine *line);
PangoLayoutLine *pango_layout_get_line_readonly(PangoLayout *layout, int line);
void pango_layout_line_get_extents(
    PangoLayoutLine *line, PangoRectangle *ink, PangoRectangle *logical);
int pango_layout_line_x_to_index(PangoLayoutLine *line, int x, int *index, int *trailing);
void pango_layout_line_index_to_x(PangoLayoutLine *line, int index, int trailing, int *x);
void pango_cairo_show_layout_line(LaminaCairo *cairo, PangoLayoutLine *line);
void pango_cairo_layout_line_path(LaminaCairo *cairo, PangoLayoutLine *line);

/// Makes a font map look again for fonts, after fontconfig's changed.
void pango_fc_font_map_config_changed(PangoFontMap *map);

/// The glyph of a Unicode character, 0 where the font has none; the font must be one of
/// fontconfig's.
unsigned pango_fc_font_get_glyph(PangoFont *font, unsigned character);

/// Cairo's form of a font, which lives as long as that; null if there is none.
LaminaScaledFont *pango_cairo_font_get_scaled_font(PangoFont *font);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_unref(PangoAttrList *list);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
PangoAttribute *pango_attr_font_desc_new(const PangoFontDescription *description);
PangoAttribute *pango_attr_foreground_new(
    unsigned short red, unsigned short green, unsigned short blue);
PangoAttribute *pango_attr_foreground_alpha_new(unsigned short alpha);
PangoAttribute *pango_attr_letter_spacing_new(int spacing);
PangoAttribute *pango_attr_underline_new(int underline);
PangoAttribute *pango_attr_allow_breaks_new(int allow_breaks);

typedef struct _FcConfig FcConfig;
typedef struct _FcPattern FcPattern;

/// The fonts that fontconfig knows.
typedef struct {
  int count, capacity;
  FcPattern **fonts;
} LaminaFontSet;

enum { LAMINA_FC_RESULT_MATCH = 0, LAMINA_FC_MATCH_PATTERN = 0, LAMINA_FC_SET_APPLICATION = 1 };

FcPattern *FcPatternCreate(void);
void FcPatternDestroy(FcPattern *pattern);
int FcPatternAddString(FcPattern *pattern, const char *property, const unsigned char *value);
unsigned FcPatternGetString(
    const FcPattern *pattern, const char *property, int number, unsigned char **value);
int FcPatternDel(FcPattern *pattern, const char *property);
int FcConfigSubstitute(FcConfig *config, FcPattern *pattern, unsigned kind);
void FcDefaultSubstitute(FcPattern *pattern);
FcPattern *FcFontMatch(FcConfig *config, FcPattern *pattern, unsigned *result);
int FcConfigAppFontAddFile(FcConfig *config, const unsigned char *path);
LaminaFontSet *FcConfigGetFonts(FcConfig *config, unsigned set);


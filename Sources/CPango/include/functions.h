#pragma once

// The functions of Pango, GLib and fontconfig that may be called: result, name, parameters,
// arguments. What is added here is declared, defined and found.

#define PANGO_FUNCTIONS(F) \
  F(void, g_object_unref, (void *object), (object)) \
  F(PangoFontMap *, pango_cairo_font_map_new, (void), ()) \
  F(PangoContext *, pango_font_map_create_context, (PangoFontMap *map), (map)) \
  F(void, pango_cairo_context_set_font_options, \
    (PangoContext *context, const LaminaCairoFontOptions *options), (context, options)) \
  F(void, pango_context_set_round_glyph_positions, \
    (PangoContext *context, int round), (context, round)) \
  F(PangoFont *, pango_context_load_font, \
    (PangoContext *context, const PangoFontDescription *description), (context, description)) \
  F(PangoFontMetrics *, pango_font_get_metrics, \
    (PangoFont *font, void *language), (font, language)) \
  F(PangoFontDescription *, pango_font_describe, (PangoFont *font), (font)) \
  F(int, pango_font_metrics_get_ascent, (PangoFontMetrics *metrics), (metrics)) \
  F(int, pango_font_metrics_get_descent, (PangoFontMetrics *metrics), (metrics)) \
  F(int, pango_font_metrics_get_height, (PangoFontMetrics *metrics), (metrics)) \
  F(int, pango_font_metrics_get_underline_position, (PangoFontMetrics *metrics), (metrics)) \
  F(int, pango_font_metrics_get_underline_thickness, (PangoFontMetrics *metrics), (metrics)) \
  F(void, pango_font_metrics_unref, (PangoFontMetrics *metrics), (metrics)) \
  F(PangoFontDescription *, pango_font_description_from_string, (const char *text), (text)) \
  F(void, pango_font_description_set_absolute_size, \
    (PangoFontDescription *description, double size), (description, size)) \
  F(const char *, pango_font_description_get_family, \
    (const PangoFontDescription *description), (description)) \
  F(void, pango_font_description_free, (PangoFontDescription *description), (description)) \
  F(PangoLayout *, pango_layout_new, (PangoContext *context), (context)) \
  F(void, pango_layout_set_text, \
    (PangoLayout *layout, const char *text, int length), (layout, text, length)) \
  F(void, pango_layout_set_attributes, \
    (PangoLayout *layout, PangoAttrList *attributes), (layout, attributes)) \
  F(void, pango_layout_set_single_paragraph_mode, \
    (PangoLayout *layout, int isOn), (layout, isOn)) \
  F(void, pango_layout_set_width, (PangoLayout *layout, int width), (layout, width)) \
  F(void, pango_layout_set_height, (PangoLayout *layout, int height), (layout, height)) \
  F(void, pango_layout_set_wrap, (PangoLayout *layout, unsigned mode), (layout, mode)) \
  F(void, pango_layout_set_ellipsize, (PangoLayout *layout, unsigned mode), (layout, mode)) \
  F(void, pango_layout_set_justify, (PangoLayout *layout, int isOn), (layout, isOn)) \
  F(int, pango_layout_get_justify, (PangoLayout *layout), (layout)) \
  F(void, pango_layout_set_spacing, (PangoLayout *layout, int spacing), (layout, spacing)) \
  F(int, pango_layout_is_ellipsized, (PangoLayout *layout), (layout)) \
  F(void, pango_font_get_glyph_extents, \
    (PangoFont *font, unsigned glyph, PangoRectangle *ink, PangoRectangle *logical), \
    (font, glyph, ink, logical)) \
  F(PangoLayoutIter *, pango_layout_get_iter, (PangoLayout *layout), (layout)) \
  F(PangoGlyphItem *, pango_layout_iter_get_run, (PangoLayoutIter *iterator), (iterator)) \
  F(int, pango_layout_iter_next_run, (PangoLayoutIter *iterator), (iterator)) \
  F(PangoLayoutLine *, pango_layout_iter_get_line_readonly, \
    (PangoLayoutIter *iterator), (iterator)) \
  F(int, pango_layout_iter_get_baseline, (PangoLayoutIter *iterator), (iterator)) \
  F(int, pango_layout_iter_next_line, (PangoLayoutIter *iterator), (iterator)) \
  F(void, pango_layout_iter_free, (PangoLayoutIter *iterator), (iterator)) \
  F(unsigned, pango_layout_line_get_resolved_direction, (PangoLayoutLine *line), (line)) \
  F(int, pango_layout_line_get_start_index, (PangoLayoutLine *line), (line)) \
  F(int, pango_layout_line_get_length, (PangoLayoutLine *line), (line)) \
  F(int, pango_layout_line_is_paragraph_start, (PangoLayoutLine *line), (line)) \
  F(PangoLayoutLine *, pango_layout_get_line_readonly, \
    (PangoLayout *layout, int line), (layout, line)) \
  F(void, pango_layout_line_get_extents, \
    (PangoLayoutLine *line, PangoRectangle *ink, PangoRectangle *logical), (line, ink, logical)) \
  F(int, pango_layout_line_x_to_index, \
    (PangoLayoutLine *line, int x, int *index, int *trailing), (line, x, index, trailing)) \
  F(void, pango_layout_line_index_to_x, \
    (PangoLayoutLine *line, int index, int trailing, int *x), (line, index, trailing, x)) \
  F(void, pango_cairo_show_layout_line, \
    (LaminaCairo *cairo, PangoLayoutLine *line), (cairo, line)) \
  F(void, pango_cairo_layout_line_path, \
    (LaminaCairo *cairo, PangoLayoutLine *line), (cairo, line)) \
  /* Makes a font map look again for fonts, after fontconfig's changed. */ \
  F(void, pango_fc_font_map_config_changed, (PangoFontMap *map), (map)) \
  /* 0 where the font, which must be one of fontconfig's, has no such character. */ \
  F(unsigned, pango_fc_font_get_glyph, (PangoFont *font, unsigned character), (font, character)) \
  /* Cairo's form of a font, which lives as long as that; null if there is none. */ \
  F(LaminaScaledFont *, pango_cairo_font_get_scaled_font, (PangoFont *font), (font)) \
  F(PangoAttrList *, pango_attr_list_new, (void), ()) \
  F(void, pango_attr_list_unref, (PangoAttrList *list), (list)) \
  F(void, pango_attr_list_insert, \
    (PangoAttrList *list, PangoAttribute *attribute), (list, attribute)) \
  F(PangoAttribute *, pango_attr_font_desc_new, \
    (const PangoFontDescription *description), (description)) \
  F(PangoAttribute *, pango_attr_foreground_new, \
    (unsigned short red, unsigned short green, unsigned short blue), (red, green, blue)) \
  F(PangoAttribute *, pango_attr_foreground_alpha_new, (unsigned short alpha), (alpha)) \
  F(PangoAttribute *, pango_attr_letter_spacing_new, (int spacing), (spacing)) \
  F(PangoAttribute *, pango_attr_underline_new, (int underline), (underline)) \
  F(PangoAttribute *, pango_attr_allow_breaks_new, (int allow_breaks), (allow_breaks)) \
  F(FcPattern *, FcPatternCreate, (void), ()) \
  F(void, FcPatternDestroy, (FcPattern *pattern), (pattern)) \
  F(int, FcPatternAddString, \
    (FcPattern *pattern, const char *property, const unsigned char *value), \
    (pattern, property, value)) \
  F(unsigned, FcPatternGetString, \
    (const FcPattern *pattern, const char *property, int number, unsigned char **value), \
    (pattern, property, number, value)) \
  F(int, FcPatternDel, (FcPattern *pattern, const char *property), (pattern, property)) \
  F(int, FcConfigSubstitute, \
    (FcConfig *config, FcPattern *pattern, unsigned kind), (config, pattern, kind)) \
  F(void, FcDefaultSubstitute, (FcPattern *pattern), (pattern)) \
  F(FcPattern *, FcFontMatch, \
    (FcConfig *config, FcPattern *pattern, unsigned *result), (config, pattern, result)) \
  F(int, FcConfigAppFontAddFile, (FcConfig *config, const unsigned char *path), (config, path)) \
  F(LaminaFontSet *, FcConfigGetFonts, (FcConfig *config, unsigned set), (config, set))

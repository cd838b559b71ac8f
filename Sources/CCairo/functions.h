#pragma once

// The functions of Cairo that are called: result, name, parameters, arguments. The definitions are
// compared with Cairo's header when they are compiled.

#define CAIRO_FUNCTIONS(F) \
  F(void, cairo_clip, (cairo_t *cr), (cr)) \
  F(void, cairo_clip_extents, \
    (cairo_t *cr, double *x1, double *y1, double *x2, double *y2), (cr, x1, y1, x2, y2)) \
  F(void, cairo_close_path, (cairo_t *cr), (cr)) \
  F(cairo_path_t *, cairo_copy_path, (cairo_t *cr), (cr)) \
  F(cairo_t *, cairo_create, (cairo_surface_t *target), (target)) \
  F(void, cairo_curve_to, \
    (cairo_t *cr, double x1, double y1, double x2, double y2, double x3, double y3), \
    (cr, x1, y1, x2, y2, x3, y3)) \
  F(void, cairo_destroy, (cairo_t *cr), (cr)) \
  F(void, cairo_fill, (cairo_t *cr), (cr)) \
  F(cairo_font_options_t *, cairo_font_options_create, (void), ()) \
  F(void, cairo_font_options_destroy, (cairo_font_options_t *options), (options)) \
  F(void, cairo_font_options_set_antialias, \
    (cairo_font_options_t *options, cairo_antialias_t antialias), (options, antialias)) \
  F(void, cairo_font_options_set_hint_metrics, \
    (cairo_font_options_t *options, cairo_hint_metrics_t hint_metrics), (options, hint_metrics)) \
  F(void, cairo_font_options_set_hint_style, \
    (cairo_font_options_t *options, cairo_hint_style_t hint_style), (options, hint_style)) \
  F(int, cairo_format_stride_for_width, (cairo_format_t format, int width), (format, width)) \
  F(cairo_pattern_t *, cairo_get_source, (cairo_t *cr), (cr)) \
  F(void, cairo_glyph_path, \
    (cairo_t *cr, const cairo_glyph_t *glyphs, int num_glyphs), (cr, glyphs, num_glyphs)) \
  F(void, cairo_identity_matrix, (cairo_t *cr), (cr)) \
  F(cairo_surface_t *, cairo_image_surface_create, \
    (cairo_format_t format, int width, int height), (format, width, height)) \
  F(cairo_surface_t *, cairo_image_surface_create_for_data, \
    (unsigned char *data, cairo_format_t format, int width, int height, int stride), \
    (data, format, width, height, stride)) \
  F(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *surface), (surface)) \
  F(int, cairo_image_surface_get_stride, (cairo_surface_t *surface), (surface)) \
  F(cairo_bool_t, cairo_in_fill, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F(cairo_bool_t, cairo_in_stroke, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F(void, cairo_line_to, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F(void, cairo_mask_surface, \
    (cairo_t *cr, cairo_surface_t *surface, double surface_x, double surface_y), \
    (cr, surface, surface_x, surface_y)) \
  F(void, cairo_move_to, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F(void, cairo_new_path, (cairo_t *cr), (cr)) \
  F(void, cairo_paint, (cairo_t *cr), (cr)) \
  F(void, cairo_paint_with_alpha, (cairo_t *cr, double alpha), (cr, alpha)) \
  F(void, cairo_path_destroy, (cairo_path_t *path), (path)) \
  F(void, cairo_pattern_add_color_stop_rgba, \
    (cairo_pattern_t *pattern, double offset, double red, double green, double blue, \
     double alpha), \
    (pattern, offset, red, green, blue, alpha)) \
  F(cairo_pattern_t *, cairo_pattern_create_linear, \
    (double x0, double y0, double x1, double y1), (x0, y0, x1, y1)) \
  F(cairo_pattern_t *, cairo_pattern_create_radial, \
    (double cx0, double cy0, double radius0, double cx1, double cy1, double radius1), \
    (cx0, cy0, radius0, cx1, cy1, radius1)) \
  F(void, cairo_pattern_destroy, (cairo_pattern_t *pattern), (pattern)) \
  F(void, cairo_pattern_set_extend, \
    (cairo_pattern_t *pattern, cairo_extend_t extend), (pattern, extend)) \
  F(void, cairo_pattern_set_filter, \
    (cairo_pattern_t *pattern, cairo_filter_t filter), (pattern, filter)) \
  F(void, cairo_pattern_set_matrix, \
    (cairo_pattern_t *pattern, const cairo_matrix_t *matrix), (pattern, matrix)) \
  F(void, cairo_rectangle, \
    (cairo_t *cr, double x, double y, double width, double height), (cr, x, y, width, height)) \
  F(void, cairo_reset_clip, (cairo_t *cr), (cr)) \
  F(void, cairo_scale, (cairo_t *cr, double sx, double sy), (cr, sx, sy)) \
  F(void, cairo_set_antialias, (cairo_t *cr, cairo_antialias_t antialias), (cr, antialias)) \
  F(void, cairo_set_dash, \
    (cairo_t *cr, const double *dashes, int num_dashes, double offset), \
    (cr, dashes, num_dashes, offset)) \
  F(void, cairo_set_fill_rule, (cairo_t *cr, cairo_fill_rule_t fill_rule), (cr, fill_rule)) \
  F(void, cairo_set_line_cap, (cairo_t *cr, cairo_line_cap_t line_cap), (cr, line_cap)) \
  F(void, cairo_set_line_join, (cairo_t *cr, cairo_line_join_t line_join), (cr, line_join)) \
  F(void, cairo_set_line_width, (cairo_t *cr, double width), (cr, width)) \
  F(void, cairo_set_matrix, (cairo_t *cr, const cairo_matrix_t *matrix), (cr, matrix)) \
  F(void, cairo_set_miter_limit, (cairo_t *cr, double limit), (cr, limit)) \
  F(void, cairo_set_operator, (cairo_t *cr, cairo_operator_t op), (cr, op)) \
  F(void, cairo_set_scaled_font, \
    (cairo_t *cr, const cairo_scaled_font_t *scaled_font), (cr, scaled_font)) \
  F(void, cairo_set_source, (cairo_t *cr, cairo_pattern_t *source), (cr, source)) \
  F(void, cairo_set_source_rgba, \
    (cairo_t *cr, double red, double green, double blue, double alpha), \
    (cr, red, green, blue, alpha)) \
  F(void, cairo_set_source_surface, \
    (cairo_t *cr, cairo_surface_t *surface, double x, double y), (cr, surface, x, y)) \
  F(void, cairo_set_tolerance, (cairo_t *cr, double tolerance), (cr, tolerance)) \
  F(void, cairo_show_glyphs, \
    (cairo_t *cr, const cairo_glyph_t *glyphs, int num_glyphs), (cr, glyphs, num_glyphs)) \
  F(cairo_status_t, cairo_status, (cairo_t *cr), (cr)) \
  F(void, cairo_stroke, (cairo_t *cr), (cr)) \
  F(void, cairo_surface_destroy, (cairo_surface_t *surface), (surface)) \
  F(void, cairo_surface_flush, (cairo_surface_t *surface), (surface)) \
  F(void, cairo_surface_mark_dirty, (cairo_surface_t *surface), (surface)) \
  F(void, cairo_surface_set_device_offset, \
    (cairo_surface_t *surface, double x_offset, double y_offset), (surface, x_offset, y_offset)) \
  F(cairo_status_t, cairo_surface_status, (cairo_surface_t *surface), (surface))

#pragma once

// The functions of Cairo that draw the coverage of paths, for LaminaPlanner only. Cairo is not
// linked: it loads 16 libraries more, and most frames have no path. Its own header gives the types;
// a function of Cairo's is called by its name with `lazy_` before it.

#include <cairo/cairo.h>

// Result, name, parameters, arguments.
#define LAZY_CAIRO_FUNCTIONS(F) \
  F(cairo_t *, cairo_create, (cairo_surface_t *target), (target)) \
  F(void, cairo_destroy, (cairo_t *cr), (cr)) \
  F(cairo_status_t, cairo_status, (cairo_t *cr), (cr)) \
  F(void, cairo_set_antialias, (cairo_t *cr, cairo_antialias_t antialias), (cr, antialias)) \
  F(void, cairo_set_tolerance, (cairo_t *cr, double tolerance), (cr, tolerance)) \
  F(void, cairo_set_matrix, (cairo_t *cr, const cairo_matrix_t *matrix), (cr, matrix)) \
  F(void, cairo_set_source_rgba, \
    (cairo_t *cr, double red, double green, double blue, double alpha), \
    (cr, red, green, blue, alpha)) \
  F(void, cairo_set_fill_rule, (cairo_t *cr, cairo_fill_rule_t rule), (cr, rule)) \
  F(void, cairo_set_line_width, (cairo_t *cr, double width), (cr, width)) \
  F(void, cairo_set_line_cap, (cairo_t *cr, cairo_line_cap_t cap), (cr, cap)) \
  F(void, cairo_set_line_join, (cairo_t *cr, cairo_line_join_t join), (cr, join)) \
  F(void, cairo_set_miter_limit, (cairo_t *cr, double limit), (cr, limit)) \
  F(void, cairo_set_dash, (cairo_t *cr, const double *dashes, int count, double offset), \
    (cr, dashes, count, offset)) \
  F(void, cairo_move_to, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F(void, cairo_line_to, (cairo_t *cr, double x, double y), (cr, x, y)) \
  F(void, cairo_curve_to, \
    (cairo_t *cr, double x1, double y1, double x2, double y2, double x3, double y3), \
    (cr, x1, y1, x2, y2, x3, y3)) \
  F(void, cairo_close_path, (cairo_t *cr), (cr)) \
  F(void, cairo_fill, (cairo_t *cr), (cr)) \
  F(void, cairo_stroke, (cairo_t *cr), (cr)) \
  F(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t format, int width, int height), \
    (format, width, height)) \
  F(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *surface), (surface)) \
  F(int, cairo_image_surface_get_stride, (cairo_surface_t *surface), (surface)) \
  F(void, cairo_surface_flush, (cairo_surface_t *surface), (surface)) \
  F(void, cairo_surface_destroy, (cairo_surface_t *surface), (surface))

struct lazy_cairo {
#define POINTER(result, name, parameters, arguments) result(*name) parameters;
  LAZY_CAIRO_FUNCTIONS(POINTER)
#undef POINTER
};
extern struct lazy_cairo lazy_cairo;

#define CALL(result, name, parameters, arguments) \
  static inline result lazy_##name parameters { return lazy_cairo.name arguments; }
LAZY_CAIRO_FUNCTIONS(CALL)
#undef CALL

/// Opens Cairo. NULL, or why it cannot be used; then none of its functions may be called. To be
/// called once, before them.
const char *lazy_cairo_open(void);

// Painting rows of BGRA8 pixels with AVX2 or with AVX-512: the same results, to the bit, as
// LaminaSoftware's PixelRows, which says what each does.
#ifndef LAMINA_CSPANS_H
#define LAMINA_CSPANS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A number that varies over rows of pixels: start + across · column + down · row.
struct lamina_plane {
  float start, across, down;
};

// The places at which pixels sample an image, in 1/256 of a pixel from its left and from its upper
// edge. With perspective both are divided by w.
struct lamina_places {
  // Of the first pixel.
  int32_t column, row;
  struct lamina_plane x, y, w;
  bool has_perspective;
};

// Distances of pixels from four edges, in pixels and positive inside, as four planes.
struct lamina_edges {
  float start[4];
  float across[4];
  float down[4];
};

// Neighbouring pixels of a row, `first` pixels from where the row begins.
struct lamina_part {
  int32_t first, count;
};

struct lamina_spans {
  // Of several rows, each `stride` pixels after the one before.
  void (*fill)(uint32_t *target, int count, int rows, int64_t stride, uint32_t color);
  void (*tint)(uint32_t *target, int count, int rows, int64_t stride, uint32_t color);
  void (*over)(
      uint32_t *target, const uint32_t *source, int count, int rows, int64_t stride,
      uint32_t opacity);
  void (*mask)(uint32_t *target, const uint32_t *mask, int count, uint32_t color);
  // One of the fractions must not be 0.
  void (*mix)(
      uint32_t *target, const uint32_t *upper, const uint32_t *lower, int count,
      uint32_t fraction_x, uint32_t fraction_y);
  // Rows of a source, each mixed with the next one, over those of a target.
  void (*mix_over)(
      uint32_t *target, int64_t target_stride, const uint32_t *source, int64_t source_stride,
      int count, int rows, uint32_t fraction_x, uint32_t fraction_y, uint32_t opacity);
  // The same of one column, from two columns of a source that need not be neighbours.
  void (*mix_column_over)(
      uint32_t *target, int64_t target_stride, const uint32_t *left, const uint32_t *right,
      int64_t source_stride, int rows, uint32_t fraction_x, uint32_t fraction_y,
      uint32_t opacity);
  // Writes the pixels of an image, at least two pixels wide and high, at those places. Its rows are
  // `stride` pixels apart.
  void (*sample)(
      uint32_t *target, const uint32_t *image, int stride, int width, int height,
      const struct lamina_places *places, int count);
  // Paints them over parts of some rows of a target, times their coverage by edges, which have the
  // places' columns and rows, and a factor from 0 to 255.
  void (*sample_over)(
      uint32_t *target, int64_t target_stride, const struct lamina_part *parts, int rows,
      const uint32_t *image, int stride, int width, int height,
      const struct lamina_places *places, const struct lamina_edges *_Nullable edges,
      uint32_t opacity);
};

// The loops for AVX2, or NULL if this processor does not have it.
const struct lamina_spans *_Nullable lamina_spans_avx2(void);

// The loops for AVX-512, or NULL if this processor does not have it, or has it only at a lower
// clock: before Intel's Ice Lake.
const struct lamina_spans *_Nullable lamina_spans_avx512(void);

#pragma clang assume_nonnull end

#endif

// The parts of libpng, libjpeg-turbo and libwebp that return errors instead of jumping, and three
// functions around the part of libpng that jumps, which Swift cannot call.
#ifndef LAMINA_CIMAGES_H
#define LAMINA_CIMAGES_H

#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/// What libpng said when it failed; empty where it did not.
typedef struct {
  char characters[96];
} LaminaPNGMessage;

/// Bytes that libpng reads from or appends to.
typedef struct {
  const unsigned char *read;
  size_t readCount;
  unsigned char *written;
  size_t writtenCount;
  size_t capacity;
} LaminaPNGStream;

static inline void lamina_png_failed(png_structp png, png_const_charp text) {
  LaminaPNGMessage *message = (LaminaPNGMessage *)png_get_error_ptr(png);
  strncpy(message->characters, text, sizeof message->characters - 1);
  png_longjmp(png, 1);
}

static inline void lamina_png_warned(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static inline void lamina_png_read_bytes(png_structp png, png_bytep bytes, size_t count) {
  LaminaPNGStream *stream = (LaminaPNGStream *)png_get_io_ptr(png);
  if (count > stream->readCount) png_error(png, "read beyond end of data");
  memcpy(bytes, stream->read, count);
  stream->read += count;
  stream->readCount -= count;
}

static inline void lamina_png_write(png_structp png, png_bytep bytes, size_t count) {
  LaminaPNGStream *stream = (LaminaPNGStream *)png_get_io_ptr(png);
  if (count > stream->capacity - stream->writtenCount) {
    size_t capacity = (stream->writtenCount + count) * 2;
    unsigned char *grown = (unsigned char *)realloc(stream->written, capacity);
    if (!grown) png_error(png, "no memory");
    stream->written = grown;
    stream->capacity = capacity;
  }
  memcpy(stream->written + stream->writtenCount, bytes, count);
  stream->writtenCount += count;
}

static inline void lamina_png_flush(png_structp png) { (void)png; }

/// Reads a PNG of any kind as straight BGRA of 8 bits a channel (`depth` 8), or as straight RGBA of
/// 16 bits in this machine's byte order (`depth` 16), the values as the file has them. `width` and
/// `height` must be the file's; 0 where that fails.
static inline int lamina_png_read(
    const unsigned char *bytes, size_t count, void *pixels, unsigned width, unsigned height,
    size_t stride, int depth, LaminaPNGMessage *message) {
  LaminaPNGStream stream = {bytes, count, NULL, 0, 0};
  png_structp png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, message, lamina_png_failed, lamina_png_warned);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  png_bytep *volatile rows = (png_bytep *)malloc(sizeof(png_bytep) * height);
  if (!info || !rows) goto failed;
  if (setjmp(png_jmpbuf(png))) goto failed;
  png_set_read_fn(png, &stream, lamina_png_read_bytes);
  png_read_info(png, info);
  if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height)
    png_error(png, "it has more than one header");
  if (depth == 16) {
    png_set_expand_16(png);
    png_set_swap(png);
  } else {
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_bgr(png);
  }
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) > stride) png_error(png, "its rows are too long");
  for (unsigned y = 0; y < height; y++) rows[y] = (png_bytep)pixels + y * stride;
  png_read_image(png, rows);
  png_destroy_read_struct(&png, &info, NULL);
  free((void *)rows);
  return 1;
failed:
  png_destroy_read_struct(&png, &info, NULL);
  free((void *)rows);
  return 0;
}

/// The ICC profile of a PNG, in memory that the caller frees; NULL where it has none that libpng
/// accepts.
static inline unsigned char *lamina_png_profile(
    const unsigned char *bytes, size_t count, size_t *length) {
  LaminaPNGMessage message = {{0}};
  LaminaPNGStream stream = {bytes, count, NULL, 0, 0};
  png_structp png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, &message, lamina_png_failed, lamina_png_warned);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  png_charp name = NULL;
  png_bytep profile = NULL;
  png_uint_32 profileLength = 0;
  int compression = 0;
  unsigned char *volatile copy = NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return NULL;
  }
  png_set_read_fn(png, &stream, lamina_png_read_bytes);
  png_read_info(png, info);
  if (png_get_iCCP(png, info, &name, &compression, &profile, &profileLength)) {
    copy = (unsigned char *)malloc(profileLength);
    if (copy) memcpy(copy, profile, profileLength);
    *length = profileLength;
  }
  png_destroy_read_struct(&png, &info, NULL);
  return copy;
}

/// Writes straight RGBA of 8 bits a channel, or of 16 in this machine's byte order, as an sRGB PNG,
/// into memory that the caller frees; NULL where that fails. Of each row it writes what differs
/// from the row above. libpng's own choice among five filters takes up to twice as long, for files
/// of about the same size.
static inline unsigned char *lamina_png_write_rgba(
    const void *pixels, unsigned width, unsigned height, int depth, size_t *count,
    LaminaPNGMessage *message) {
  LaminaPNGStream stream = {NULL, 0, NULL, 0, 0};
  LaminaPNGStream *volatile kept = &stream;
  png_structp png = png_create_write_struct(
      PNG_LIBPNG_VER_STRING, message, lamina_png_failed, lamina_png_warned);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) goto failed;
  if (setjmp(png_jmpbuf(png))) goto failed;
  png_set_write_fn(png, &stream, lamina_png_write, lamina_png_flush);
  png_set_IHDR(
      png, info, width, height, depth, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  if (depth == 16) png_set_swap(png);
  for (unsigned y = 0; y < height; y++)
    png_write_row(png, (png_const_bytep)pixels + (size_t)y * width * (size_t)(depth / 2));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  *count = stream.writtenCount;
  return stream.written;
failed:
  png_destroy_write_struct(&png, &info);
  free(kept->written);
  return NULL;
}

#endif

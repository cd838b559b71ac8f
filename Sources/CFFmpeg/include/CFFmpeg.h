#pragma once

// FFmpeg's libraries, for LaminaVideo only. None is linked: they load a hundred libraries more, and
// most programs show no film. Their own headers give the types; a function of theirs is called by
// its name with `lazy_` before it.

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mathematics.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include "functions.h"

// The tables: a pointer to each function. `lamina_open_ffmpeg` fills them.
#define LAMINA_POINTER(result, name, parameters, arguments) result(*name) parameters;
extern struct lamina_avformat { LAMINA_AVFORMAT_FUNCTIONS(LAMINA_POINTER) } lamina_avformat;
extern struct lamina_avcodec { LAMINA_AVCODEC_FUNCTIONS(LAMINA_POINTER) } lamina_avcodec;
extern struct lamina_avutil { LAMINA_AVUTIL_FUNCTIONS(LAMINA_POINTER) } lamina_avutil;
extern struct lamina_swscale { LAMINA_SWSCALE_FUNCTIONS(LAMINA_POINTER) } lamina_swscale;
#undef LAMINA_POINTER

#define LAMINA_CALL(table, result, name, parameters, arguments) \
  static inline result lazy_##name parameters { return table.name arguments; }
#define LAMINA_CALL_AVFORMAT(...) LAMINA_CALL(lamina_avformat, __VA_ARGS__)
#define LAMINA_CALL_AVCODEC(...) LAMINA_CALL(lamina_avcodec, __VA_ARGS__)
#define LAMINA_CALL_AVUTIL(...) LAMINA_CALL(lamina_avutil, __VA_ARGS__)
#define LAMINA_CALL_SWSCALE(...) LAMINA_CALL(lamina_swscale, __VA_ARGS__)
LAMINA_AVFORMAT_FUNCTIONS(LAMINA_CALL_AVFORMAT)
LAMINA_AVCODEC_FUNCTIONS(LAMINA_CALL_AVCODEC)
LAMINA_AVUTIL_FUNCTIONS(LAMINA_CALL_AVUTIL)
LAMINA_SWSCALE_FUNCTIONS(LAMINA_CALL_SWSCALE)
#undef LAMINA_CALL
#undef LAMINA_CALL_AVFORMAT
#undef LAMINA_CALL_AVCODEC
#undef LAMINA_CALL_AVUTIL
#undef LAMINA_CALL_SWSCALE

/// Opens the libraries whose major versions are those of the headers, and has them log nothing.
/// NULL, or why they cannot be used, until the thread's next call; then none of their functions may
/// be called. To be called once, before them.
const char *lamina_open_ffmpeg(void);

/// The packages of Debian and Ubuntu that have the libraries which these headers belong to.
extern const char *const lamina_ffmpeg_packages;

// Constants, here because Swift does not import macros that compute.
static const int lamina_error_again = AVERROR(EAGAIN);
static const int lamina_error_end = AVERROR_EOF;
static const int lamina_error_memory = AVERROR(ENOMEM);
static const int lamina_error_io = AVERROR(EIO);
static const int lamina_error_access = AVERROR(EACCES);
static const int lamina_error_argument = AVERROR(EINVAL);
static const int lamina_error_data = AVERROR_INVALIDDATA;
static const int64_t lamina_no_time = AV_NOPTS_VALUE;

// What later versions of libswscale made an enumeration, and a structure.
static const int lamina_scaling =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT;
typedef struct SwsContext *lamina_scaler;

/// The nine numbers of a stream's display matrix; NULL if it has none. Here because versions differ
/// in where it is.
const int32_t *lamina_display_matrix(const AVStream *stream);

#include "CFFmpeg.h"
#include "CLinux.h"

struct lamina_avformat lamina_avformat;
struct lamina_avcodec lamina_avcodec;
struct lamina_avutil lamina_avutil;
struct lamina_swscale lamina_swscale;

// The list says of each function what its header says.
#define SAME(result, name, parameters, arguments) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
LAMINA_AVFORMAT_FUNCTIONS(SAME)
LAMINA_AVCODEC_FUNCTIONS(SAME)
LAMINA_AVUTIL_FUNCTIONS(SAME)
LAMINA_SWSCALE_FUNCTIONS(SAME)
#undef SAME

#define OPEN(library, version, functions) \
  lamina_open_library( \
      library ".so." AV_STRINGIFY(version), functions, sizeof functions / sizeof *functions)

static const char *open_avutil(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_avutil.name},
  static const struct lamina_function functions[] = {LAMINA_AVUTIL_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libavutil", LIBAVUTIL_VERSION_MAJOR, functions);
}

static const char *open_avcodec(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_avcodec.name},
  static const struct lamina_function functions[] = {LAMINA_AVCODEC_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libavcodec", LIBAVCODEC_VERSION_MAJOR, functions);
}

static const char *open_avformat(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_avformat.name},
  static const struct lamina_function functions[] = {LAMINA_AVFORMAT_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libavformat", LIBAVFORMAT_VERSION_MAJOR, functions);
}

static const char *open_swscale(void) {
#define FUNCTION(result, name, parameters, arguments) {#name, &lamina_swscale.name},
  static const struct lamina_function functions[] = {LAMINA_SWSCALE_FUNCTIONS(FUNCTION)};
#undef FUNCTION
  return OPEN("libswscale", LIBSWSCALE_VERSION_MAJOR, functions);
}

const char *lamina_open_ffmpeg(void) {
  const char *(*const open[])(void) = {open_avutil, open_avcodec, open_avformat, open_swscale};
  for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
    const char *failure = open[i]();
    if (failure) return failure;
  }
  lazy_av_log_set_level(AV_LOG_QUIET);
  return NULL;
}

const char *const lamina_ffmpeg_packages =
    "libavformat" AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR)
    ", libavcodec" AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR)
    ", libavutil" AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR)
    " and libswscale" AV_STRINGIFY(LIBSWSCALE_VERSION_MAJOR);

const int32_t *lamina_display_matrix(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
  const AVCodecParameters *parameters = stream->codecpar;
  const AVPacketSideData *data = lazy_av_packet_side_data_get(
      parameters->coded_side_data, parameters->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
  size_t size = 0;
  const uint8_t *data = lazy_av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}

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

#define OPENER(title, version, list) \
  static const char *open_##title(void) { \
    static const struct lamina_function functions[] = {list}; \
    return lamina_open_library( \
        "lib" #title ".so." AV_STRINGIFY(version), functions, \
        sizeof functions / sizeof *functions); \
  }

#define AVUTIL(result, name, parameters, arguments) {#name, &lamina_avutil.name},
OPENER(avutil, LIBAVUTIL_VERSION_MAJOR, LAMINA_AVUTIL_FUNCTIONS(AVUTIL))
#define AVCODEC(result, name, parameters, arguments) {#name, &lamina_avcodec.name},
OPENER(avcodec, LIBAVCODEC_VERSION_MAJOR, LAMINA_AVCODEC_FUNCTIONS(AVCODEC))
#define AVFORMAT(result, name, parameters, arguments) {#name, &lamina_avformat.name},
OPENER(avformat, LIBAVFORMAT_VERSION_MAJOR, LAMINA_AVFORMAT_FUNCTIONS(AVFORMAT))
#define SWSCALE(result, name, parameters, arguments) {#name, &lamina_swscale.name},
OPENER(swscale, LIBSWSCALE_VERSION_MAJOR, LAMINA_SWSCALE_FUNCTIONS(SWSCALE))

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

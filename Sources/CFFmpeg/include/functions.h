#pragma once

// The functions that LaminaVideo calls of each library: result, name, parameters, arguments. What
// is added here is in the library's table, and found, checked and callable like the rest.

// What a callback writes became constant in FFmpeg 7.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
#define LAMINA_WRITTEN const uint8_t
#else
#define LAMINA_WRITTEN uint8_t
#endif

// A stream's side data moved to its codec parameters in FFmpeg 6.1.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
#define LAMINA_FORMAT_SIDE_DATA(F)
#define LAMINA_CODEC_SIDE_DATA(F) \
  F(const AVPacketSideData *, av_packet_side_data_get, \
    (const AVPacketSideData *sd, int nb_sd, enum AVPacketSideDataType type), (sd, nb_sd, type))
#else
#define LAMINA_FORMAT_SIDE_DATA(F) \
  F(uint8_t *, av_stream_get_side_data, \
    (const AVStream *stream, enum AVPacketSideDataType type, size_t *size), (stream, type, size))
#define LAMINA_CODEC_SIDE_DATA(F)
#endif

#define LAMINA_AVFORMAT_FUNCTIONS(F) \
  LAMINA_FORMAT_SIDE_DATA(F) \
  F(AVFormatContext *, avformat_alloc_context, (void), ()) \
  F(void, avformat_close_input, (AVFormatContext **s), (s)) \
  F(int, avformat_find_stream_info, (AVFormatContext *ic, AVDictionary **options), (ic, options)) \
  F(int, avformat_open_input, \
    (AVFormatContext **ps, const char *url, const AVInputFormat *fmt, AVDictionary **options), \
    (ps, url, fmt, options)) \
  F(AVIOContext *, avio_alloc_context, \
    (unsigned char *buffer, int buffer_size, int write_flag, void *opaque, \
     int (*read_packet)(void *opaque, uint8_t *buf, int buf_size), \
     int (*write_packet)(void *opaque, LAMINA_WRITTEN *buf, int buf_size), \
     int64_t (*seek)(void *opaque, int64_t offset, int whence)), \
    (buffer, buffer_size, write_flag, opaque, read_packet, write_packet, seek)) \
  F(void, avio_context_free, (AVIOContext **s), (s)) \
  F(int, av_find_best_stream, \
    (AVFormatContext *ic, enum AVMediaType type, int wanted_stream_nb, int related_stream, \
     const struct AVCodec **decoder_ret, int flags), \
    (ic, type, wanted_stream_nb, related_stream, decoder_ret, flags)) \
  F(AVRational, av_guess_sample_aspect_ratio, \
    (AVFormatContext *format, AVStream *stream, struct AVFrame *frame), (format, stream, frame)) \
  F(int, av_probe_input_buffer2, \
    (AVIOContext *pb, const AVInputFormat **fmt, const char *url, void *logctx, \
     unsigned int offset, unsigned int max_probe_size), \
    (pb, fmt, url, logctx, offset, max_probe_size)) \
  F(int, av_read_frame, (AVFormatContext *s, AVPacket *pkt), (s, pkt)) \
  F(int, av_seek_frame, (AVFormatContext *s, int stream_index, int64_t timestamp, int flags), \
    (s, stream_index, timestamp, flags))

#define LAMINA_AVCODEC_FUNCTIONS(F) \
  LAMINA_CODEC_SIDE_DATA(F) \
  F(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec)) \
  F(const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id)) \
  F(const AVCodec *, avcodec_find_decoder_by_name, (const char *name), (name)) \
  F(void, avcodec_flush_buffers, (AVCodecContext *avctx), (avctx)) \
  F(void, avcodec_free_context, (AVCodecContext **avctx), (avctx)) \
  F(const char *, avcodec_get_name, (enum AVCodecID id), (id)) \
  F(int, avcodec_open2, (AVCodecContext *avctx, const AVCodec *codec, AVDictionary **options), \
    (avctx, codec, options)) \
  F(int, avcodec_parameters_to_context, (AVCodecContext *codec, const AVCodecParameters *par), \
    (codec, par)) \
  F(int, avcodec_receive_frame, (AVCodecContext *avctx, AVFrame *frame), (avctx, frame)) \
  F(int, avcodec_send_packet, (AVCodecContext *avctx, const AVPacket *avpkt), (avctx, avpkt)) \
  F(AVPacket *, av_packet_alloc, (void), ()) \
  F(void, av_packet_free, (AVPacket **pkt), (pkt)) \
  F(void, av_packet_unref, (AVPacket *pkt), (pkt))

#define LAMINA_AVUTIL_FUNCTIONS(F) \
  F(AVBufferRef *, av_buffer_create, \
    (uint8_t *data, size_t size, void (*free)(void *opaque, uint8_t *data), void *opaque, \
     int flags), \
    (data, size, free, opaque, flags)) \
  F(AVDictionaryEntry *, av_dict_get, \
    (const AVDictionary *m, const char *key, const AVDictionaryEntry *prev, int flags), \
    (m, key, prev, flags)) \
  F(void, av_dict_free, (AVDictionary **m), (m)) \
  F(int, av_dict_set, (AVDictionary **pm, const char *key, const char *value, int flags), \
    (pm, key, value, flags)) \
  F(AVFrame *, av_frame_alloc, (void), ()) \
  F(void, av_frame_free, (AVFrame **frame), (frame)) \
  F(void, av_free, (void *ptr), (ptr)) \
  F(void *, av_malloc, (size_t size), (size)) \
  F(int, av_image_copy_to_buffer, \
    (uint8_t *dst, int dst_size, const uint8_t *const src_data[4], const int src_linesize[4], \
     enum AVPixelFormat pix_fmt, int width, int height, int align), \
    (dst, dst_size, src_data, src_linesize, pix_fmt, width, height, align)) \
  F(int, av_image_get_buffer_size, \
    (enum AVPixelFormat pix_fmt, int width, int height, int align), \
    (pix_fmt, width, height, align)) \
  F(void, av_log_set_level, (int level), (level)) \
  F(int, av_opt_set_int, (void *obj, const char *name, int64_t val, int search_flags), \
    (obj, name, val, search_flags)) \
  F(const AVPixFmtDescriptor *, av_pix_fmt_desc_get, (enum AVPixelFormat pix_fmt), (pix_fmt)) \
  F(int64_t, av_rescale_q_rnd, (int64_t a, AVRational bq, AVRational cq, enum AVRounding rnd), \
    (a, bq, cq, rnd)) \
  F(int, av_strerror, (int errnum, char *errbuf, size_t errbuf_size), \
    (errnum, errbuf, errbuf_size))

#define LAMINA_SWSCALE_FUNCTIONS(F) \
  F(void, sws_freeContext, (struct SwsContext *swsContext), (swsContext)) \
  F(struct SwsContext *, sws_alloc_context, (void), ()) \
  F(const int *, sws_getCoefficients, (int colorspace), (colorspace)) \
  F(int, sws_init_context, \
    (struct SwsContext *sws_context, SwsFilter *srcFilter, SwsFilter *dstFilter), \
    (sws_context, srcFilter, dstFilter)) \
  F(int, sws_isSupportedInput, (enum AVPixelFormat pix_fmt), (pix_fmt)) \
  F(int, sws_scale_frame, (struct SwsContext *c, AVFrame *dst, const AVFrame *src), \
    (c, dst, src)) \
  F(int, sws_setColorspaceDetails, \
    (struct SwsContext *c, const int inv_table[4], int srcRange, const int table[4], \
     int dstRange, int brightness, int contrast, int saturation), \
    (c, inv_table, srcRange, table, dstRange, brightness, contrast, saturation))

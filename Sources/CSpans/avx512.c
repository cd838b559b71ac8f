#include "CSpans.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"))), \
    apply_to = function)

typedef __m512i ints;
typedef __m512 floats;
enum { at_once = 16 };
#define V(name) _mm512_##name

static inline ints repeated(__m128i lane) { return _mm512_broadcast_i32x4(lane); }

static inline ints widened(__m128i pixels) { return _mm512_castsi128_si512(pixels); }

static inline __m128i narrowed(ints pixels) { return _mm512_castsi512_si128(pixels); }

// The lanes in which none of the bits is set.
static inline unsigned lanes_without(ints numbers, ints bits) {
  return _mm512_testn_epi32_mask(numbers, bits);
}

static inline unsigned lanes_below(floats a, floats b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

// The pixels, but in those lanes others of an image.
static inline ints gathered(ints pixels, const uint32_t *image, ints index, unsigned lanes) {
  return _mm512_mask_i32gather_epi32(pixels, (__mmask16)lanes, index, (const int *)image, 4);
}

// The lanes of the pixels that are left, fewer than there are in a vector.
static inline __mmask16 lanes(int left) { return (__mmask16)((1u << left) - 1); }

static inline ints load(const uint32_t *pixels, int left) {
  if (left >= at_once) return _mm512_loadu_si512(pixels);
  return _mm512_maskz_loadu_epi32(lanes(left), pixels);
}

static inline void store(uint32_t *pixels, ints result, int left) {
  if (left >= at_once) {
    _mm512_storeu_si512(pixels, result);
  } else {
    _mm512_mask_storeu_epi32(pixels, lanes(left), result);
  }
}

// Both factors have 15 bits.
static inline ints added_product(ints sum, ints a, ints b) {
  return _mm512_dpwssd_epi32(sum, a, b);
}

static inline ints joined_lanes(const __m128i *lanes) {
  ints lower = _mm512_castsi256_si512(_mm256_set_m128i(lanes[1], lanes[0]));
  return _mm512_inserti64x4(lower, _mm256_set_m128i(lanes[3], lanes[2]), 1);
}

#include "loops.h"

const struct lamina_spans *lamina_spans_avx512(void) {
  // The last of these came with the first processors that keep their clock.
  bool is_there = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi2");
  return is_there ? &spans : NULL;
}

#pragma clang attribute pop

#else

const struct lamina_spans *lamina_spans_avx512(void) { return NULL; }

#endif

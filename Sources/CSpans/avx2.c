#include "CSpans.h"

#include <stddef.h>

#if defined(__x86_64__)
#include <immintrin.h>

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

typedef __m256i ints;
typedef __m256 floats;
enum { at_once = 8 };
#define V(name) _mm256_##name

static inline ints repeated(__m128i lane) { return _mm256_broadcastsi128_si256(lane); }

static inline ints widened(__m128i pixels) { return _mm256_castsi128_si256(pixels); }

static inline __m128i narrowed(ints pixels) { return _mm256_castsi256_si128(pixels); }

// The lanes in which none of the bits is set.
static inline unsigned lanes_without(ints numbers, ints bits) {
  ints is_zero = _mm256_cmpeq_epi32(numbers & bits, _mm256_setzero_si256());
  return (unsigned)_mm256_movemask_ps((floats)is_zero);
}

static inline unsigned lanes_below(floats a, floats b) {
  return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

// The pixels, but in those lanes others of an image.
static inline ints gathered(ints pixels, const uint32_t *image, ints index, unsigned lanes) {
  ints bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  ints mask = _mm256_cmpeq_epi32(_mm256_set1_epi32((int)lanes) & bits, bits);
  return _mm256_mask_i32gather_epi32(pixels, (const int *)image, index, mask, 4);
}

static inline ints load(const uint32_t *pixels, int left) {
  if (left >= at_once) return _mm256_loadu_si256((const __m256i *)pixels);
  ints order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_maskload_epi32(
      (const int *)pixels, _mm256_cmpgt_epi32(_mm256_set1_epi32(left), order));
}

// Some processors take dozens of steps to store chosen lanes.
static inline void store(uint32_t *pixels, ints result, int left) {
  if (left >= at_once) {
    _mm256_storeu_si256((__m256i *)pixels, result);
    return;
  }
  __m128i rest = _mm256_castsi256_si128(result);
  if (left & 4) {
    _mm_storeu_si128((__m128i *)pixels, rest);
    rest = _mm256_extracti128_si256(result, 1);
    pixels += 4;
  }
  if (left & 2) {
    _mm_storel_epi64((__m128i *)pixels, rest);
    rest = _mm_srli_si128(rest, 8);
    pixels += 2;
  }
  if (left & 1) *pixels = (uint32_t)_mm_cvtsi128_si32(rest);
}

// Both factors have 15 bits.
static inline ints added_product(ints sum, ints a, ints b) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

static inline ints joined_lanes(const __m128i *lanes) {
  return _mm256_set_m128i(lanes[1], lanes[0]);
}

#include "loops.h"

const struct lamina_spans *lamina_spans_avx2(void) {
  return __builtin_cpu_supports("avx2") ? &spans : NULL;
}

#pragma clang attribute pop

#else

const struct lamina_spans *lamina_spans_avx2(void) { return NULL; }

#endif

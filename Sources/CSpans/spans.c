#include "CSpans.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline, target("avx2")))

bool lamina_has_avx2(void) { return __builtin_cpu_supports("avx2"); }

// Two of a pixel's channels, in 16 bits each.
INLINE __m256i low_pair(__m256i pixels) {
  return _mm256_and_si256(pixels, _mm256_set1_epi32(0x00ff00ff));
}

INLINE __m256i high_pair(__m256i pixels) { return _mm256_srli_epi16(pixels, 8); }

// Channels times factors, both from 0 to 255: over 255, rounded to the nearest.
INLINE __m256i scaled_pair(__m256i pair, __m256i factor) {
  __m256i product = _mm256_add_epi16(_mm256_mullo_epi16(pair, factor), _mm256_set1_epi16(128));
  // A 256th and a 65,536th together are a 255th, as far as these products reach.
  return _mm256_mulhi_epu16(product, _mm256_set1_epi16(257));
}

INLINE __m256i joined(__m256i low, __m256i high) {
  return _mm256_or_si256(low, _mm256_slli_epi16(high, 8));
}

// `factor` has a number in both halves of each 32 bits.
INLINE __m256i scaled(__m256i pixels, __m256i factor) {
  return joined(scaled_pair(low_pair(pixels), factor), scaled_pair(high_pair(pixels), factor));
}

INLINE __m256i both_halves(__m256i numbers) {
  return _mm256_or_si256(numbers, _mm256_slli_epi32(numbers, 16));
}

INLINE __m256i over(__m256i source, __m256i target) {
  __m256i rest = _mm256_sub_epi32(_mm256_set1_epi32(255), _mm256_srli_epi32(source, 24));
  return _mm256_adds_epu8(source, scaled(target, both_halves(rest)));
}

// The lanes of the pixels that are left, at most eight.
INLINE __m256i lanes(int count) {
  return _mm256_cmpgt_epi32(
      _mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

INLINE __m256i load(const uint32_t *pixels, int left) {
  if (left >= 8) return _mm256_loadu_si256((const __m256i *)pixels);
  return _mm256_maskload_epi32((const int *)pixels, lanes(left));
}

INLINE void store(uint32_t *pixels, __m256i result, int left) {
  if (left >= 8) {
    _mm256_storeu_si256((__m256i *)pixels, result);
  } else {
    _mm256_maskstore_epi32((int *)pixels, lanes(left), result);
  }
}

AVX2 void lamina_tint_avx2(uint32_t *target, int count, uint32_t color) {
  __m256i source = _mm256_set1_epi32((int)color);
  __m256i rest = _mm256_set1_epi16((short)(255 - (color >> 24)));
  for (int i = 0; i < count; i += 8) {
    int left = count - i;
    __m256i under = scaled(load(target + i, left), rest);
    store(target + i, _mm256_adds_epu8(source, under), left);
  }
}

AVX2 void lamina_over_avx2(
    uint32_t *target, const uint32_t *source, int count, uint32_t opacity) {
  __m256i factor = _mm256_set1_epi16((short)opacity);
  for (int i = 0; i < count; i += 8) {
    int left = count - i;
    __m256i pixels = load(source + i, left);
    if (opacity != 255) pixels = scaled(pixels, factor);
    store(target + i, over(pixels, load(target + i, left)), left);
  }
}

AVX2 void lamina_mask_avx2(uint32_t *target, const uint32_t *mask, int count, uint32_t color) {
  __m256i source = _mm256_set1_epi32((int)color);
  for (int i = 0; i < count; i += 8) {
    int left = count - i;
    __m256i pixels = scaled(source, both_halves(load(mask + i, left)));
    store(target + i, over(pixels, load(target + i, left)), left);
  }
}

// Channels of neighbours in turn, times the weights of both, less 128 times the sum of the weights:
// the sums have 16 bits with a sign.
INLINE __m256i weighed(__m256i channels, __m256i weights) {
  return _mm256_maddubs_epi16(weights, _mm256_xor_si256(channels, _mm256_set1_epi8(-128)));
}

AVX2 void lamina_mix_avx2(
    uint32_t *target, const uint32_t *upper, const uint32_t *lower, int count,
    uint32_t fraction_x, uint32_t fraction_y) {
  uint32_t both = (fraction_x * fraction_y + 128) >> 8;
  __m256i above = _mm256_set1_epi16(
      (short)(256 - fraction_x - fraction_y + both + ((fraction_x - both) << 8)));
  __m256i below = _mm256_set1_epi16((short)(fraction_y - both + (both << 8)));
  // Half of what is divided by, and what all four products lack.
  __m256i half = _mm256_set1_epi16((short)(128 + 128 * 256));
  for (int i = 0; i < count; i += 8) {
    int left = count - i;
    __m256i a = load(upper + i, left), b = load(upper + i + 1, left);
    __m256i c = load(lower + i, left), d = load(lower + i + 1, left);
    __m256i low = _mm256_add_epi16(
        weighed(_mm256_unpacklo_epi8(a, b), above), weighed(_mm256_unpacklo_epi8(c, d), below));
    __m256i high = _mm256_add_epi16(
        weighed(_mm256_unpackhi_epi8(a, b), above), weighed(_mm256_unpackhi_epi8(c, d), below));
    low = _mm256_srli_epi16(_mm256_add_epi16(low, half), 8);
    high = _mm256_srli_epi16(_mm256_add_epi16(high, half), 8);
    store(target + i, _mm256_packus_epi16(low, high), left);
  }
}

// A place in 1/256 of a pixel from the first pixel's middle, within the image; 0 for NaN.
INLINE __m256i place(__m256 coordinate, float limit) {
  __m256 middle = _mm256_sub_ps(coordinate, _mm256_set1_ps(0.5f));
  // Each of these has its second number if one is NaN.
  __m256 inside = _mm256_min_ps(
      _mm256_max_ps(middle, _mm256_setzero_ps()), _mm256_set1_ps(limit));
  __m256 rounded = _mm256_add_ps(
      _mm256_mul_ps(inside, _mm256_set1_ps(256.0f)), _mm256_set1_ps(12582912.0f));
  return _mm256_sub_epi32(_mm256_castps_si256(rounded), _mm256_set1_epi32(0x4b400000));
}

// Two pixels and the next ones of an image's rows, in 16 bits a channel.
INLINE __m256i two_pairs(const uint32_t *image, uint32_t first, uint32_t second) {
  __m128i pixels = _mm_loadl_epi64((const __m128i *)(image + first));
  __m128i more = _mm_loadl_epi64((const __m128i *)(image + second));
  return _mm256_cvtepu8_epi16(_mm_unpacklo_epi64(pixels, more));
}

// Pixels j and j + 4 of eight: the sums of four neighbours times their weights.
INLINE __m256i mixed_pair(
    const uint32_t *image, const uint32_t *upper, const uint32_t *lower, __m256i above,
    __m256i below, int j) {
  // A pixel's two weights, four times each.
  __m256i order = _mm256_broadcastsi128_si256(_mm_add_epi8(
      _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3), _mm_set1_epi8(4 * j)));
  __m256i high = _mm256_mullo_epi16(
      two_pairs(image, upper[j], upper[j + 4]), _mm256_shuffle_epi8(above, order));
  __m256i low = _mm256_mullo_epi16(
      two_pairs(image, lower[j], lower[j + 4]), _mm256_shuffle_epi8(below, order));
  __m256i sum = _mm256_add_epi16(high, low);
  sum = _mm256_add_epi16(sum, _mm256_srli_si256(sum, 8));
  return _mm256_srli_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(128)), 8);
}

AVX2 void lamina_sample_avx2(
    uint32_t *target, const uint32_t *image, int stride, int width, int height,
    const struct lamina_places *places, int count) {
  __m256i fraction = _mm256_set1_epi32(255), one = _mm256_set1_epi32(1);
  __m256i last_x = _mm256_set1_epi32(width - 1), last_y = _mm256_set1_epi32(height - 1);
  __m256i row = _mm256_set1_epi32(stride);
  __m256 first = _mm256_set1_ps(places->first);
  __m256 counting = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
  uint32_t upper[8], lower[8];
  for (int i = 0; i < count; i += 8) {
    __m256 column =
        _mm256_add_ps(first, _mm256_add_ps(counting, _mm256_set1_ps((float)i)));
    __m256 x = _mm256_add_ps(
        _mm256_set1_ps(places->x), _mm256_mul_ps(_mm256_set1_ps(places->x_across), column));
    __m256 y = _mm256_add_ps(
        _mm256_set1_ps(places->y), _mm256_mul_ps(_mm256_set1_ps(places->y_across), column));
    if (places->has_perspective) {
      __m256 inverse = _mm256_add_ps(
          _mm256_set1_ps(places->w), _mm256_mul_ps(_mm256_set1_ps(places->w_across), column));
      __m256 depth = _mm256_div_ps(_mm256_set1_ps(1.0f), inverse);
      x = _mm256_mul_ps(x, depth);
      y = _mm256_mul_ps(y, depth);
    }
    __m256i place_x = place(x, (float)(width - 1));
    __m256i place_y = place(y, (float)(height - 1));
    __m256i first_x = _mm256_srli_epi32(place_x, 8), first_y = _mm256_srli_epi32(place_y, 8);
    // Nothing follows the last pixel: it is taken as the second of two, with all of the weight.
    __m256i is_last = _mm256_cmpeq_epi32(first_x, last_x);
    first_x = _mm256_add_epi32(first_x, is_last);
    __m256i next_y = _mm256_min_epi32(_mm256_add_epi32(first_y, one), last_y);
    __m256i part_x = _mm256_and_si256(place_x, fraction);
    part_x = _mm256_sub_epi32(part_x, _mm256_slli_epi32(is_last, 8));
    __m256i part_y = _mm256_and_si256(place_y, fraction);
    __m256i both = _mm256_srli_epi32(
        _mm256_add_epi32(_mm256_mullo_epi32(part_x, part_y), _mm256_set1_epi32(128)), 8);
    __m256i weight_b = _mm256_sub_epi32(part_x, both);
    __m256i weight_c = _mm256_sub_epi32(part_y, both);
    __m256i weight_a = _mm256_sub_epi32(
        _mm256_sub_epi32(_mm256_set1_epi32(256), part_x), weight_c);
    __m256i above = _mm256_or_si256(weight_a, _mm256_slli_epi32(weight_b, 16));
    __m256i below = _mm256_or_si256(weight_c, _mm256_slli_epi32(both, 16));
    _mm256_storeu_si256(
        (__m256i *)upper, _mm256_add_epi32(_mm256_mullo_epi32(first_y, row), first_x));
    _mm256_storeu_si256(
        (__m256i *)lower, _mm256_add_epi32(_mm256_mullo_epi32(next_y, row), first_x));
    __m256i r0 = mixed_pair(image, upper, lower, above, below, 0);
    __m256i r1 = mixed_pair(image, upper, lower, above, below, 1);
    __m256i r2 = mixed_pair(image, upper, lower, above, below, 2);
    __m256i r3 = mixed_pair(image, upper, lower, above, below, 3);
    __m256i result = _mm256_packus_epi16(
        _mm256_unpacklo_epi64(r0, r1), _mm256_unpacklo_epi64(r2, r3));
    store(target + i, result, count - i);
  }
}

#else

bool lamina_has_avx2(void) { return false; }

#endif

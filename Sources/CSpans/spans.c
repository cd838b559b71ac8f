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

// What of the pixels below shows through others, as a factor in both halves.
INLINE __m256i rest_of(__m256i source) {
  return both_halves(_mm256_sub_epi32(_mm256_set1_epi32(255), _mm256_srli_epi32(source, 24)));
}

INLINE __m256i over(__m256i source, __m256i target) {
  return _mm256_adds_epu8(source, scaled(target, rest_of(source)));
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

// Some processors take dozens of steps to store chosen lanes.
INLINE void store(uint32_t *pixels, __m256i result, int left) {
  if (left >= 8) {
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

AVX2 void lamina_tint_avx2(uint32_t *target, int count, int rows, int64_t stride, uint32_t color) {
  __m256i source = _mm256_set1_epi32((int)color);
  __m256i rest = _mm256_set1_epi16((short)(255 - (color >> 24)));
  for (; rows > 0; rows--, target += stride) {
    for (int i = 0; i < count; i += 8) {
      int left = count - i;
      __m256i under = scaled(load(target + i, left), rest);
      store(target + i, _mm256_adds_epu8(source, under), left);
    }
  }
}

AVX2 void lamina_over_avx2(
    uint32_t *target, const uint32_t *source, int count, int rows, int64_t stride,
    uint32_t opacity) {
  __m256i factor = _mm256_set1_epi16((short)opacity);
  for (int i = 0; i < count; i += 8) {
    int left = count - i;
    __m256i pixels = load(source + i, left);
    if (opacity != 255) pixels = scaled(pixels, factor);
    __m256i rest = rest_of(pixels);
    uint32_t *row = target + i;
    for (int y = 0; y < rows; y++, row += stride) {
      store(row, _mm256_adds_epu8(pixels, scaled(load(row, left), rest)), left);
    }
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

// The sum of two such rows over 256, rounded to the nearest. All weights add up to 256.
INLINE __m256i mixed_sum(__m256i upper, __m256i lower) {
  __m256i lost = _mm256_set1_epi16((short)(128 * 256 + 128));
  return _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(upper, lower), lost), 8);
}

// The weights of two neighbours in an upper row, and of those below them.
struct weights {
  __m256i above, below;
};

INLINE struct weights weights_of(uint32_t x, uint32_t y) {
  uint32_t both = (x * y + 128) >> 8;
  struct weights result = {
      _mm256_set1_epi16((short)(256 - x - y + both + ((x - both) << 8))),
      _mm256_set1_epi16((short)(y - both + (both << 8)))};
  return result;
}

INLINE __m256i mixed_pixels(
    __m256i a, __m256i b, __m256i c, __m256i d, struct weights weights) {
  __m256i low = mixed_sum(
      weighed(_mm256_unpacklo_epi8(a, b), weights.above),
      weighed(_mm256_unpacklo_epi8(c, d), weights.below));
  __m256i high = mixed_sum(
      weighed(_mm256_unpackhi_epi8(a, b), weights.above),
      weighed(_mm256_unpackhi_epi8(c, d), weights.below));
  return _mm256_packus_epi16(low, high);
}

// Up to eight pixels, mixed with their neighbours to the right and in the row below.
INLINE __m256i mixed(
    const uint32_t *upper, const uint32_t *lower, int left, struct weights weights) {
  return mixed_pixels(
      load(upper, left), load(upper + 1, left), load(lower, left), load(lower + 1, left),
      weights);
}

AVX2 void lamina_mix_avx2(
    uint32_t *target, const uint32_t *upper, const uint32_t *lower, int count,
    uint32_t fraction_x, uint32_t fraction_y) {
  struct weights weights = weights_of(fraction_x, fraction_y);
  for (int i = 0; i < count; i += 8) {
    int left = count - i;
    store(target + i, mixed(upper + i, lower + i, left, weights), left);
  }
}

AVX2 void lamina_mix_over_avx2(
    uint32_t *target, int64_t target_stride, const uint32_t *source, int64_t source_stride,
    int count, int rows, uint32_t fraction_x, uint32_t fraction_y, uint32_t opacity) {
  struct weights weights = weights_of(fraction_x, fraction_y);
  __m256i factor = _mm256_set1_epi16((short)opacity);
  for (; rows > 0; rows--, target += target_stride, source += source_stride) {
    for (int i = 0; i < count; i += 8) {
      int left = count - i;
      __m256i pixels = mixed(source + i, source + source_stride + i, left, weights);
      if (opacity != 255) pixels = scaled(pixels, factor);
      store(target + i, over(pixels, load(target + i, left)), left);
    }
  }
}

INLINE __m256i single(uint32_t pixel) {
  return _mm256_castsi128_si256(_mm_cvtsi32_si128((int)pixel));
}

AVX2 void lamina_mix_column_over_avx2(
    uint32_t *target, int64_t target_stride, const uint32_t *left, const uint32_t *right,
    int64_t source_stride, int rows, uint32_t fraction_x, uint32_t fraction_y,
    uint32_t opacity) {
  struct weights weights = weights_of(fraction_x, fraction_y);
  __m256i factor = _mm256_set1_epi16((short)opacity);
  __m256i a = single(*left), b = single(*right);
  for (; rows > 0; rows--, target += target_stride) {
    left += source_stride;
    right += source_stride;
    __m256i c = single(*left), d = single(*right);
    __m256i pixel = scaled(mixed_pixels(a, b, c, d, weights), factor);
    __m256i result = over(pixel, single(*target));
    *target = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(result));
    a = c;
    b = d;
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

// Where eight neighbouring pixels sample an image: the place of the upper left one of four
// neighbours, and the weights of the upper two and of the lower two, in the lowest bytes, the left
// one's first.
struct samples {
  uint32_t index[8];
  __m256i upper, lower;
};

// The places and weights at those coordinates.
INLINE struct samples samples_at(__m256 x, __m256 y, int stride, int width, int height) {
  __m256i place_x = place(x, (float)(width - 1)), place_y = place(y, (float)(height - 1));
  __m256i column = _mm256_srli_epi32(place_x, 8), row = _mm256_srli_epi32(place_y, 8);
  // Nothing follows the last pixel: it is taken as the second of two, with all of the weight.
  __m256i is_last_column = _mm256_cmpeq_epi32(column, _mm256_set1_epi32(width - 1));
  __m256i is_last_row = _mm256_cmpeq_epi32(row, _mm256_set1_epi32(height - 1));
  column = _mm256_add_epi32(column, is_last_column);
  row = _mm256_add_epi32(row, is_last_row);
  __m256i fraction = _mm256_set1_epi32(255);
  __m256i right = _mm256_sub_epi32(
      _mm256_and_si256(place_x, fraction), _mm256_slli_epi32(is_last_column, 8));
  __m256i low = _mm256_sub_epi32(
      _mm256_and_si256(place_y, fraction), _mm256_slli_epi32(is_last_row, 8));
  __m256i both = _mm256_srli_epi32(
      _mm256_add_epi32(_mm256_madd_epi16(right, low), _mm256_set1_epi32(128)), 8);
  __m256i lower_left = _mm256_sub_epi32(low, both), upper_right = _mm256_sub_epi32(right, both);
  __m256i upper_left = _mm256_sub_epi32(
      _mm256_sub_epi32(_mm256_set1_epi32(256), right), lower_left);
  struct samples samples;
  samples.upper = _mm256_or_si256(upper_left, _mm256_slli_epi32(upper_right, 8));
  samples.lower = _mm256_or_si256(lower_left, _mm256_slli_epi32(both, 8));
  _mm256_storeu_si256(
      (__m256i *)samples.index,
      _mm256_add_epi32(_mm256_mullo_epi32(row, _mm256_set1_epi32(stride)), column));
  return samples;
}

// The lanes in which one of the four has all of the weight, 256, which no byte holds.
INLINE __m256i whole_lanes(const struct samples *samples) {
  __m256i weights = _mm256_or_si256(samples->upper, samples->lower);
  return _mm256_or_si256(
      _mm256_cmpeq_epi32(weights, _mm256_set1_epi32(256)),
      _mm256_cmpeq_epi32(weights, _mm256_set1_epi32(256 << 8)));
}

// In those lanes, that pixel.
INLINE __m256i whole_pixels(
    const uint32_t *image, int stride, const struct samples *samples, __m256i lanes) {
  __m256i weights = _mm256_or_si256(samples->upper, samples->lower);
  __m256i is_right = _mm256_cmpeq_epi32(weights, _mm256_set1_epi32(256 << 8));
  __m256i is_upper = _mm256_cmpeq_epi32(samples->lower, _mm256_setzero_si256());
  __m256i index = _mm256_sub_epi32(
      _mm256_loadu_si256((const __m256i *)samples->index), is_right);
  index = _mm256_add_epi32(index, _mm256_andnot_si256(is_upper, _mm256_set1_epi32(stride)));
  return _mm256_mask_i32gather_epi32(
      _mm256_setzero_si256(), (const int *)image, index, lanes, 4);
}

// Two neighbours of each of four pixels, their channels in turn.
INLINE __m256i four_pairs(const uint32_t *image, const uint32_t *index) {
  __m128 near = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(image + index[0]));
  __m128 far = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(image + index[4]));
  near = _mm_loadh_pi(near, (const __m64 *)(image + index[1]));
  far = _mm_loadh_pi(far, (const __m64 *)(image + index[5]));
  __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
  return _mm256_shuffle_epi8(_mm256_castps_si256(_mm256_set_m128(far, near)), order);
}

// Pixels j, j + 1, j + 4 and j + 5 of eight, in 16 bits a channel.
INLINE __m256i mixed_four(
    const uint32_t *image, int stride, const struct samples *samples, int j) {
  // A pixel's two weights, four times each.
  __m256i order = _mm256_broadcastsi128_si256(_mm_add_epi8(
      _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5), _mm_set1_epi8(4 * j)));
  const uint32_t *index = samples->index + j;
  return mixed_sum(
      weighed(four_pairs(image, index), _mm256_shuffle_epi8(samples->upper, order)),
      weighed(four_pairs(image + stride, index), _mm256_shuffle_epi8(samples->lower, order)));
}

// A pixel's place takes long to compute, and a processor looks only so far ahead: first come the
// places of a hundred pixels, then the pixels.
enum { sampled_at_once = 128 };

AVX2 void lamina_sample_avx2(
    uint32_t *target, const uint32_t *image, int stride, int width, int height,
    const struct lamina_places *places, int count) {
  const struct lamina_places p = *places;
  struct samples list[sampled_at_once / 8];
  for (int start = 0; start < count; start += sampled_at_once) {
    int end = count - start < sampled_at_once ? count : start + sampled_at_once;
    __m256i whole = _mm256_setzero_si256();
    for (int i = start; i < end; i += 8) {
      __m256 column = _mm256_add_ps(
          _mm256_set1_ps(p.first),
          _mm256_add_ps(_mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_ps((float)i)));
      __m256 x = _mm256_add_ps(
          _mm256_set1_ps(p.x), _mm256_mul_ps(_mm256_set1_ps(p.x_across), column));
      __m256 y = _mm256_add_ps(
          _mm256_set1_ps(p.y), _mm256_mul_ps(_mm256_set1_ps(p.y_across), column));
      if (p.has_perspective) {
        __m256 inverse = _mm256_add_ps(
            _mm256_set1_ps(p.w), _mm256_mul_ps(_mm256_set1_ps(p.w_across), column));
        __m256 depth = _mm256_div_ps(_mm256_set1_ps(1.0f), inverse);
        x = _mm256_mul_ps(x, depth);
        y = _mm256_mul_ps(y, depth);
      }
      struct samples *samples = list + (i - start) / 8;
      *samples = samples_at(x, y, stride, width, height);
      whole = _mm256_or_si256(whole, whole_lanes(samples));
    }
    for (int i = start; i < end; i += 8) {
      const struct samples *samples = list + (i - start) / 8;
      __m256i result = _mm256_packus_epi16(
          mixed_four(image, stride, samples, 0), mixed_four(image, stride, samples, 2));
      store(target + i, result, end - i);
    }
    if (_mm256_testz_si256(whole, whole)) continue;
    for (int i = start; i < end; i += 8) {
      const struct samples *samples = list + (i - start) / 8;
      __m256i lanes = whole_lanes(samples);
      __m256i pixels = whole_pixels(image, stride, samples, lanes);
      store(target + i, _mm256_blendv_epi8(load(target + i, end - i), pixels, lanes), end - i);
    }
  }
}

#else

bool lamina_has_avx2(void) { return false; }

#endif

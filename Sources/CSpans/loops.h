// The loops, in vectors of whatever the file that includes this one says: `ints` and `floats`,
// `at_once` pixels each, and `V`, the instruction of a name for them.

// A product and a sum in one step would round once instead of twice.
#pragma STDC FP_CONTRACT OFF

// Two of a pixel's channels, in 16 bits each.
static inline ints low_pair(ints pixels) { return pixels & V(set1_epi32)(0x00ff00ff); }

static inline ints high_pair(ints pixels) { return V(srli_epi16)(pixels, 8); }

// Channels times factors, both from 0 to 255: over 255, rounded to the nearest.
static inline ints scaled_pair(ints pair, ints factor) {
  ints product = V(add_epi16)(V(mullo_epi16)(pair, factor), V(set1_epi16)(128));
  // A 256th and a 65,536th together are a 255th, as far as these products reach.
  return V(mulhi_epu16)(product, V(set1_epi16)(257));
}

// `factor` has a number in both halves of each 32 bits.
static inline ints scaled(ints pixels, ints factor) {
  ints low = scaled_pair(low_pair(pixels), factor);
  ints high = scaled_pair(high_pair(pixels), factor);
  return low | V(slli_epi16)(high, 8);
}

// For a number from 0 to 255: a channel times this over 32,768, rounded to the nearest, is the
// channel times the number over 255, rounded to the nearest. It is one of the two neighbours of the
// quotient; the other is wrong for some channels, by no simple rule.
static const int16_t parts_of_32768[256] = {
  0, 129, 257, 386, 514, 643, 771, 900, 1028, 1157, 1285, 1413, 1542, 1671, 1799, 1928, 2056,
  2185, 2313, 2441, 2570, 2699, 2827, 2955, 3084, 3213, 3341, 3470, 3598, 3726, 3855, 3984,
  4112, 4241, 4369, 4498, 4626, 4755, 4883, 5012, 5140, 5268, 5397, 5525, 5654, 5783, 5911,
  6039, 6168, 6297, 6425, 6554, 6682, 6811, 6939, 7068, 7196, 7325, 7453, 7581, 7710, 7838,
  7967, 8096, 8224, 8353, 8481, 8609, 8738, 8867, 8995, 9124, 9252, 9381, 9509, 9638, 9766,
  9895, 10023, 10152, 10280, 10409, 10537, 10666, 10794, 10923, 11051, 11180, 11308, 11437,
  11565, 11694, 11822, 11951, 12079, 12208, 12336, 12465, 12593, 12722, 12850, 12979, 13107,
  13235, 13364, 13493, 13621, 13750, 13878, 14007, 14135, 14264, 14392, 14521, 14649, 14778,
  14906, 15035, 15163, 15292, 15420, 15549, 15677, 15806, 15934, 16063, 16191, 16320, 16448,
  16577, 16705, 16834, 16962, 17091, 17219, 17348, 17476, 17605, 17733, 17862, 17990, 18119,
  18247, 18376, 18504, 18633, 18761, 18890, 19018, 19147, 19275, 19404, 19533, 19661, 19789,
  19918, 20046, 20175, 20303, 20432, 20560, 20689, 20817, 20946, 21074, 21203, 21331, 21460,
  21588, 21717, 21845, 21974, 22102, 22231, 22359, 22488, 22616, 22745, 22873, 23002, 23130,
  23259, 23387, 23516, 23644, 23773, 23901, 24030, 24159, 24287, 24415, 24544, 24672, 24801,
  24930, 25058, 25187, 25315, 25443, 25572, 25700, 25829, 25957, 26086, 26214, 26343, 26471,
  26600, 26729, 26857, 26985, 27114, 27243, 27371, 27500, 27628, 27756, 27885, 28013, 28142,
  28270, 28399, 28527, 28656, 28784, 28913, 29042, 29170, 29298, 29427, 29555, 29684, 29813,
  29941, 30069, 30198, 30327, 30455, 30583, 30712, 30840, 30969, 31097, 31226, 31355, 31483,
  31611, 31740, 31868, 31997, 32125, 32254, 32382, 32511, 32639, 32767,
};

// `number`, from 0 to 255, as a factor of all pixels.
static inline ints part_of_all(uint32_t number) {
  return V(set1_epi16)(parts_of_32768[number & 255]);
}

static inline ints scaled_alike(ints pixels, ints part) {
  ints low = V(mulhrs_epi16)(low_pair(pixels), part);
  ints high = V(mulhrs_epi16)(high_pair(pixels), part);
  return low | V(slli_epi16)(high, 8);
}

static inline ints both_halves(ints numbers) { return numbers | V(slli_epi32)(numbers, 16); }

// What of the pixels below shows through others, as a factor in both halves.
static inline ints rest_of(ints source) {
  return both_halves(V(sub_epi32)(V(set1_epi32)(255), V(srli_epi32)(source, 24)));
}

static inline ints over(ints source, ints target) {
  return V(adds_epu8)(source, scaled(target, rest_of(source)));
}

static void fill(uint32_t *target, int count, int rows, int64_t stride, uint32_t color) {
  ints pixels = V(set1_epi32)((int)color);
  for (; rows > 0; rows--, target += stride) {
    for (int i = 0; i < count; i += at_once) store(target + i, pixels, count - i);
  }
}

static void tint(uint32_t *target, int count, int rows, int64_t stride, uint32_t color) {
  ints source = V(set1_epi32)((int)color);
  ints rest = part_of_all(255 - (color >> 24));
  for (; rows > 0; rows--, target += stride) {
    for (int i = 0; i < count; i += at_once) {
      int left = count - i;
      ints under = scaled_alike(load(target + i, left), rest);
      store(target + i, V(adds_epu8)(source, under), left);
    }
  }
}

static void paint_over(
    uint32_t *target, const uint32_t *source, int count, int rows, int64_t stride,
    uint32_t opacity) {
  ints part = part_of_all(opacity);
  for (int i = 0; i < count; i += at_once) {
    int left = count - i;
    ints pixels = load(source + i, left);
    if (opacity != 255) pixels = scaled_alike(pixels, part);
    ints rest = rest_of(pixels);
    uint32_t *row = target + i;
    for (int y = 0; y < rows; y++, row += stride) {
      store(row, V(adds_epu8)(pixels, scaled(load(row, left), rest)), left);
    }
  }
}

static void mask(uint32_t *target, const uint32_t *mask, int count, uint32_t color) {
  ints source = V(set1_epi32)((int)color);
  for (int i = 0; i < count; i += at_once) {
    int left = count - i;
    ints pixels = scaled(source, both_halves(load(mask + i, left)));
    store(target + i, over(pixels, load(target + i, left)), left);
  }
}

// Channels less 128, with a sign.
static inline ints centered(ints channels) { return channels ^ V(set1_epi8)(-128); }

// Channels of neighbours in turn, times the weights of both, less 128 times the sum of the weights:
// the sums have 16 bits with a sign.
static inline ints weighed(ints channels, ints weights) {
  return V(maddubs_epi16)(weights, centered(channels));
}

// The sum of two such rows over 256, rounded to the nearest, less 128: all weights add up to 256.
static inline ints mixed_sum(ints upper, ints lower) {
  return V(mulhrs_epi16)(V(add_epi16)(upper, lower), V(set1_epi16)(128));
}

// Pixels from such sums, those of each half of a lane.
static inline ints pixels_of(ints low, ints high) {
  return centered(V(packs_epi16)(low, high));
}

// The weights of two neighbours in an upper row, and of those below them.
struct weights {
  ints above, below;
};

static inline struct weights weights_of(uint32_t x, uint32_t y) {
  uint32_t both = (x * y + 128) >> 8;
  struct weights result = {
      V(set1_epi16)((short)(256 - x - y + both + ((x - both) << 8))),
      V(set1_epi16)((short)(y - both + (both << 8)))};
  return result;
}

static inline ints mixed_pixels(ints a, ints b, ints c, ints d, struct weights weights) {
  ints low = mixed_sum(
      weighed(V(unpacklo_epi8)(a, b), weights.above),
      weighed(V(unpacklo_epi8)(c, d), weights.below));
  ints high = mixed_sum(
      weighed(V(unpackhi_epi8)(a, b), weights.above),
      weighed(V(unpackhi_epi8)(c, d), weights.below));
  return pixels_of(low, high);
}

// Pixels mixed with their neighbours to the right and in the row below.
static inline ints mixed(
    const uint32_t *upper, const uint32_t *lower, int left, struct weights weights) {
  return mixed_pixels(
      load(upper, left), load(upper + 1, left), load(lower, left), load(lower + 1, left),
      weights);
}

static void mix(
    uint32_t *target, const uint32_t *upper, const uint32_t *lower, int count,
    uint32_t fraction_x, uint32_t fraction_y) {
  struct weights weights = weights_of(fraction_x, fraction_y);
  for (int i = 0; i < count; i += at_once) {
    int left = count - i;
    store(target + i, mixed(upper + i, lower + i, left, weights), left);
  }
}

static void mix_over(
    uint32_t *target, int64_t target_stride, const uint32_t *source, int64_t source_stride,
    int count, int rows, uint32_t fraction_x, uint32_t fraction_y, uint32_t opacity) {
  struct weights weights = weights_of(fraction_x, fraction_y);
  ints part = part_of_all(opacity);
  for (; rows > 0; rows--, target += target_stride, source += source_stride) {
    for (int i = 0; i < count; i += at_once) {
      int left = count - i;
      ints pixels = mixed(source + i, source + source_stride + i, left, weights);
      if (opacity != 255) pixels = scaled_alike(pixels, part);
      store(target + i, over(pixels, load(target + i, left)), left);
    }
  }
}

static inline ints single(uint32_t pixel) { return widened(_mm_cvtsi32_si128((int)pixel)); }

static void mix_column_over(
    uint32_t *target, int64_t target_stride, const uint32_t *left, const uint32_t *right,
    int64_t source_stride, int rows, uint32_t fraction_x, uint32_t fraction_y,
    uint32_t opacity) {
  struct weights weights = weights_of(fraction_x, fraction_y);
  ints part = part_of_all(opacity);
  ints a = single(*left), b = single(*right);
  for (; rows > 0; rows--, target += target_stride) {
    left += source_stride;
    right += source_stride;
    ints c = single(*left), d = single(*right);
    ints pixel = scaled_alike(mixed_pixels(a, b, c, d, weights), part);
    *target = (uint32_t)_mm_cvtsi128_si32(narrowed(over(pixel, single(*target))));
    a = c;
    b = d;
  }
}

// A float that is so large has no fractions: a number that is added to it is rounded to the
// nearest, and is what the float's bits are more than these.
static const float large = 12582912.0f;
enum { large_bits = 0x4b400000 };

// Places in an image, as vectors.
struct places {
  // Of a row.
  floats x, x_across, y, y_across, w, w_across;
  // Of all of them.
  floats limit_x, limit_y;
  // What columns and rows are counted from, 256 of which are `large_bits`: the last but one of
  // each, the image's stride, and the index of the first pixel.
  ints last_column, last_row, stride, first;
};

static inline void set_image(struct places *places, int stride, int width, int height) {
  unsigned zero = large_bits / 256;
  places->limit_x = V(set1_ps)((float)(width - 1) * 256);
  places->limit_y = V(set1_ps)((float)(height - 1) * 256);
  places->last_column = V(set1_epi32)((int)zero + width - 2);
  places->last_row = V(set1_epi32)((int)zero + height - 2);
  places->stride = V(set1_epi32)(stride);
  places->first = V(set1_epi32)((int)(zero * (unsigned)stride + zero));
}

static inline void set_row(struct places *places, const struct lamina_places *p, float row) {
  places->x = V(set1_ps)(p->x.start + p->x.down * row);
  places->x_across = V(set1_ps)(p->x.across);
  places->y = V(set1_ps)(p->y.start + p->y.down * row);
  places->y_across = V(set1_ps)(p->y.across);
  places->w = V(set1_ps)(p->w.start + p->w.down * row);
  places->w_across = V(set1_ps)(p->w.across);
}

// A coordinate from the first pixel's middle, within the image, as the bits of a large float; 0 for
// NaN.
static inline ints place(floats coordinate, floats limit) {
  // Each of these has its second number if one is NaN.
  floats least = V(max_ps)(coordinate - V(set1_ps)(128), V(setzero_ps)());
  return (ints)(V(min_ps)(least, limit) + V(set1_ps)(large));
}

// The most pixels that go through the steps of sampling at once.
enum { span_limit = 256 };

// Where neighbouring pixels sample an image: the index of the upper left one of four neighbours,
// and the weights of the upper two and of the lower two, in the lowest bytes, the left one's first.
struct samples {
  uint32_t index[at_once];
  ints upper, lower;
  // The lanes in which one of the four has all of the weight, 256, which no byte holds.
  unsigned whole;
};

static inline void find_samples(
    struct samples *samples, const struct places *p, floats column, bool has_perspective) {
  floats x = p->x + p->x_across * column, y = p->y + p->y_across * column;
  if (has_perspective) {
    floats depth = V(set1_ps)(1) / (p->w + p->w_across * column);
    x *= depth;
    y *= depth;
  }
  ints place_x = place(x, p->limit_x), place_y = place(y, p->limit_y);
  // Nothing follows the last pixel: it is taken as the second of two, with all of the weight.
  ints left = V(min_epi32)(V(srli_epi32)(place_x, 8), p->last_column);
  ints top = V(min_epi32)(V(srli_epi32)(place_y, 8), p->last_row);
  ints right = V(sub_epi32)(place_x, V(slli_epi32)(left, 8));
  ints low = V(sub_epi32)(place_y, V(slli_epi32)(top, 8));
  ints both = V(srli_epi32)(added_product(V(set1_epi32)(128), right, low), 8);
  // With the weights of `weights_of`: below, low − both + 256 · both, and above what is left of
  // 256 − right + 256 · right.
  samples->lower = added_product(low, both, V(set1_epi32)(255));
  ints columns = added_product(V(set1_epi32)(256), right, V(set1_epi32)(255));
  samples->upper = V(sub_epi32)(columns, samples->lower);
  ints index = V(add_epi32)(V(mullo_epi32)(top, p->stride), left);
  store(samples->index, V(sub_epi32)(index, p->first), at_once);
  samples->whole = lanes_without(right | low, V(set1_epi32)(255));
}

// The pixels, but those of `whole` lanes as they are in the image.
static inline ints with_whole(
    ints pixels, const uint32_t *image, int stride, const struct samples *samples) {
  // All of the weight is 256 or, of the right one, 65,536.
  ints right = V(srli_epi32)(samples->upper | samples->lower, 16);
  ints lower = V(srli_epi32)(samples->lower, 8) | V(srli_epi32)(samples->lower, 16);
  ints rows = V(mullo_epi32)(lower & V(set1_epi32)(1), V(set1_epi32)(stride));
  ints index = V(add_epi32)(load(samples->index, at_once), V(add_epi32)(right, rows));
  return gathered(pixels, image, index, samples->whole);
}

// Two neighbours of each of some pixels, their channels in turn: of two in a row in each lane, and
// of those four farther in the next one.
static inline ints pairs(const uint32_t *image, const uint32_t *index) {
  __m128i lanes[at_once / 4];
  for (int lane = 0; lane < at_once / 4; lane++, index += 4) {
    __m128 two = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(image + index[0]));
    lanes[lane] = (__m128i)_mm_loadh_pi(two, (const __m64 *)(image + index[1]));
  }
  ints order = repeated(_mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
  return V(shuffle_epi8)(joined_lanes(lanes), order);
}

// Half of the pixels, from pixel j on, in 16 bits a channel.
static inline ints mixed_samples(
    const uint32_t *image, int stride, const struct samples *samples, int j) {
  // A pixel's two weights, four times each.
  ints order = repeated(_mm_add_epi8(
      _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5), _mm_set1_epi8(4 * j)));
  const uint32_t *index = samples->index + j;
  return mixed_sum(
      weighed(pairs(image, index), V(shuffle_epi8)(samples->upper, order)),
      weighed(pairs(image + stride, index), V(shuffle_epi8)(samples->lower, order)));
}

// The factors of pixels that edges cover in part, from 0 to 255 in both halves.
struct factors {
  ints list[span_limit / at_once];
  // The vectors of them that are there.
  uint32_t found;
};

// Those of one vector of pixels, and the lanes of the pixels that are covered in part.
static inline unsigned find_factors_at(
    ints *factors, const struct lamina_edges *edges, float row, floats column) {
  floats half = V(set1_ps)(0.5f), distances[4];
  for (int i = 0; i < 4; i++) {
    floats start = V(set1_ps)(edges->start[i] + edges->down[i] * row);
    distances[i] = V(min_ps)(start + V(set1_ps)(edges->across[i]) * column, half);
  }
  floats zero = V(setzero_ps)(), one = V(set1_ps)(1);
  floats across = V(min_ps)(V(max_ps)(distances[0] + distances[1], zero), one);
  floats down = V(min_ps)(V(max_ps)(distances[2] + distances[3], zero), one);
  floats coverage = across * down;
  ints bytes = (ints)(coverage * V(set1_ps)(255) + V(set1_ps)(large)) & V(set1_epi32)(255);
  *factors = both_halves(bytes);
  return lanes_below(coverage, one);
}

// From either end up to pixels that are covered wholly: so are all that lie between these.
static inline void find_factors(
    struct factors *factors, const struct lamina_edges *edges, float row, floats column,
    int count) {
  factors->found = 0;
  int left = 0, last = (count - 1) / at_once;
  for (; left <= last; left++) {
    unsigned partly = find_factors_at(
        factors->list + left, edges, row, column + V(set1_ps)((float)(left * at_once)));
    if (partly) factors->found |= 1u << left;
    if (!(partly >> (at_once - 1))) break;
  }
  for (int right = last; right > left; right--) {
    unsigned partly = find_factors_at(
        factors->list + right, edges, row, column + V(set1_ps)((float)(right * at_once)));
    if (partly) factors->found |= 1u << right;
    if (!(partly & 1)) break;
  }
}

static const float counting[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Fetches what rows of places sample into the cache, so that memory is waited for once, and not by
// each few pixels. Of four pixels that lie side by side it looks only at one: they often share a
// line of the cache, as do the lower neighbours with the next row's upper ones.
static inline void fetch(
    struct places *places, const struct lamina_part *parts, int rows, const uint32_t *image,
    const struct lamina_places *p, bool has_perspective) {
  const int apart = 4;
  floats columns = V(loadu_ps)(counting) * V(set1_ps)((float)apart);
  for (int j = 0; j < rows; j++) {
    set_row(places, p, (float)(p->row + j));
    floats column = V(set1_ps)((float)(p->column + parts[j].first)) + columns;
    for (int i = 0; i < parts[j].count; i += apart * at_once) {
      struct samples samples;
      find_samples(&samples, places, column, has_perspective);
      for (int k = 0; k < at_once; k++) __builtin_prefetch(image + samples.index[k]);
      column += V(set1_ps)((float)(apart * at_once));
    }
  }
}

// How samples are painted over pixels.
struct painting {
  // NULL if there are none.
  const struct lamina_edges *edges;
  uint32_t opacity;
};

// Replaces pixels, if `painting` is NULL.
static inline void sample_places(
    uint32_t *target, int64_t target_stride, const struct lamina_part *parts, int rows,
    const uint32_t *image, int stride, int width, int height, const struct lamina_places *p,
    bool has_perspective, const struct painting *painting) {
  struct samples list[span_limit / at_once];
  struct factors factors;
  factors.found = 0;
  struct places places;
  set_image(&places, stride, width, height);
  if (rows > 1) fetch(&places, parts, rows, image, p, has_perspective);
  for (int j = 0; j < rows; j++) {
    uint32_t *pixel = target + j * target_stride + parts[j].first;
    float row = (float)(p->row + j);
    set_row(&places, p, row);
    floats column = V(set1_ps)((float)(p->column + parts[j].first)) + V(loadu_ps)(counting);
    for (int count = parts[j].count; count > 0; count -= span_limit, pixel += span_limit) {
      int end = count < span_limit ? count : span_limit;
      if (painting && painting->edges) {
        find_factors(&factors, painting->edges, row, column, end);
      }
      // A pixel's place takes long to compute, and a processor looks only so far ahead: first come
      // all places, then the pixels.
      for (int i = 0; i < end; i += at_once) {
        find_samples(list + i / at_once, &places, column, has_perspective);
        column += V(set1_ps)(at_once);
      }
      for (int i = 0; i < end; i += at_once) {
        const struct samples *samples = list + i / at_once;
        ints pixels = pixels_of(
            mixed_samples(image, stride, samples, 0), mixed_samples(image, stride, samples, 2));
        if (samples->whole) pixels = with_whole(pixels, image, stride, samples);
        if (painting) {
          if (factors.found >> (i / at_once) & 1) {
            pixels = scaled(pixels, factors.list[i / at_once]);
          }
          if (painting->opacity != 255) {
            pixels = scaled_alike(pixels, part_of_all(painting->opacity));
          }
          pixels = over(pixels, load(pixel + i, end - i));
        }
        store(pixel + i, pixels, end - i);
      }
    }
  }
}

// With and without perspective are compiled apart.
static inline void sample_rows(
    uint32_t *target, int64_t target_stride, const struct lamina_part *parts, int rows,
    const uint32_t *image, int stride, int width, int height, const struct lamina_places *p,
    const struct painting *painting) {
  if (p->has_perspective) {
    sample_places(
        target, target_stride, parts, rows, image, stride, width, height, p, true, painting);
  } else {
    sample_places(
        target, target_stride, parts, rows, image, stride, width, height, p, false, painting);
  }
}

static void sample(
    uint32_t *target, const uint32_t *image, int stride, int width, int height,
    const struct lamina_places *p, int count) {
  const struct lamina_part part = {0, count};
  sample_rows(target, 0, &part, 1, image, stride, width, height, p, NULL);
}

static void sample_over(
    uint32_t *target, int64_t target_stride, const struct lamina_part *parts, int rows,
    const uint32_t *image, int stride, int width, int height, const struct lamina_places *p,
    const struct lamina_edges *edges, uint32_t opacity) {
  const struct painting painting = {edges, opacity};
  sample_rows(target, target_stride, parts, rows, image, stride, width, height, p, &painting);
}

static const struct lamina_spans spans = {
    fill, tint, paint_over, mask, mix, mix_over, mix_column_over, sample, sample_over};

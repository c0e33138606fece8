/* The kernels of engine-as/assembly/vector in C: vectors.mjs compiles this and compares. Prints nanoseconds a call of each. */
#include <nmmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static float dot_f32(const float *left, const float *right, int count) {
  __m128 a = _mm_setzero_ps(), b = a, c = a, d = a;
  for (int i = 0; i < count; i += 16) {
    a = _mm_add_ps(a, _mm_mul_ps(_mm_loadu_ps(left + i), _mm_loadu_ps(right + i)));
    b = _mm_add_ps(b, _mm_mul_ps(_mm_loadu_ps(left + i + 4), _mm_loadu_ps(right + i + 4)));
    c = _mm_add_ps(c, _mm_mul_ps(_mm_loadu_ps(left + i + 8), _mm_loadu_ps(right + i + 8)));
    d = _mm_add_ps(d, _mm_mul_ps(_mm_loadu_ps(left + i + 12), _mm_loadu_ps(right + i + 12)));
  }
  float lanes[4];
  _mm_storeu_ps(lanes, _mm_add_ps(_mm_add_ps(a, b), _mm_add_ps(c, d)));
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

NOINLINE static float dot_i16_i8(const int16_t *left, const int8_t *right, int count) {
  __m128i a = _mm_setzero_si128(), b = a;
  for (int i = 0; i < count; i += 16) {
    __m128i low = _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(right + i)));
    __m128i high = _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(right + i + 8)));
    a = _mm_add_epi32(a, _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(left + i)), low));
    b = _mm_add_epi32(b, _mm_madd_epi16(_mm_loadu_si128((const __m128i *)(left + i + 8)), high));
  }
  int32_t lanes[4];
  _mm_storeu_si128((__m128i *)lanes, _mm_add_epi32(a, b));
  return (float)lanes[0] + (float)lanes[1] + (float)lanes[2] + (float)lanes[3];
}

NOINLINE static float sum_magnitudes(const float *vector, int count) {
  const __m128 sign = _mm_set1_ps(-0.0f);
  __m128 sum = _mm_setzero_ps();
  for (int i = 0; i < count; i += 4) sum = _mm_add_ps(sum, _mm_andnot_ps(sign, _mm_loadu_ps(vector + i)));
  float lanes[4];
  _mm_storeu_ps(lanes, sum);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

static void add_sums(__m128i both, __m128i odd, float *out) {
  const __m128i zero = _mm_setzero_si128();
  __m128i even = _mm_sub_epi16(both, _mm_slli_epi16(odd, 8));
  __m128i halves[2] = {_mm_unpacklo_epi16(even, odd), _mm_unpackhi_epi16(even, odd)};
  for (int i = 0; i < 2; i++) {
    _mm_storeu_ps(out + 8 * i, _mm_cvtepi32_ps(_mm_unpacklo_epi16(halves[i], zero)));
    _mm_storeu_ps(out + 8 * i + 4, _mm_cvtepi32_ps(_mm_unpackhi_epi16(halves[i], zero)));
  }
}

/* count: at most 1024 */
NOINLINE static void sum_nibbles(const uint8_t *nibbles, const uint8_t *tables, int count, float *out) {
  const __m128i low = _mm_set1_epi8(15);
  __m128i low_both = _mm_setzero_si128(), low_odd = low_both, high_both = low_both, high_odd = low_both;
  for (int group = 0; group < count; group += 4) {
    __m128i below = _mm_setzero_si128(), above = below;
    for (int i = group; i < group + 4; i++) {
      __m128i bytes = _mm_loadu_si128((const __m128i *)(nibbles + 16 * i));
      __m128i table = _mm_loadu_si128((const __m128i *)(tables + 16 * i));
      below = _mm_add_epi8(below, _mm_shuffle_epi8(table, _mm_and_si128(bytes, low)));
      above = _mm_add_epi8(above, _mm_shuffle_epi8(table, _mm_and_si128(_mm_srli_epi16(bytes, 4), low)));
    }
    low_both = _mm_add_epi16(low_both, below);
    low_odd = _mm_add_epi16(low_odd, _mm_srli_epi16(below, 8));
    high_both = _mm_add_epi16(high_both, above);
    high_odd = _mm_add_epi16(high_odd, _mm_srli_epi16(above, 8));
  }
  add_sums(low_both, low_odd, out);
  add_sums(high_both, high_odd, out + 16);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static volatile float sink;

#define MEASURE(name, call)                                          \
  do {                                                               \
    double best = 1e18;                                              \
    for (int round = 0; round < rounds; round++) {                   \
      double start = now();                                          \
      for (int i = 0; i < calls; i++) sink = (float)(call);          \
      double each = (now() - start) / calls;                         \
      if (each < best) best = each;                                  \
    }                                                                \
    printf("%s %f\n", name, best);                                   \
  } while (0)

int main(int argc, char **argv) {
  if (argc != 4) return 1;
  int count = atoi(argv[1]), rounds = atoi(argv[2]), calls = atoi(argv[3]);
  float *floats = malloc(8 * (size_t)count), out[32];
  int16_t *words = malloc(2 * (size_t)count);
  uint8_t *bytes = malloc(4 * (size_t)count), *tables = malloc(4 * (size_t)count);
  for (int i = 0; i < 2 * count; i++) floats[i] = (float)(rand() % 2001) / 1000 - 1;
  for (int i = 0; i < count; i++) words[i] = (int16_t)(rand() % 8191 - 4095);
  for (int i = 0; i < 4 * count; i++) bytes[i] = (uint8_t)rand();
  for (int i = 0; i < 4 * count; i++) tables[i] = (uint8_t)(rand() % 64);
  MEASURE("dotF32", dot_f32(floats, floats + count, count));
  MEASURE("dotI16I8", dot_i16_i8(words, (int8_t *)bytes, count));
  MEASURE("sumMagnitudes", sum_magnitudes(floats, count));
  MEASURE("sumNibbles", (sum_nibbles(bytes, tables, count / 4, out), out[0]));
  return 0;
}

// Vectors of the compiler (clang and gcc), and the few steps for which processors have special instructions.
#pragma once

#include "CScaler.h"
#include "Curves.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef uint8_t u8x8 __attribute__((vector_size(8), may_alias));
typedef uint8_t u8x16 __attribute__((vector_size(16), may_alias));
typedef int16_t i16x8 __attribute__((vector_size(16), may_alias));
/// An unaligned i16x8.
typedef int16_t i16x8_anywhere __attribute__((vector_size(16), may_alias, aligned(2)));
typedef int16_t i16x16 __attribute__((vector_size(32), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), may_alias));
typedef uint32_t u32x8 __attribute__((vector_size(32), may_alias));
typedef float f32x4 __attribute__((vector_size(16), may_alias));
typedef float f32x8 __attribute__((vector_size(32), may_alias));

// The two builds pass wide vectors to functions differently; none is passed, because everything here is
// inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

#define CONVERTED(vector, type) __builtin_convertvector(vector, type)
#define SHUFFLED(...) __builtin_shufflevector(__VA_ARGS__)

INLINE i32x8 all_i32(int32_t x) { return (i32x8){x, x, x, x, x, x, x, x}; }
INLINE f32x8 all_f32(float x) { return (f32x8){x, x, x, x, x, x, x, x}; }

/// Repeats two weights for all pairs of a vector.
INLINE i16x16 all_pairs(const int16_t *weights) {
    int32_t both;
    __builtin_memcpy(&both, weights, sizeof both);
    return (i16x16)all_i32(both);
}

/// Adds to the sum, for each pair, the sum of its products; wraps around.
INLINE i32x8 plus_products(i32x8 sum, i16x16 a, i16x16 b) {
#if defined(CSCALER_AVX2)
    return (i32x8)_mm256_add_epi32((__m256i)sum, _mm256_madd_epi16((__m256i)a, (__m256i)b));
#elif defined(__x86_64__)
    union { i16x16 whole; __m128i half[2]; } x = {a}, y = {b};
    union { i32x8 whole; __m128i half[2]; } s = {sum};
    s.half[0] = _mm_add_epi32(s.half[0], _mm_madd_epi16(x.half[0], y.half[0]));
    s.half[1] = _mm_add_epi32(s.half[1], _mm_madd_epi16(x.half[1], y.half[1]));
    return s.whole;
#elif defined(__aarch64__)
    union { i16x16 whole; int16x8_t half[2]; } x = {a}, y = {b};
    union { i32x8 whole; int32x4_t half[2]; } s = {sum};
    for (int i = 0; i < 2; i++) {
        int32x4_t low = vmull_s16(vget_low_s16(x.half[i]), vget_low_s16(y.half[i]));
        int32x4_t high = vmull_high_s16(x.half[i], y.half[i]);
        s.half[i] = vaddq_s32(s.half[i], vpaddq_s32(low, high));
    }
    return s.whole;
#else
    i16x8 a0 = SHUFFLED(a, a, 0, 2, 4, 6, 8, 10, 12, 14), a1 = SHUFFLED(a, a, 1, 3, 5, 7, 9, 11, 13, 15);
    i16x8 b0 = SHUFFLED(b, b, 0, 2, 4, 6, 8, 10, 12, 14), b1 = SHUFFLED(b, b, 1, 3, 5, 7, 9, 11, 13, 15);
    u32x8 first = (u32x8)(CONVERTED(a0, i32x8) * CONVERTED(b0, i32x8));
    u32x8 second = (u32x8)(CONVERTED(a1, i32x8) * CONVERTED(b1, i32x8));
    return (i32x8)((u32x8)sum + first + second);
#endif
}

/// Converts 32 bits to 16, saturating if there is an instruction for it.
INLINE i16x8 narrowed(i32x8 a) {
#if defined(__x86_64__)
    union { i32x8 whole; __m128i half[2]; } x = {a};
    return (i16x8)_mm_packs_epi32(x.half[0], x.half[1]);
#elif defined(__aarch64__)
    union { i32x8 whole; int32x4_t half[2]; } x = {a};
    return (i16x8)vcombine_s16(vqmovn_s32(x.half[0]), vqmovn_s32(x.half[1]));
#else
    return CONVERTED(a, i16x8);
#endif
}

/// Converts two vectors of 16-bit numbers to bytes, saturating.
INLINE u8x16 saturated(i16x8 a, i16x8 b) {
#if defined(__x86_64__)
    return (u8x16)_mm_packus_epi16((__m128i)a, (__m128i)b);
#elif defined(__aarch64__)
    return (u8x16)vcombine_u8(vqmovun_s16((int16x8_t)a), vqmovun_s16((int16x8_t)b));
#else
    i16x16 both = SHUFFLED(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const i16x16 above = both > 255;
    return CONVERTED(((both & ~above) | (255 & above)) & ~(both < 0), u8x16);
#endif
}

/// Selects the lanes of `yes` for set bits of the mask, and those of `no` for the others.
INLINE f32x8 chosen(i32x8 mask, f32x8 yes, f32x8 no) {
    return (f32x8)((mask & (i32x8)yes) | (~mask & (i32x8)no));
}

INLINE f32x8 clamped(f32x8 x) {
#if defined(CSCALER_AVX2)
    return (f32x8)_mm256_min_ps(_mm256_max_ps((__m256)x, _mm256_setzero_ps()), _mm256_set1_ps(255));
#else
    x = chosen(x > 0, x, all_f32(0));
    return chosen(x < 255, x, all_f32(255));
#endif
}

/// Rounds levels to integers, 0 ... 255, as fixed point.
INLINE i16x8 levels_of(f32x8 x) {
    return narrowed((CONVERTED(clamped(x) + 0.5f, i32x8) - 128) << 7);
}

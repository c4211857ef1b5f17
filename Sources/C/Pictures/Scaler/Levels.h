// The steps after filtering: converting colours of separate planes, and rounding to bytes.
#pragma once

#include "Vectors.h"

/// The levels at one position in eight rows, 0 ... 255.
INLINE f32x8 level_at(const int16_t *levels, size_t place) {
    return clamped(CONVERTED(((const i16x8_anywhere *)levels)[place], f32x8) * (1 / 128.0f) + 128);
}

static void levels_join(
    const int16_t *y, const int16_t *cb, const int16_t *cr, size_t pixels, int16_t *levels
) {
    // The factors of libwebp: 19077, 26149, 6419, 13320 and 33050 in 2^14.
    const float places = 1.0f / 16384;
    i16x8 *out = (i16x8 *)levels;
    for (size_t i = 0; i < pixels; i++) {
        const f32x8 luma = (level_at(y, i) - 16) * (19077 * places);
        const f32x8 blue = level_at(cb, i) - 128, red = level_at(cr, i) - 128;
        out[3 * i] = levels_of(luma + red * (26149 * places));
        out[3 * i + 1] = levels_of(luma - blue * (6419 * places) - red * (13320 * places));
        out[3 * i + 2] = levels_of(luma + blue * (33050 * places));
    }
}

/// Rounds the levels of eight rows at two positions to bytes. Half a level is added after the first shift,
/// when it cannot overflow.
INLINE u8x16 levels_rounded(const i16x8 *levels) {
    return saturated((((levels[0] >> 6) + 1) >> 1) + 128, (((levels[1] >> 6) + 1) >> 1) + 128);
}

static void levels_bytes(const int16_t *levels, size_t samples, uint8_t *rows, size_t stride) {
    for (size_t i = 0; i < samples; i += 8) {
        u8x16 column[4], half[4], row[4];
        for (int k = 0; k < 4; k++) column[k] = levels_rounded((const i16x8 *)levels + i + 2 * k);
        // Three rounds of interleaving bytes i and i + 32 transpose eight columns of eight bytes.
        for (int round = 0; round < 3; round++) {
            for (int k = 0; k < 2; k++) {
                u8x16 a = column[k], b = column[k + 2];
                half[2 * k] = SHUFFLED(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                half[2 * k + 1] =
                    SHUFFLED(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            }
            for (int k = 0; k < 4; k++) column[k] = row[k] = half[k];
        }
        for (int k = 0; k < 8; k++) __builtin_memcpy(rows + k * stride + i, (const uint8_t *)row + 8 * k, 8);
    }
}

// What comes after filtering: colours of separate planes, and bytes.
#pragma once

#include "Vectors.h"

static void levels_join(
    const int16_t *y, const int16_t *cb, const int16_t *cr, size_t pixels, int16_t *levels
) {
    // The factors of libwebp, 19077, 26149, 6419, 13320 and 33050 in 2^14. Levels come less 128, so colours are centred.
    const float places = 1.0f / 16384 / 128;
    i16x8 *out = (i16x8 *)levels;
    for (size_t i = 0; i < pixels; i++) {
        f32x8 luma = CONVERTED(((const i16x8_anywhere *)y)[i], f32x8) + (128 - 16) * 128;
        f32x8 blue = CONVERTED(((const i16x8_anywhere *)cb)[i], f32x8);
        f32x8 red = CONVERTED(((const i16x8_anywhere *)cr)[i], f32x8);
        luma *= 19077 * places;
        out[3 * i] = levels_of(luma + red * (26149 * places));
        out[3 * i + 1] = levels_of(luma - blue * (6419 * places) - red * (13320 * places));
        out[3 * i + 2] = levels_of(luma + blue * (33050 * places));
    }
}

/// Levels of eight rows as bytes, those of two places.
INLINE u8x16 levels_rounded(const i16x8 *levels) {
    return saturated(((levels[0] + 64) >> 7) + 128, ((levels[1] + 64) >> 7) + 128);
}

static void levels_bytes(const int16_t *levels, size_t samples, uint8_t *rows, size_t stride) {
    for (size_t i = 0; i < samples; i += 8) {
        u8x16 column[4], half[4], row[4];
        for (int k = 0; k < 4; k++) column[k] = levels_rounded((const i16x8 *)levels + i + 2 * k);
        // Three rounds of interleaving bytes i and i + 32 turn eight columns of eight bytes.
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

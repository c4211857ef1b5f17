// 16-bit fixed point, for opaque samples that are filtered without conversion.
#pragma once

#include "Vectors.h"

/// Interleaves a pair of rows byte by byte: one of the even row, one of the odd row.
static void fixed_pair(
    void *pair, const uint8_t *even, const uint8_t *odd, size_t samples, cscaler_conversion conversion
) {
    (void)conversion;
    uint8_t *out = pair;
    for (size_t i = 0; i < samples; i += 16) {
        u8x16 a = *(const u8x16 *)(even + i), b = *(const u8x16 *)(odd + i);
        *(u8x16 *)(out + 2 * i) = SHUFFLED(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        *(u8x16 *)(out + 2 * i + 16) =
            SHUFFLED(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
}

static void fixed_down(
    const void *const *pairs, const void *weights, size_t count, int shift, size_t samples,
    const void *begun, void *sums, void *line
) {
    // Rounds to nearest, and subtracts 128 from every level.
    const i32x8 start = all_i32((1 << (shift - 8)) - (128 << shift));
    for (size_t i = 0; i < samples; i += 32) {
        i32x8 sum[4] = {start, start, start, start};
        if (begun)
            for (int k = 0; k < 4; k++) sum[k] = ((const i32x8 *)begun)[i / 8 + k];
        const int16_t *weight = weights;
        for (size_t p = 0; p < count; p++, weight += 2) {
            const u8x16 *pair = (const u8x16 *)((const uint8_t *)pairs[p] + 2 * i);
            const i16x16 both = all_pairs(weight);
            for (int k = 0; k < 4; k++) sum[k] = plus_products(sum[k], CONVERTED(pair[k], i16x16), both);
        }
        if (line)
            for (int k = 0; k < 4; k++) ((i16x8 *)line)[i / 8 + k] = narrowed(sum[k] >> (shift - 7));
        else
            for (int k = 0; k < 4; k++) ((i32x8 *)sums)[i / 8 + k] = sum[k];
    }
}

/// Transposes eight rows of eight samples.
INLINE void fixed_turn_block(const int16_t *lines, size_t stride, i16x8 *out) {
    i16x8 row[8], pair[8], four[8];
    for (int i = 0; i < 8; i++) row[i] = *(const i16x8 *)(lines + i * stride);
    for (int i = 0; i < 4; i++) {
        pair[2 * i] = SHUFFLED(row[i], row[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        pair[2 * i + 1] = SHUFFLED(row[i], row[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; i++) {
        four[2 * i] = SHUFFLED(pair[i], pair[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        four[2 * i + 1] = SHUFFLED(pair[i], pair[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 4; i++) {
        out[2 * i] = SHUFFLED(four[i], four[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        out[2 * i + 1] = SHUFFLED(four[i], four[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
}

INLINE void fixed_turn_channels(
    const int16_t *lines, size_t stride, size_t pixels, const int channels, i16x16 *columns
) {
    for (size_t pixel = 0; pixel < pixels; pixel += 8) {
        i16x8 turned[8 * 4];
        for (int c = 0; c < channels; c++) fixed_turn_block(lines + pixel * channels + 8 * c, stride, turned + 8 * c);
        // Places samples of neighbouring pixels side by side, like the weights.
        for (int even = 0; even < 8; even += 2)
            for (int c = 0; c < channels; c++) {
                i16x8 a = turned[even * channels + c], b = turned[(even + 1) * channels + c];
                columns[(pixel + even) / 2 * channels + c] =
                    SHUFFLED(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
            }
    }
}

static void fixed_turn(const void *lines, size_t stride, size_t pixels, int channels, void *columns) {
    switch (channels) {
    case 1: fixed_turn_channels(lines, stride, pixels, 1, columns); break;
    case 2: fixed_turn_channels(lines, stride, pixels, 2, columns); break;
    case 3: fixed_turn_channels(lines, stride, pixels, 3, columns); break;
    default: fixed_turn_channels(lines, stride, pixels, 4, columns); break;
    }
}

INLINE void fixed_across_channels(
    const i16x16 *columns, uint32_t base, const cscaler_span *spans, const int16_t *weights, int shift,
    size_t pixels, const int channels, i16x8 *levels
) {
    const i32x8 half = all_i32(1 << (shift - 1));
    for (size_t pixel = 0; pixel < pixels; pixel++) {
        const cscaler_span span = spans[pixel];
        const i16x16 *column = columns + (size_t)(span.first - base) * channels;
        const int16_t *weight = weights + 2 * span.weights;
        i32x8 sum[4] = {half, half, half, half};
        for (uint32_t p = 0; p < span.count; p++, weight += 2) {
            const i16x16 both = all_pairs(weight);
            for (int c = 0; c < channels; c++) sum[c] = plus_products(sum[c], *column++, both);
        }
        for (int c = 0; c < channels; c++) *levels++ = narrowed(sum[c] >> shift);
    }
}

static void fixed_across(
    const void *columns, uint32_t base, const cscaler_span *spans, const void *weights, int shift,
    size_t pixels, cscaler_conversion conversion, int16_t *levels
) {
    i16x8 *out = (i16x8 *)levels;
    switch (conversion.channels) {
    case 1: fixed_across_channels(columns, base, spans, weights, shift, pixels, 1, out); break;
    case 2: fixed_across_channels(columns, base, spans, weights, shift, pixels, 2, out); break;
    case 3: fixed_across_channels(columns, base, spans, weights, shift, pixels, 3, out); break;
    default: fixed_across_channels(columns, base, spans, weights, shift, pixels, 4, out); break;
    }
}

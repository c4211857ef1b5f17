// Floats, for linear light and for samples with alpha, by which they are multiplied before and divided after
// filtering.
#pragma once

#include "Vectors.h"

INLINE void float_row(float *out, const uint8_t *row, size_t samples) {
    for (size_t i = 0; i < samples; i += 8) *(f32x8 *)(out + i) = CONVERTED(*(const u8x8 *)(row + i), f32x8);
}

static void float_linear_row(float *out, const uint8_t *row, size_t samples, cscaler_conversion conversion) {
    const int period = conversion.has_alpha ? conversion.channels : 1;
    const int colours = conversion.has_alpha ? conversion.channels - 1 : 1;
    for (size_t i = 0; i < samples; i += period) {
        for (int c = 0; c < colours; c++) out[i + c] = cscaler_curves.linear[row[i + c]];
        if (conversion.has_alpha) out[i + colours] = row[i + colours];
    }
}

/// Multiplies colours by alpha; a vector holds two pixels of four samples, or four of two.
INLINE void float_multiply(float *row, size_t samples, const int channels) {
    for (size_t i = 0; i < samples; i += 8) {
        f32x8 x = *(f32x8 *)(row + i), colour, alpha;
        if (channels == 4) {
            alpha = SHUFFLED(x, x, 3, 3, 3, 3, 7, 7, 7, 7) * (1 / 255.0f);
            colour = x * alpha;
            x = SHUFFLED(colour, x, 0, 1, 2, 11, 4, 5, 6, 15);
        } else {
            alpha = SHUFFLED(x, x, 1, 1, 3, 3, 5, 5, 7, 7) * (1 / 255.0f);
            colour = x * alpha;
            x = SHUFFLED(colour, x, 0, 9, 2, 11, 4, 13, 6, 15);
        }
        *(f32x8 *)(row + i) = x;
    }
}

static void float_converted_row(float *out, const uint8_t *row, size_t samples, cscaler_conversion conversion) {
    if (conversion.is_linear)
        float_linear_row(out, row, samples, conversion);
    else
        float_row(out, row, samples);
    if (conversion.has_alpha) {
        if (conversion.channels == 4)
            float_multiply(out, samples, 4);
        else
            float_multiply(out, samples, 2);
    }
}

/// Stores a pair of rows as the even row followed by the odd row.
static void float_pair(
    void *pair, const uint8_t *even, const uint8_t *odd, size_t samples, cscaler_conversion conversion
) {
    float_converted_row(pair, even, samples, conversion);
    float_converted_row((float *)pair + samples, odd, samples, conversion);
}

static void float_down(
    const void *const *pairs, const void *weights, size_t count, int shift, size_t samples,
    const void *begun, void *sums, void *line
) {
    (void)shift;
    f32x8 *out = line ? line : sums;
    for (size_t i = 0; i < samples / 8; i += 4) {
        f32x8 sum[4] = {{0}, {0}, {0}, {0}};
        if (begun)
            for (int k = 0; k < 4; k++) sum[k] = ((const f32x8 *)begun)[i + k];
        const float *weight = weights;
        for (size_t p = 0; p < count; p++, weight += 2) {
            const f32x8 *even = (const f32x8 *)pairs[p] + i, *odd = even + samples / 8;
            const f32x8 first = all_f32(weight[0]), second = all_f32(weight[1]);
            for (int k = 0; k < 4; k++) sum[k] += even[k] * first;
            for (int k = 0; k < 4; k++) sum[k] += odd[k] * second;
        }
        for (int k = 0; k < 4; k++) out[i + k] = sum[k];
    }
}

/// Transposes four rows of eight samples into eight columns, each half a vector.
INLINE void float_turn_half(const float *lines, size_t stride, f32x4 *out) {
    f32x8 a = *(const f32x8 *)lines, b = *(const f32x8 *)(lines + stride);
    f32x8 c = *(const f32x8 *)(lines + 2 * stride), d = *(const f32x8 *)(lines + 3 * stride);
    f32x8 ac0 = SHUFFLED(a, c, 0, 8, 1, 9, 4, 12, 5, 13), ac1 = SHUFFLED(a, c, 2, 10, 3, 11, 6, 14, 7, 15);
    f32x8 bd0 = SHUFFLED(b, d, 0, 8, 1, 9, 4, 12, 5, 13), bd1 = SHUFFLED(b, d, 2, 10, 3, 11, 6, 14, 7, 15);
    f32x8 column[4] = {
        SHUFFLED(ac0, bd0, 0, 8, 1, 9, 4, 12, 5, 13), SHUFFLED(ac0, bd0, 2, 10, 3, 11, 6, 14, 7, 15),
        SHUFFLED(ac1, bd1, 0, 8, 1, 9, 4, 12, 5, 13), SHUFFLED(ac1, bd1, 2, 10, 3, 11, 6, 14, 7, 15),
    };
    for (int i = 0; i < 4; i++) {
        out[2 * i] = SHUFFLED(column[i], column[i], 0, 1, 2, 3);
        out[2 * (i + 4)] = SHUFFLED(column[i], column[i], 4, 5, 6, 7);
    }
}

static void float_turn(const void *lines, size_t stride, size_t pixels, int channels, void *columns) {
    const float *in = lines;
    f32x4 *out = columns;
    for (size_t i = 0; i < pixels * (size_t)channels; i += 8) {
        float_turn_half(in + i, stride, out + 2 * i);
        float_turn_half(in + i + 4 * stride, stride, out + 2 * i + 1);
    }
}

/// Converts linear light back to sRGB's curve.
INLINE f32x8 float_curved(f32x8 x) {
    union { i32x8 whole; int32_t lane[8]; } place;
    union { f32x8 whole; float lane[8]; } level, root = {clamped(x) * (1 / 255.0f)};
    for (int i = 0; i < 8; i++) root.lane[i] = __builtin_sqrtf(root.lane[i]);
    place.whole = CONVERTED(root.whole * CSCALER_CURVE_LAST + 0.5f, i32x8);
    for (int i = 0; i < 8; i++) level.lane[i] = cscaler_curves.levels[place.lane[i]];
    return level.whole;
}

/// The levels of a pixel: colours divided by alpha, and black if alpha is rounded to 0.
INLINE void float_levels(f32x8 *sum, const int channels, const int has_alpha, const int is_linear, i16x8 *levels) {
    const int colours = channels - has_alpha;
    f32x8 factor = all_f32(1);
    if (has_alpha) {
        f32x8 alpha = sum[colours];
        levels[colours] = levels_of(alpha);
        factor = chosen(alpha >= 0.5f, 255 / alpha, all_f32(0));
    }
    for (int c = 0; c < colours; c++) {
        f32x8 level = sum[c] * factor;
        levels[c] = levels_of(is_linear ? float_curved(level) : level);
    }
}

INLINE void float_across_channels(
    const f32x8 *columns, uint32_t base, const cscaler_span *spans, const float *weights, size_t pixels,
    const int channels, const int is_linear, i16x8 *levels
) {
    for (size_t pixel = 0; pixel < pixels; pixel++, levels += channels) {
        const cscaler_span span = spans[pixel];
        const f32x8 *column = columns + 2 * (size_t)(span.first - base) * channels;
        const float *weight = weights + 2 * span.weights;
        f32x8 even[4] = {{0}, {0}, {0}, {0}}, odd[4] = {{0}, {0}, {0}, {0}};
        for (uint32_t p = 0; p < span.count; p++, weight += 2) {
            const f32x8 first = all_f32(weight[0]), second = all_f32(weight[1]);
            for (int c = 0; c < channels; c++) even[c] += *column++ * first;
            for (int c = 0; c < channels; c++) odd[c] += *column++ * second;
        }
        for (int c = 0; c < channels; c++) even[c] += odd[c];
        float_levels(even, channels, channels % 2 == 0, is_linear, levels);
    }
}

static void float_across(
    const void *columns, uint32_t base, const cscaler_span *spans, const void *weights, int shift,
    size_t pixels, cscaler_conversion conversion, int16_t *levels
) {
    (void)shift;
    const int is_linear = conversion.is_linear;
    i16x8 *out = (i16x8 *)levels;
    switch (conversion.channels) {
    case 1: float_across_channels(columns, base, spans, weights, pixels, 1, is_linear, out); break;
    case 2: float_across_channels(columns, base, spans, weights, pixels, 2, is_linear, out); break;
    case 3: float_across_channels(columns, base, spans, weights, pixels, 3, is_linear, out); break;
    default: float_across_channels(columns, base, spans, weights, pixels, 4, is_linear, out); break;
    }
}

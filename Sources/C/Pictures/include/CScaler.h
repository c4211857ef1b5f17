// The loops of the resampler. They are in C because they are built twice on x86-64, for every processor and
// for those with AVX2, which Swift cannot do within one module, and because they must be fast in a debug
// build too.
//
// A picture is filtered from top to bottom first. Rows are stored in pairs, because processors multiply two
// 16-bit numbers by two weights and add the products in one step. Then eight rows of the result are filtered
// from left to right together. Each lane of a vector is one row, so nothing is ever added across a vector.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nonnull
#define _Nullable
#endif

/// The number of rows that are filtered from left to right together.
#define CSCALER_GROUP 8
/// Rows are stored in multiples of this many pixels; all loops may read and write the padding of the last
/// multiple.
#define CSCALER_TILE 32

/// The filter of one output position, in pairs of source samples. If its first sample has an odd index, it
/// starts with a weight for the sample before, so that pairs are the same for all positions.
typedef struct cscaler_span {
    /// The first pair of source samples.
    uint32_t first;
    /// The number of pairs, at least 1.
    uint32_t count;
    /// The index of its first weight, in pairs.
    size_t weights;
} cscaler_span;

/// The conversion of a row's samples before they are filtered as floats.
typedef struct cscaler_conversion {
    /// The number of samples per pixel, 1 to 4.
    int channels;
    /// Whether the last sample of a pixel is its alpha, by which the others are multiplied.
    int has_alpha;
    /// Whether the samples other than alpha are converted from sRGB's curve to linear light.
    int is_linear;
} cscaler_conversion;

/// One kind of arithmetic: 16-bit fixed point with 32-bit sums, or floats.
///
/// Fixed point stores levels as (level - 128) * 128, so that they and the filter's overshoot fit in 16 bits.
typedef struct cscaler_arithmetic {
    /// The sizes in bytes of a sample in a pair of rows, of a weight, of a sum, and of a sample in a filtered
    /// row.
    size_t pair_bytes, weight_bytes, sum_bytes, line_bytes;

    /// Makes a pair from two rows.
    void (*pair)(
        void *pair, const uint8_t *even, const uint8_t *odd, size_t samples,
        cscaler_conversion conversion
    );

    /// Adds `count` pairs of rows, each multiplied by its weights, to the sums in `begun`, or to zero if that
    /// is NULL. The result goes to `line` unless that is NULL, and otherwise to `sums`, which may be `begun`.
    /// `shift` is the number of binary places in fixed weights.
    void (*down)(
        const void *_Nonnull const *_Nonnull pairs, const void *weights, size_t count, int shift,
        size_t samples, const void *_Nullable begun, void *_Nullable sums, void *_Nullable line
    );

    /// Transposes a group of filtered rows, `stride` samples apart, so that the group's samples at one
    /// position lie side by side.
    void (*turn)(
        const void *lines, size_t stride, size_t pixels, int channels, void *columns
    );

    /// Filters a group from left to right into `levels`: for each sample of an output row, its level in each
    /// row of the group. `columns` starts with pair `base`.
    void (*across)(
        const void *columns, uint32_t base, const cscaler_span *spans,
        const void *weights, int shift, size_t pixels, cscaler_conversion conversion,
        int16_t *levels
    );
} cscaler_arithmetic;

/// The loops for one kind of processor.
typedef struct cscaler_kernels {
    cscaler_arithmetic fixed, floating;

    /// Converts groups of Y, Cb and Cr in the video range of ITU-R BT.601 to groups of red, green and blue.
    void (*join)(
        const int16_t *y, const int16_t *cb, const int16_t *cr, size_t pixels,
        int16_t *levels
    );

    /// Rounds a group of levels to bytes, and stores its rows `stride` bytes apart.
    void (*bytes)(const int16_t *levels, size_t samples, uint8_t *rows, size_t stride);
} cscaler_kernels;

/// The loops that run on every processor of this kind.
const cscaler_kernels *cscaler_baseline(void);

/// The fastest loops for this processor.
const cscaler_kernels *cscaler_fastest(void);

/// The filter of one output sample: its source samples from `first` on.
typedef struct cscaler_filter {
    uint32_t first, count;
    /// The position of `first` relative to the output sample's centre, in lobes of the filter.
    double offset;
    /// Whether the weights are those of the opposite output sample, in reverse order.
    int is_mirrored;
} cscaler_filter;

/// Computes the weights of Lanczos-3, one filter after another; those of each filter sum up to 1. Source
/// samples are `step` lobes apart. Returns the largest weight.
double cscaler_lanczos3(const cscaler_filter *filters, size_t count, double step, double *weights);

/// Stores weights in pairs, starting at each span's first pair: in fixed point with `shift` binary places,
/// which also sum up to 1, or as floats. `pairs` must be zeroed.
void cscaler_fixed_pairs(
    const cscaler_filter *filters, const cscaler_span *spans, size_t count, const double *weights, int shift,
    int16_t *pairs
);
void cscaler_float_pairs(
    const cscaler_filter *filters, const cscaler_span *spans, size_t count, const double *weights, float *pairs
);

/// Allocates zeroed memory that is aligned for vectors; NULL if memory runs out. Pass it to cscaler_free.
void *_Nullable cscaler_allocate(size_t bytes);
void cscaler_free(void *_Nullable memory);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

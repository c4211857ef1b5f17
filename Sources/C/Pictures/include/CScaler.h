// The loops of the resampler. In C because they are built twice on x86-64, for every processor and for those with
// AVX2, which Swift cannot do within one module; and because they must be quick where Swift is built for debugging.
//
// A picture is filtered from top to bottom first: rows are kept in pairs, since the processors multiply two 16-bit
// numbers by two weights and add the products in one step. Eight rows of the result are then filtered from left to right
// together, each lane of a vector being one row, so that nothing is ever added across a vector.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#else
#define _Nonnull
#define _Nullable
#endif

/// Rows that are filtered from left to right together.
#define CSCALER_GROUP 8
/// Rows are laid out in multiples of so many pixels; all loops may read and write what fills the last one up.
#define CSCALER_TILE 32

/// The sums of so many places begin with a weight for the place before their first one where that is odd, so that pairs
/// are the same for all.
typedef struct cscaler_span {
    /// The first pair of source samples.
    uint32_t first;
    /// The number of pairs, at least 1.
    uint32_t count;
    /// Where its weights begin, in pairs.
    size_t weights;
} cscaler_span;

/// What the samples of a row become before they are filtered as floats.
typedef struct cscaler_conversion {
    /// Samples of a pixel, 1 to 4.
    int channels;
    /// Whether the last sample of a pixel is its alpha, by which the others are multiplied.
    int has_alpha;
    /// Whether the samples that are not alpha are brought from sRGB's curve to linear light.
    int is_linear;
} cscaler_conversion;

/// One way to reckon: 16-bit fixed point with 32-bit sums, or floats.
///
/// Fixed point keeps levels as (level - 128) * 128, so that they and the filter's overshoot fit in 16 bits.
typedef struct cscaler_arithmetic {
    /// The bytes of a sample of a pair of rows, of a weight, of a sum, and of a sample of a filtered row.
    size_t pair_bytes, weight_bytes, sum_bytes, line_bytes;

    /// Makes a pair of two rows.
    void (*pair)(
        void *pair, const uint8_t *even, const uint8_t *odd, size_t samples,
        cscaler_conversion conversion
    );

    /// Adds `count` pairs of rows, each times its weights, to the sums `begun` (none: to nothing). The result goes to `line`
    /// if there is one, else to `sums`, which may be `begun`. `shift` is the binary places of fixed weights.
    void (*down)(
        const void *_Nonnull const *_Nonnull pairs, const void *weights, size_t count, int shift,
        size_t samples, const void *_Nullable begun, void *_Nullable sums, void *_Nullable line
    );

    /// Turns a group of filtered rows, `stride` samples apart, so that the group's samples of one place lie side by side.
    void (*turn)(
        const void *lines, size_t stride, size_t pixels, int channels, void *columns
    );

    /// Filters a group from left to right into `levels`: for each sample of an output row its level in each row of the group.
    /// `columns` begins with pair `base`.
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

    /// Rounds a group of levels to bytes and lays its rows out `stride` bytes apart.
    void (*bytes)(const int16_t *levels, size_t samples, uint8_t *rows, size_t stride);
} cscaler_kernels;

/// The loops that every processor of this kind runs.
const cscaler_kernels *cscaler_baseline(void);

/// The loops that are the fastest on this processor.
const cscaler_kernels *cscaler_fastest(void);

/// The filter of one output sample: its source samples from `first` on.
typedef struct cscaler_filter {
    uint32_t first, count;
    /// Where `first` lies to the output sample's centre, in lobes of the filter.
    double offset;
    /// Whether the weights are those of the opposite output sample, in reverse.
    int is_mirrored;
} cscaler_filter;

/// Computes the weights of Lanczos-3, which sum up to 1 for each filter, one filter after the other; source samples lie `step`
/// lobes apart. Returns the largest weight.
double cscaler_lanczos3(const cscaler_filter *filters, size_t count, double step, double *weights);

/// Lays weights out in pairs, from each span's first one on: in fixed point of `shift` binary places, which sum up to 1 as
/// well, or as floats. `pairs` is zeroed.
void cscaler_fixed_pairs(
    const cscaler_filter *filters, const cscaler_span *spans, size_t count, const double *weights, int shift,
    int16_t *pairs
);
void cscaler_float_pairs(
    const cscaler_filter *filters, const cscaler_span *spans, size_t count, const double *weights, float *pairs
);

/// Zeroed memory that vectors may be read from; none where there is not enough. Given back by cscaler_free.
void *_Nullable cscaler_allocate(size_t bytes);
void cscaler_free(void *_Nullable memory);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

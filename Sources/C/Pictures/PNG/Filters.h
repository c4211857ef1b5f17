#pragma once

#include <stddef.h>
#include <stdint.h>

// Rows are read and written in groups of bytes, up to so many beyond their ends.
#define CPNG_SLACK 32
// The zeros before a row to be filtered, instead of pixels to the left of the first.
#define CPNG_LEAD 16

// Paeth's predictor is the one of a (left), b (above) and c (above left) that is nearest to a + b - c, the first of equals.
// With lo and hi the smaller and larger of a and b, and t = 3c - a - b: hi is nearest if t does not reach above lo, lo if
// it reaches hi, and c otherwise. Few of these steps wait for a, which is what the time of decoding depends on.
#define CPNG_PAETH(c, lo, hi, t) ((t) <= (lo) ? (hi) : (hi) <= (t) ? (lo) : (c))

// Undoes the filter, 0 to 4, of a row of `length` bytes with `bpp` bytes a pixel, 1 to 4; `above` is the finished row
// above it. None of the three overlap, and each has CPNG_SLACK bytes behind it.
void cpng_unfilter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp);

// Undoes Paeth's filter of two rows, the first below `above` and the second below that, with 3 or 4 bytes a pixel; the
// same holds for them as for one.
void cpng_unfilter_paeth_pair(
    const uint8_t *first, const uint8_t *second, const uint8_t *above, uint8_t *out, uint8_t *below, size_t length,
    unsigned bpp);

// Filters a row with the filter whose result has the smallest sum of absolute values; returns the filter.
//
// `row` and `above` have CPNG_LEAD zeros before them and CPNG_SLACK zeros behind; `spare` and `out` have CPNG_SLACK
// bytes behind them, which are overwritten.
int cpng_filter(
    const uint8_t *row, const uint8_t *above, uint8_t *out, uint8_t *spare, size_t length, unsigned bpp);

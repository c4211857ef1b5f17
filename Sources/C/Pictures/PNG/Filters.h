#pragma once

#include <stddef.h>
#include <stdint.h>

// Rows are read and written in groups of bytes, up to this many beyond their ends.
#define CPNG_SLACK 32
// The number of zeros before a row to be filtered, in place of pixels to the left of the first.
#define CPNG_LEAD 16

// Paeth's predictor is that of a (left), b (above) and c (above left) which is nearest to a + b - c, and the
// first of equals. With lo and hi the smaller and larger of a and b, and t = 3c - a - b: hi is nearest if t
// <= lo, lo if t >= hi, and c otherwise. Few of these steps wait for a, which determines the time of
// decoding.
#define CPNG_PAETH(c, lo, hi, t) ((t) <= (lo) ? (hi) : (hi) <= (t) ? (lo) : (c))

// Undoes the filter, 0 to 4, of a row of `length` bytes with `bpp` bytes per pixel, 1 to 4. `above` is the
// finished row above it. None of the three overlap, and each has CPNG_SLACK bytes after it.
void cpng_unfilter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp);

// Undoes Paeth's filter of two rows, the first below `above` and the second below that, with 3 or 4 bytes per
// pixel. The conditions are those for one row.
void cpng_unfilter_paeth_pair(
    const uint8_t *first, const uint8_t *second, const uint8_t *above, uint8_t *out, uint8_t *below, size_t length,
    unsigned bpp);

// Filters a row with the filter whose result has the smallest sum of absolute values; returns the filter.
//
// `row` and `above` have CPNG_LEAD zeros before them and CPNG_SLACK zeros after them; `spare` and `out` have
// CPNG_SLACK bytes after them, which are overwritten.
int cpng_filter(
    const uint8_t *row, const uint8_t *above, uint8_t *out, uint8_t *spare, size_t length, unsigned bpp);

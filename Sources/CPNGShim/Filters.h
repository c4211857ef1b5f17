#pragma once

#include <stddef.h>
#include <stdint.h>

// Rows are read and written in groups of bytes, up to so many beyond their ends.
#define CPNG_SLACK 32

// Undoes the filter, 0 to 4, of a row of `length` bytes with `bpp` bytes a pixel, 1 to 4; `above` is the finished row
// above it. None of the three overlap, and each has CPNG_SLACK bytes behind it.
void cpng_unfilter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp);

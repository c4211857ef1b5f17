#include <string.h>

#include "Filters.h"

// A pixel depends on the one to its left, so what counts is how long one pixel takes: the samples of a pixel are done
// at once, in the lanes of a vector.
typedef uint8_t bytes4 __attribute__((ext_vector_type(4)));
typedef int16_t words4 __attribute__((ext_vector_type(4)));

static inline bytes4 load(const uint8_t *bytes) {
    bytes4 pixel;
    memcpy(&pixel, bytes, sizeof pixel);
    return pixel;
}

// Writes a pixel of three samples with one byte more, which the next pixel overwrites.
static inline void store(uint8_t *bytes, bytes4 pixel) { memcpy(bytes, &pixel, sizeof pixel); }
static inline words4 widened(bytes4 pixel) { return __builtin_convertvector(pixel, words4); }
static inline bytes4 narrowed(words4 pixel) { return __builtin_convertvector(pixel, bytes4); }

__attribute__((always_inline))
static inline void sub_pixels(const uint8_t *row, uint8_t *out, size_t length, unsigned bpp) {
    bytes4 left = {0};
    for (size_t i = 0; i < length; i += bpp) store(out + i, left = load(row + i) + left);
}

__attribute__((always_inline))
static inline void average_pixels(
    const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    words4 left = {0};
    for (size_t i = 0; i < length; i += bpp) {
        left = (widened(load(row + i)) + ((left + widened(load(above + i))) >> 1)) & 255;
        store(out + i, narrowed(left));
    }
}

__attribute__((always_inline))
static inline void paeth_pixels(
    const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    words4 a = {0}, c = {0};
    for (size_t i = 0; i < length; i += bpp) {
        words4 b = widened(load(above + i));
        words4 lo = __builtin_elementwise_min(a, b), hi = __builtin_elementwise_max(a, b), t = (c + c + c - b) - a;
        a = (widened(load(row + i)) + CPNG_PAETH(c, lo, hi, t)) & 255;
        c = b;
        store(out + i, narrowed(a));
    }
}

// Pixels of one or two bytes.
__attribute__((always_inline))
static inline void small_pixels(
    int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    int left[2] = {0, 0}, corner[2] = {0, 0};
    for (size_t i = 0; i < length; i += bpp)
        for (unsigned n = 0; n < bpp; n++) {
            int a = left[n], b = above[i + n], c = corner[n], guess;
            int lo = a < b ? a : b, hi = a < b ? b : a, t = (3 * c - b) - a;
            if (filter == 1) guess = a;
            else if (filter == 3) guess = (a + b) >> 1;
            else guess = CPNG_PAETH(c, lo, hi, t);
            out[i + n] = (uint8_t) (left[n] = (row[i + n] + guess) & 255);
            corner[n] = b;
        }
}

__attribute__((always_inline))
static inline void pixels(
    int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    if (bpp <= 2) small_pixels(filter, row, above, out, length, bpp);
    else if (filter == 1) sub_pixels(row, out, length, bpp);
    else if (filter == 3) average_pixels(row, above, out, length, bpp);
    else paeth_pixels(row, above, out, length, bpp);
}

__attribute__((always_inline))
static inline void by_size(
    int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    switch (bpp) {
    case 1: pixels(filter, row, above, out, length, 1); break;
    case 2: pixels(filter, row, above, out, length, 2); break;
    case 3: pixels(filter, row, above, out, length, 3); break;
    default: pixels(filter, row, above, out, length, 4); break;
    }
}

void cpng_unfilter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    switch (filter) {
    case 0: memcpy(out, row, length); break;
    case 1: by_size(1, row, above, out, length, bpp); break;
    case 2:
        for (size_t i = 0; i < length; i++) out[i] = (uint8_t) (row[i] + above[i]);
        break;
    case 3: by_size(3, row, above, out, length, bpp); break;
    default: by_size(4, row, above, out, length, bpp); break;
    }
}

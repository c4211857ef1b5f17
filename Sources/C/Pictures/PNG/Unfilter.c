#include <stdbool.h>
#include <string.h>

#include "Filters.h"

// A pixel depends on the one to its left, so the time for one pixel is what counts. The samples of a pixel
// are therefore computed together, in the lanes of a vector.
typedef uint8_t bytes4 __attribute__((ext_vector_type(4)));
typedef int16_t words4 __attribute__((ext_vector_type(4)));
typedef int16_t words8 __attribute__((ext_vector_type(8)));

static inline bytes4 load(const uint8_t *bytes) {
    bytes4 pixel;
    memcpy(&pixel, bytes, sizeof pixel);
    return pixel;
}

// Writes a pixel of three samples with one extra byte, which the next pixel overwrites.
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

// The pixel or the two pixels whose filtered form is x; a, b and c are the pixels to the left, above, and
// above left, and c3 is three times c. This is CPNG_PAETH with sums in place of choices: if both conditions
// hold, all three are equal.
#define PAETH(words, x, a, b, c, c3) ({ \
    words lo = __builtin_elementwise_min(a, b), hi = __builtin_elementwise_max(a, b), t = (c3) - (a) - (b); \
    (((x) + (c)) + (((hi) - (c)) & (words) ((t) <= (lo))) + (((lo) - (c)) & (words) ((hi) <= (t)))) & 255; \
})

__attribute__((always_inline))
static inline void paeth_pixels(
    const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    words4 a = 0, c = 0, c3 = 0;
    for (size_t i = 0; i < length; i += bpp) {
        words4 b = widened(load(above + i));
        a = PAETH(words4, widened(load(row + i)), a, b, c, c3);
        c = b;
        c3 = b + b + b;
        store(out + i, narrowed(a));
    }
}

static inline words8 both(words4 low, words4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

// Two rows together, the second one pixel behind the first, in the other half of each vector: the pixel above
// it is the one that the first row has just finished. It takes as long as one row.
__attribute__((always_inline))
static inline void paeth_pair(
    const uint8_t *first, const uint8_t *second, const uint8_t *above, uint8_t *out, uint8_t *below, size_t length,
    unsigned bpp) {
    words8 a = 0, c = 0, c3 = 0;
    words4 behind = 0;
    for (size_t i = 0; i < length + bpp; i += bpp) {
        bool is_in_first = i < length;
        words4 x = is_in_first ? widened(load(first + i)) : 0, up = is_in_first ? widened(load(above + i)) : 0;
        words8 b = both(up, a.lo);
        a = PAETH(words8, both(x, behind), a, b, c, c3);
        c = b;
        c3 = b + b + b;
        if (is_in_first) {
            store(out + i, narrowed(a.lo));
            behind = widened(load(second + i));
        }
        if (i > 0) store(below + i - bpp, narrowed(a.hi));
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

void cpng_unfilter_paeth_pair(
    const uint8_t *first, const uint8_t *second, const uint8_t *above, uint8_t *out, uint8_t *below, size_t length,
    unsigned bpp) {
    if (bpp == 3) paeth_pair(first, second, above, out, below, length, 3);
    else paeth_pair(first, second, above, out, below, length, 4);
}

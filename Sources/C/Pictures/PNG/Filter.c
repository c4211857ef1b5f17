#include <string.h>

#include "Filters.h"

typedef uint8_t bytes16 __attribute__((ext_vector_type(16)));
typedef int16_t words16 __attribute__((ext_vector_type(16)));
typedef uint16_t sums16 __attribute__((ext_vector_type(16)));

static inline bytes16 load(const uint8_t *bytes) {
    bytes16 group;
    memcpy(&group, bytes, sizeof group);
    return group;
}

// A macro, because not every processor can return such a wide vector from a function.
#define WIDENED(group) __builtin_convertvector(group, words16)

__attribute__((always_inline))
static inline bytes16 guess(int filter, const uint8_t *row, const uint8_t *above, unsigned bpp) {
    if (filter == 0) return (bytes16) 0;
    if (filter == 1) return load(row - bpp);
    if (filter == 2) return load(above);
    words16 a = WIDENED(load(row - bpp)), b = WIDENED(load(above));
    if (filter == 3) return __builtin_convertvector((a + b) >> 1, bytes16);
    words16 c = WIDENED(load(above - bpp)), t = c + c + c - b - a;
    words16 lo = __builtin_elementwise_min(a, b), hi = __builtin_elementwise_max(a, b);
    return __builtin_convertvector(CPNG_PAETH(c, lo, hi, t), bytes16);
}

// Filters the row, and returns the sum of the absolute values of its bytes, read as signed numbers.
__attribute__((always_inline))
static inline uint64_t filtered(
    int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t length, unsigned bpp) {
    uint64_t sum = 0;
    for (size_t i = 0; i < length;) {
        // A byte adds at most 128, so this many fit in 16 bits.
        size_t end = length - i > 511 * 16 ? i + 511 * 16 : length;
        sums16 sums = 0;
        for (; i < end; i += 16) {
            bytes16 rest = load(row + i) - guess(filter, row + i, above + i, bpp);
            memcpy(out + i, &rest, sizeof rest);
            sums += __builtin_convertvector(__builtin_elementwise_min(rest, -rest), sums16);
        }
        for (int lane = 0; lane < 16; lane++) sum += sums[lane];
    }
    return sum;
}

// Compiled twice, so that processors with wider vectors use them. The choice is made before the thread
// sanitizer starts.
#if defined(__has_feature)
#define CPNG_CHECKS_THREADS __has_feature(thread_sanitizer)
#else
#define CPNG_CHECKS_THREADS 0
#endif
#if defined(__x86_64__) && defined(__linux__) && !CPNG_CHECKS_THREADS
__attribute__((target_clones("avx2", "default")))
#endif
int cpng_filter(
    const uint8_t *row, const uint8_t *above, uint8_t *out, uint8_t *spare, size_t length, unsigned bpp) {
    uint8_t *best = out, *other = spare;
    uint64_t least = UINT64_MAX;
    int chosen = 0;
    for (int filter = 0; filter < 5; filter++) {
        uint64_t sum = 0;
        switch (filter) {
        case 0: sum = filtered(0, row, above, other, length, bpp); break;
        case 1: sum = filtered(1, row, above, other, length, bpp); break;
        case 2: sum = filtered(2, row, above, other, length, bpp); break;
        case 3: sum = filtered(3, row, above, other, length, bpp); break;
        default: sum = filtered(4, row, above, other, length, bpp); break;
        }
        if (sum >= least) continue;
        least = sum;
        chosen = filter;
        uint8_t *swap = best;
        best = other;
        other = swap;
    }
    if (best != out) memcpy(out, best, length);
    return chosen;
}

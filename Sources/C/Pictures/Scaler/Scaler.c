#include "CScaler.h"
#include "Curves.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

extern const cscaler_kernels cscaler_baseline_kernels;
#if defined(__x86_64__)
extern const cscaler_kernels cscaler_avx2_kernels;
#endif

cscaler_curve_tables cscaler_curves;
static pthread_once_t curves_made = PTHREAD_ONCE_INIT;

static double linear_of(double level) {
    return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4);
}

static double level_of(double linear) {
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static void make_curves(void) {
    for (int i = 0; i < 256; i++) cscaler_curves.linear[i] = (float)(255 * linear_of(i / 255.0));
    for (int i = 0; i <= CSCALER_CURVE_LAST; i++) {
        double root = (double)i / CSCALER_CURVE_LAST;
        cscaler_curves.levels[i] = (uint8_t)(255 * level_of(root * root) + 0.5);
    }
}

const cscaler_kernels *cscaler_baseline(void) {
    pthread_once(&curves_made, make_curves);
    return &cscaler_baseline_kernels;
}

const cscaler_kernels *cscaler_fastest(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        pthread_once(&curves_made, make_curves);
        return &cscaler_avx2_kernels;
    }
#endif
    return cscaler_baseline();
}

void *cscaler_allocate(size_t bytes) {
    // Large memory from calloc is zeroed by the system, and costs nothing if it is not used.
    const size_t alignment = 64;
    if (bytes > SIZE_MAX / 2) return NULL;
    void *const memory = calloc(1, bytes + alignment);
    if (!memory) return NULL;
    // There is room for at least a pointer before the next full line, because calloc returns multiples of 16.
    void **const aligned = (void **)(((uintptr_t)memory / alignment + 1) * alignment);
    aligned[-1] = memory;
    return aligned;
}

void cscaler_free(void *memory) {
    if (memory) free(((void **)memory)[-1]);
}

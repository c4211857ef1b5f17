#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define CSCALER_AVX2
#define KERNELS cscaler_avx2_kernels
#include "Kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif

// sRGB's transfer curve (IEC 61966-2-1) as tables.
#pragma once

#include <stdint.h>

#define CSCALER_CURVE_LAST 4095

typedef struct cscaler_curve_tables {
    /// The linear light of a level, 0 ... 255.
    float linear[256];
    /// The level of linear light x, 0 ... 1, at index sqrt(x) * CSCALER_CURVE_LAST. The curve over the root
    /// is steep nowhere, so the nearest index is at most 0.05 of a level off.
    uint8_t levels[CSCALER_CURVE_LAST + 1];
} cscaler_curve_tables;

/// Computed by the first call of cscaler_baseline or cscaler_fastest.
extern cscaler_curve_tables cscaler_curves;

// Steps that the files of the shim share.
#pragma once

#include "CVips.h"

// One level of 8 bits in levels of 16.
enum { CVIPS_DEEP_LEVELS = UINT16_MAX / UINT8_MAX };

// Whether the samples have 16 bits.
__attribute__((visibility("hidden"))) int cvips_is_deep(CVipsImage *image);

// Releases `step`, which failed or is replaced by `next`, and returns `next`.
__attribute__((visibility("hidden"))) CVipsImage *cvips_instead_of(CVipsImage *step, CVipsImage *next);

// Rounds each sample to an integer of `format`; NULL for NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_rounded(CVipsImage *image, int format);

// Multiplies each sample by `factor`; produces `count` times as many bands, if there is one.
__attribute__((visibility("hidden"))) CVipsImage *cvips_multiplied(CVipsImage *image, double factor, int count);

// Converts each sample to `format`, truncating fractions; NULL for NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_cast(CVipsImage *image, int format);

// Returns some of the bands, counted from 0.
__attribute__((visibility("hidden"))) CVipsImage *cvips_bands(CVipsImage *image, int first, int count);

// Joins the bands of both images and releases the images; NULL if either is NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_joined(CVipsImage *colours, CVipsImage *alpha);

// Converts the image to an interpretation; NULL for NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_in_space(CVipsImage *image, int space);


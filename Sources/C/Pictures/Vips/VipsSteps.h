// Steps that the shim's files have in common.
#pragma once

#include "CVips.h"

// Releases `step`, which failed or was followed by `next`, and returns `next`.
__attribute__((visibility("hidden"))) CVipsImage *cvips_instead_of(CVipsImage *step, CVipsImage *next);

// Each sample rounded to an integer of `format`; NULL for NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_rounded(CVipsImage *image, int format);

// Each sample as one of `format`, fractions cut off; NULL for NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_cast(CVipsImage *image, int format);

// Some of the bands, the first being 0.
__attribute__((visibility("hidden"))) CVipsImage *cvips_bands(CVipsImage *image, int first, int count);

// The bands of both, which are released; NULL if either is.
__attribute__((visibility("hidden"))) CVipsImage *cvips_joined(CVipsImage *colours, CVipsImage *alpha);

// Converted to an interpretation; NULL for NULL.
__attribute__((visibility("hidden"))) CVipsImage *cvips_in_space(CVipsImage *image, int space);

// Around the making of what liborc compiles: see Vips.c.
__attribute__((visibility("hidden"))) void cvips_lock_resamplers(void);
__attribute__((visibility("hidden"))) void cvips_unlock_resamplers(void);

// What Swift cannot call in libvips: variadic functions, in steps of one operation each.
//
// A `CVipsImage *` that is returned belongs to the caller, who gives it back to cvips_release; one that is passed is
// only borrowed. NULL or -1 means failure: cvips_take_error then says what libvips told, as a hint, since its error
// text is shared by all threads. Images are lazy: pixels are made by cvips_copy_memory, cvips_encode and cvips_rgba.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct _VipsImage CVipsImage;

// Loads and starts libvips: one thread an image, no operation cache, only the loaders of formats that we read, no
// warnings on standard error. Call it once, before anything else that uses images, from one thread: vips_init is not
// safe against itself. On failure it says why in `error`, cut to `capacity` with its final NUL, and nothing else may
// be called.
int cvips_start(char *error, size_t capacity);

// Opens a picture that is read from its top to its bottom once; `options` are the loader's, such as "[shrink=2]".
// `bytes` have to stay until the image is released; the descriptor is duplicated.
CVipsImage *cvips_open_memory(const void *bytes, size_t length, const char *options);
CVipsImage *cvips_open_descriptor(int descriptor, const char *options);

// Makes an sRGB image of `width * height * bands` bytes, 3 bands or 4 with alpha; the bytes are copied.
CVipsImage *cvips_from_pixels(const void *pixels, int width, int height, int bands);

int cvips_width(const CVipsImage *image);
int cvips_height(const CVipsImage *image);
int cvips_has_alpha(CVipsImage *image);

CVipsImage *cvips_resized(CVipsImage *image, int width, int height);
CVipsImage *cvips_area(CVipsImage *image, int left, int top, int width, int height);
// The embedded ICC profile, which belongs to the image, or NULL.
const uint8_t *cvips_profile(CVipsImage *image, size_t *length);
// 8-bit sRGB or grey. The embedded profile is applied if asked for; one that makes no sense is ignored.
CVipsImage *cvips_srgb(CVipsImage *image, int applies_profile);
// 8-bit sRGB as linear light, in floats.
CVipsImage *cvips_linear(CVipsImage *image);
// Turned and mirrored as EXIF orientation 1 to 8 says; needs an image in memory.
CVipsImage *cvips_upright(CVipsImage *image, int orientation);
CVipsImage *cvips_on_white(CVipsImage *image);
// All pixels computed and held.
CVipsImage *cvips_copy_memory(CVipsImage *image);

// Encodes as `suffix` says, such as ".jpg[Q=82,strip]"; the bytes go back to cvips_free.
uint8_t *cvips_encode(CVipsImage *image, const char *suffix, size_t *length);
// Four bytes a pixel; they go back to cvips_free.
uint8_t *cvips_rgba(CVipsImage *image, size_t *length);

// Makes every computation on `image` fail soon; may be called from any thread while the image is held.
void cvips_kill(CVipsImage *image);
void cvips_release(CVipsImage *image);
void cvips_free(void *memory);

// Moves libvips's error text to `text`, cut to `capacity` with its final NUL.
void cvips_take_error(char *text, size_t capacity);

// Lets malloc use at most `count` arenas, however many threads there are; 0 where the C library has no such thing.
int cvips_limit_arenas(int count);

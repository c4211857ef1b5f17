// The parts of libvips that Swift cannot call, which are variadic functions, in steps of one operation each.
//
// The caller owns a returned `CVipsImage *` and passes it to cvips_release; an image passed to a function is
// only borrowed. NULL or -1 means failure: cvips_take_error then returns libvips's message, as a hint,
// because all threads share its error text. Images are lazy: cvips_copy_memory, cvips_encode and cvips_rgba
// compute pixels.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct _VipsImage CVipsImage;

// Loads and starts libvips: one thread per image, no operation cache, only the loaders of formats that we
// read, no warnings on standard error. Call it once, from one thread, before using images: two calls of
// vips_init must not overlap. On failure it writes the reason to `error`, cut to `capacity` with its final
// NUL, and nothing else may be called.
int cvips_start(char *error, size_t capacity);

// Loads the decoders of libheif, which newer versions keep in files of their own, for a process that can open
// no files later. Does nothing if libheif is not loaded.
void cvips_load_plugins(void);

// Loads the list of fonts for drawings with text, and calls `keep` with the file of each; forgets those for which it
// does not return 0. Returns the number of the others; 0 if libvips draws no text. Call it after cvips_start.
int cvips_load_fonts(int (*keep)(const char *path));

// Whether libvips was built with an operation, or has loaded it, such as "heifload_source".
int cvips_has(const char *operation);

// Allows JPEG XL, JPEG 2000 and SVG from now on, whose libraries libvips itself does not trust.
void cvips_allow_guarded(void);

// Opens a picture to be read once from top to bottom; `options` are the loader's, such as "[shrink=2]".
// `bytes` must stay valid until the image is released; the descriptor is duplicated.
CVipsImage *cvips_open_memory(const void *bytes, size_t length, const char *options);
CVipsImage *cvips_open_descriptor(int descriptor, const char *options);

// Creates an image from `width * height * bands` bytes, which are copied: 1 band of grey or 3 of sRGB, or one more with
// alpha; 4 bands if it `is_cmyk`.
CVipsImage *cvips_from_pixels(const void *pixels, int width, int height, int bands, int is_cmyk);

int cvips_width(const CVipsImage *image);
int cvips_height(const CVipsImage *image);
int cvips_has_alpha(CVipsImage *image);

// An animation is opened as one image with its frames below each other. The height of a frame; that of the image
// if it is not an animation.
int cvips_frame_height(CVipsImage *image);
// The delays of all frames of the source in milliseconds, which belong to the image, or NULL.
const int *cvips_delays(CVipsImage *image, int *count);
// How many times an animation is shown; 0 for without end.
int cvips_loops(CVipsImage *image);
// Makes an image that is not shared yet an animation of `count` frames, each of the given height.
void cvips_set_frames(CVipsImage *image, int height, const int *delays, int count, int loops);

CVipsImage *cvips_resized(CVipsImage *image, int width, int height);
CVipsImage *cvips_area(CVipsImage *image, int left, int top, int width, int height);
// The bytes of metadata such as "icc-profile-data", which belong to the image, or NULL.
const uint8_t *cvips_metadata(CVipsImage *image, const char *name, size_t *length);
// A copy without any metadata.
CVipsImage *cvips_bare(CVipsImage *image);
// Adds metadata to an image that is not shared yet; the bytes are copied.
void cvips_set_metadata(CVipsImage *image, const char *name, const void *bytes, size_t length);
// The picture as libvips opened it, with samples converted to integers of 8 or 16 bits. The source may have
// floats from 0 to 1, which are linear light unless there is a profile, longer integers, or colours that no
// device has, such as Lab. With `is_weighted`, floats are divided by the alpha that they were multiplied by.
// Greys in floats are computed; all others are not.
CVipsImage *cvips_integers(CVipsImage *image, int is_weighted);
// With 16 bits a sample; needs integers of 8 or 16 bits.
CVipsImage *cvips_deep(CVipsImage *image);
// sRGB or grey, with 16 bits a sample if it `is_deep`, and 8 otherwise. The embedded profile is applied with an ICC
// rendering intent, 0 to 3; -1 ignores it, as are profiles that are invalid or have no table for the intent.
CVipsImage *cvips_srgb(CVipsImage *image, int intent, int is_deep);
// sRGB as linear light, in floats.
CVipsImage *cvips_linear(CVipsImage *image);
// Turned and mirrored by EXIF orientation 1 to 8; needs an image in memory.
CVipsImage *cvips_upright(CVipsImage *image, int orientation);
// Without alpha, on an sRGB colour; a grey image becomes a colour image unless the colour is grey.
CVipsImage *cvips_on_colour(CVipsImage *image, const uint8_t colour[3]);

// The following functions need images in memory, in 8-bit sRGB or grey.

// The area of the picture within a uniform border; a `colour` of NULL is that of the top left pixel.
// Transparency counts as a colour. Returns 0, or -1 on failure; a uniform picture has a width of 0.
int cvips_find_picture(CVipsImage *image, double threshold, const uint8_t *colour, int area[4]);
// Finds the left and top of the part of the given size that attracts the most attention. Returns 0, or -1 on
// failure.
int cvips_find_attention(CVipsImage *image, int width, int height, int place[2]);
CVipsImage *cvips_blurred(CVipsImage *image, double sigma);
// Mixed with `other`, as much as `mask` is white.
CVipsImage *cvips_blended(CVipsImage *image, CVipsImage *other, CVipsImage *mask);
CVipsImage *cvips_sharpened(CVipsImage *image, double sigma);
// Reduced to squares of one colour each.
CVipsImage *cvips_pixelated(CVipsImage *image, int edge);
// Placed on a transparent area, possibly partly outside it.
CVipsImage *cvips_embedded(CVipsImage *image, int left, int top, int width, int height);
// Repeated horizontally and vertically, from the middle.
CVipsImage *cvips_tiled(CVipsImage *image, int width, int height);
// With alpha, multiplied by `opacity`, in colours.
CVipsImage *cvips_faded(CVipsImage *image, double opacity);
// With `top` over it; with alpha only if it already has alpha.
CVipsImage *cvips_covered(CVipsImage *image, CVipsImage *top, int x, int y);
// With all pixels computed and in memory.
CVipsImage *cvips_copy_memory(CVipsImage *image);

// Encodes with the saver that `suffix` names, such as ".jpg[Q=82,strip]"; pass the bytes to cvips_free.
uint8_t *cvips_encode(CVipsImage *image, const char *suffix, size_t *length);
// Four bytes per pixel; pass them to cvips_free.
uint8_t *cvips_rgba(CVipsImage *image, size_t *length);

// Makes every computation on `image` fail soon; may be called from any thread while the image is held.
void cvips_kill(CVipsImage *image);
void cvips_release(CVipsImage *image);
void cvips_free(void *memory);

// Moves libvips's error text to `text`, cut to `capacity` with its final NUL.
void cvips_take_error(char *text, size_t capacity);

// Limits malloc to `count` arenas for any number of threads; 0 if the C library does not support it.
int cvips_limit_arenas(int count);

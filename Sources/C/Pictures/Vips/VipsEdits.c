#include <string.h>

#include "CVips.h"
#include "VipsLibrary.h"
#include "VipsSteps.h"

typedef CVipsImage *(*step_function)(CVipsImage *image, double amount);

// Colours are weighted by their alpha while they are mixed; otherwise the colours of transparent pixels would
// bleed out.
static CVipsImage *mixed(CVipsImage *image, step_function step, double amount) {
    if (!cvips.vips_image_hasalpha(image)) {
        CVipsImage *plain = step(image, amount);
        return cvips_instead_of(plain, cvips_rounded(plain, CVIPS_FORMAT_UCHAR));
    }
    CVipsImage *weighted = NULL, *plain = NULL;
    if (cvips.vips_call("premultiply", image, &weighted, NULL)) return NULL;
    CVipsImage *done = cvips_instead_of(weighted, step(weighted, amount));
    if (!done) return NULL;
    if (cvips.vips_call("unpremultiply", done, &plain, NULL)) plain = NULL;
    plain = cvips_instead_of(done, plain);
    return cvips_instead_of(plain, cvips_rounded(plain, CVIPS_FORMAT_UCHAR));
}

static CVipsImage *with_alpha(CVipsImage *image) {
    CVipsImage *out = NULL;
    if (!cvips.vips_image_hasalpha(image)) return cvips.vips_addalpha(image, &out, NULL) ? NULL : out;
    return cvips.vips_call("copy", image, &out, NULL) ? NULL : out;
}

static CVipsImage *flattened(CVipsImage *image, const double *colour, int bands) {
    CVipsImage *out = NULL;
    // libvips would refuse the colour, which must have one channel less than the image.
    if (!cvips.vips_image_hasalpha(image)) return cvips.vips_call("copy", image, &out, NULL) ? NULL : out;
    VipsArrayDouble *background = cvips.vips_array_double_new(colour, bands);
    double opaque = cvips_is_deep(image) ? UINT16_MAX : UINT8_MAX;
    int failed = cvips.vips_call("flatten", image, &out, "background", background, "max_alpha", opaque, NULL);
    cvips.vips_area_unref((VipsArea *) background);
    return failed ? NULL : out;
}

CVipsImage *cvips_on_colour(CVipsImage *image, const uint8_t colour[3]) {
    int is_deep = cvips_is_deep(image), level = is_deep ? CVIPS_DEEP_LEVELS : 1;
    double levels[] = { colour[0] * level, colour[1] * level, colour[2] * level };
    if (colour[0] == colour[1] && colour[1] == colour[2]) return flattened(image, levels, 1);
    CVipsImage *coloured = cvips_in_space(image, is_deep ? CVIPS_INTERPRETATION_RGB16 : CVIPS_INTERPRETATION_SRGB);
    return coloured ? cvips_instead_of(coloured, flattened(coloured, levels, 3)) : NULL;
}

static int first_colour(CVipsImage *image, double colour[3]) {
    size_t length = 0;
    CVipsImage *pixel = cvips_area(image, 0, 0, 1, 1);
    if (!pixel) return -1;
    uint8_t *samples = cvips.vips_image_write_to_memory(pixel, &length);
    cvips_release(pixel);
    if (!samples) return -1;
    for (size_t i = 0; i < 3; i++) colour[i] = i < length ? samples[i] : samples[0];
    cvips.g_free(samples);
    return 0;
}

int cvips_find_picture(CVipsImage *image, double threshold, const uint8_t *colour, int area[4]) {
    // A transparent border is placed on a colour that is rare in borders.
    static const uint8_t magenta[] = { 255, 0, 255 };
    CVipsImage *opaque = cvips_on_colour(image, magenta);
    if (!opaque) return -1;
    double border[3];
    for (int i = 0; colour && i < 3; i++) border[i] = colour[i];
    if (!colour && first_colour(opaque, border)) {
        cvips_release(opaque);
        return -1;
    }
    VipsArrayDouble *background = cvips.vips_array_double_new(border, 3);
    int failed = cvips.vips_call(
        "find_trim", opaque, &area[0], &area[1], &area[2], &area[3], "threshold", threshold, "background", background,
        NULL);
    cvips.vips_area_unref((VipsArea *) background);
    cvips_release(opaque);
    return failed ? -1 : 0;
}

int cvips_find_attention(CVipsImage *image, int width, int height, int place[2]) {
    CVipsImage *out = NULL;
    if (cvips.vips_call("smartcrop", image, &out, width, height, "interesting", CVIPS_INTERESTING_ATTENTION, NULL))
        return -1;
    // A part carries where the whole begins, relative to it.
    place[0] = -cvips.vips_image_get_xoffset(out);
    place[1] = -cvips.vips_image_get_yoffset(out);
    cvips_release(out);
    return 0;
}

static CVipsImage *gaussian(CVipsImage *image, double sigma) {
    CVipsImage *out = NULL;
    int failed = cvips.vips_call("gaussblur", image, &out, sigma, NULL);
    return failed ? NULL : out;
}

CVipsImage *cvips_blurred(CVipsImage *image, double sigma) { return mixed(image, gaussian, sigma); }

CVipsImage *cvips_blended(CVipsImage *image, CVipsImage *other, CVipsImage *mask) {
    CVipsImage *out = NULL;
    CVipsImage *level = cvips_bands(mask, 0, 1);
    if (!level) return NULL;
    int failed = cvips.vips_call("ifthenelse", level, other, image, &out, "blend", 1, NULL);
    return cvips_instead_of(level, failed ? NULL : out);
}

CVipsImage *cvips_sharpened(CVipsImage *image, double sigma) {
    CVipsImage *out = NULL;
    int failed = cvips.vips_call("sharpen", image, &out, "sigma", sigma, NULL);
    if (failed) return NULL;
    return cvips_instead_of(out, cvips_rounded(out, CVIPS_FORMAT_UCHAR));
}

// The mean of each square. At the edges, the last samples are repeated to complete the squares.
static CVipsImage *squares(CVipsImage *image, double edge) {
    CVipsImage *whole = NULL, *small = NULL;
    int side = (int) edge;
    int width = (cvips_width(image) + side - 1) / side * side, height = (cvips_height(image) + side - 1) / side * side;
    if (cvips.vips_call("embed", image, &whole, 0, 0, width, height, "extend", CVIPS_EXTEND_COPY, NULL)) return NULL;
    if (cvips.vips_call("shrink", whole, &small, edge, edge, NULL)) small = NULL;
    return cvips_instead_of(whole, small);
}

CVipsImage *cvips_pixelated(CVipsImage *image, int edge) {
    CVipsImage *small = mixed(image, squares, edge), *large = NULL;
    if (!small) return NULL;
    if (cvips.vips_call("zoom", small, &large, edge, edge, NULL)) large = NULL;
    large = cvips_instead_of(small, large);
    return large ? cvips_instead_of(large, cvips_area(large, 0, 0, cvips_width(image), cvips_height(image))) : NULL;
}

CVipsImage *cvips_embedded(CVipsImage *image, int left, int top, int width, int height) {
    CVipsImage *out = NULL, *full = with_alpha(image);
    if (!full) return NULL;
    if (cvips.vips_call("embed", full, &out, left, top, width, height, NULL)) out = NULL;
    return cvips_instead_of(full, out);
}

// An odd number of pieces, so that one is in the middle.
static int pieces(int length, int piece) { return ((length + piece - 1) / piece) | 1; }

CVipsImage *cvips_tiled(CVipsImage *image, int width, int height) {
    CVipsImage *tiles = NULL;
    int across = pieces(width, cvips_width(image)), down = pieces(height, cvips_height(image));
    if (cvips.vips_call("replicate", image, &tiles, across, down, NULL)) return NULL;
    int left = (cvips_width(tiles) - width) / 2, top = (cvips_height(tiles) - height) / 2;
    return cvips_instead_of(tiles, cvips_area(tiles, left, top, width, height));
}

CVipsImage *cvips_faded(CVipsImage *image, double opacity) {
    CVipsImage *coloured = cvips_in_space(image, CVIPS_INTERPRETATION_SRGB), *out = NULL;
    CVipsImage *full = coloured ? cvips_instead_of(coloured, with_alpha(coloured)) : NULL;
    if (!full) return NULL;
    const double factors[] = { 1, 1, 1, opacity }, none[] = { 0, 0, 0, 0 };
    VipsArrayDouble *scale = cvips.vips_array_double_new(factors, 4), *offset = cvips.vips_array_double_new(none, 4);
    if (cvips.vips_call("linear", full, &out, scale, offset, NULL)) out = NULL;
    cvips.vips_area_unref((VipsArea *) scale);
    cvips.vips_area_unref((VipsArea *) offset);
    out = cvips_instead_of(full, out);
    return cvips_instead_of(out, cvips_rounded(out, CVIPS_FORMAT_UCHAR));
}

CVipsImage *cvips_covered(CVipsImage *image, CVipsImage *top, int x, int y) {
    CVipsImage *coloured = cvips_in_space(image, CVIPS_INTERPRETATION_SRGB), *out = NULL;
    if (!coloured) return NULL;
    if (cvips.vips_call("composite2", coloured, top, &out, CVIPS_BLEND_OVER, "x", x, "y", y, NULL)) out = NULL;
    out = cvips_instead_of(coloured, out);
    if (!out) return NULL;
    out = cvips_instead_of(out, cvips_rounded(out, CVIPS_FORMAT_UCHAR));
    if (!out || cvips.vips_image_hasalpha(image)) return out;
    return cvips_instead_of(out, cvips_bands(out, 0, 3));
}

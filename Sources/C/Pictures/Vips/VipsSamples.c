#include "CVips.h"
#include "VipsLibrary.h"
#include "VipsSteps.h"

// Operations that shrink, weigh by alpha and round expect integers, but TIFF has other samples too.

static CVipsImage *copied(CVipsImage *image, const char *field, int value) {
    CVipsImage *out = NULL;
    return image && !cvips.vips_call("copy", image, &out, field, value, NULL) ? out : NULL;
}

CVipsImage *cvips_multiplied(CVipsImage *image, double factor, int count) {
    const double factors[] = { factor, factor, factor }, none[] = { 0, 0, 0 };
    VipsArrayDouble *scale = cvips.vips_array_double_new(factors, count);
    VipsArrayDouble *offset = cvips.vips_array_double_new(none, count);
    CVipsImage *out = NULL;
    int failed = cvips.vips_call("linear", image, &out, scale, offset, NULL);
    cvips.vips_area_unref((VipsArea *) scale);
    cvips.vips_area_unref((VipsArea *) offset);
    return failed ? NULL : out;
}

static CVipsImage *shorts(CVipsImage *image, double factor) {
    CVipsImage *product = cvips_multiplied(image, factor, 1);
    return cvips_instead_of(product, cvips_rounded(product, CVIPS_FORMAT_USHORT));
}

// The factor that scales full alpha and white to 16 bits; the sign of an integer is ignored.
static double unit(int format) {
    switch (format) {
    case CVIPS_FORMAT_SHORT: return 1;
    case CVIPS_FORMAT_UINT: case CVIPS_FORMAT_INT: return 1 / 65537.0;
    default: return UINT16_MAX;
    }
}

static int is_grey(int space) {
    return space == CVIPS_INTERPRETATION_GREY || space == CVIPS_INTERPRETATION_GREY16;
}

// With a profile, the samples are in the colours of its device, regardless of their storage.
static int is_light(CVipsImage *image) {
    int is_float = cvips.vips_image_get_format(image) == CVIPS_FORMAT_FLOAT;
    return is_float && !cvips.vips_image_get_typeof(image, CVIPS_PROFILE);
}

// Light from 0 to 1; but greys up to 255, which some programs write as floats, are levels.
static CVipsImage *light_greys(CVipsImage *greys) {
    double most = 0;
    if (!cvips.vips_call("max", greys, &most, NULL) && most > 16)
        return shorts(greys, CVIPS_DEEP_LEVELS);
    CVipsImage *light = cvips_multiplied(greys, 1, 3);
    light = cvips_instead_of(light, copied(light, "interpretation", CVIPS_INTERPRETATION_SCRGB));
    return cvips_instead_of(light, cvips_in_space(light, CVIPS_INTERPRETATION_GREY16));
}

static CVipsImage *without_profile(CVipsImage *image) {
    if (image) cvips.vips_image_remove(image, CVIPS_PROFILE);
    return image;
}

// Converts samples that are grey, red, green and blue, or CMYK.
static CVipsImage *device_colours(CVipsImage *colours, int format, int space) {
    CVipsImage *out = is_grey(space) && is_light(colours) ? light_greys(colours) : shorts(colours, unit(format));
    if (space == CVIPS_INTERPRETATION_CMYK) return out;
    int deep = is_grey(space) ? CVIPS_INTERPRETATION_GREY16 : CVIPS_INTERPRETATION_RGB16;
    return cvips_instead_of(out, copied(out, "interpretation", deep));
}

static CVipsImage *integer_colours(CVipsImage *colours, int format, int space) {
    switch (space) {
    case CVIPS_INTERPRETATION_SCRGB:
        if (is_light(colours)) return cvips_in_space(colours, CVIPS_INTERPRETATION_RGB16);
        return device_colours(colours, format, space);
    case CVIPS_INTERPRETATION_XYZ: case CVIPS_INTERPRETATION_LAB: case CVIPS_INTERPRETATION_LABS: {
        // Device-independent colours, to which a profile adds nothing.
        CVipsImage *out = cvips_in_space(colours, CVIPS_INTERPRETATION_RGB16);
        return without_profile(cvips_instead_of(out, copied(out, "interpretation", CVIPS_INTERPRETATION_RGB16)));
    }
    default: return device_colours(colours, format, space);
    }
}

static CVipsImage *integer_alpha(CVipsImage *alpha, int format, int space) {
    // Along with Lab, libvips stores unsigned 16 bits in a signed format.
    if (space == CVIPS_INTERPRETATION_LABS) return copied(alpha, "format", CVIPS_FORMAT_USHORT);
    return shorts(alpha, unit(format));
}

// The value that libvips uses for full alpha when it divides colours of `space` by alpha, which depends on
// its version.
static double full_alpha(int space) {
    const float white[] = { 1, 1, 1, 1 };
    size_t length = 0;
    double full = 1;
    CVipsImage *raw = cvips.vips_image_new_from_memory_copy(white, sizeof white, 1, 1, 4, CVIPS_FORMAT_FLOAT);
    if (!raw) return full;
    CVipsImage *pixel = cvips_instead_of(raw, copied(raw, "interpretation", space)), *plain = NULL;
    if (!pixel || cvips.vips_call("unpremultiply", pixel, &plain, NULL)) plain = NULL;
    plain = cvips_instead_of(pixel, plain);
    float *samples = plain ? cvips.vips_image_write_to_memory(plain, &length) : NULL;
    if (samples && length >= sizeof *samples && *samples > 0) full = *samples;
    if (samples) cvips.g_free(samples);
    if (plain) cvips_release(plain);
    return full;
}

static CVipsImage *integers(CVipsImage *image, int format, int space, int is_weighted) {
    int is_lab = space == CVIPS_INTERPRETATION_LAB || space == CVIPS_INTERPRETATION_LABS;
    int is_short = format == CVIPS_FORMAT_UCHAR || format == CVIPS_FORMAT_CHAR || format == CVIPS_FORMAT_USHORT;
    if (is_short && !is_lab) return copied(image, "interpretation", space);
    // 8-bit Lab is packed in four bands, none of which is alpha.
    if ((is_short && is_lab) || !cvips.vips_image_hasalpha(image)) return integer_colours(image, format, space);
    int count = space == CVIPS_INTERPRETATION_CMYK ? 4 : is_grey(space) ? 1 : 3;
    CVipsImage *colours = cvips_bands(image, 0, count), *alpha = cvips_bands(image, count, 1);
    if (colours && is_weighted && format == CVIPS_FORMAT_FLOAT)
        colours = cvips_instead_of(colours, cvips_multiplied(colours, 1 / full_alpha(space), 1));
    colours = cvips_instead_of(colours, colours ? integer_colours(colours, format, space) : NULL);
    return cvips_joined(colours, cvips_instead_of(alpha, alpha ? integer_alpha(alpha, format, space) : NULL));
}

CVipsImage *cvips_integers(CVipsImage *image, int is_weighted) {
    int format = cvips.vips_image_get_format(image), space = cvips.vips_image_get_interpretation(image);
    if (!is_grey(space) || !is_light(image)) return integers(image, format, space, is_weighted);
    // The search for the largest sample reads the pixels, and a picture can be read only once.
    CVipsImage *held = cvips.vips_image_copy_memory(image);
    return held ? cvips_instead_of(held, integers(held, format, space, is_weighted)) : NULL;
}

// libvips itself fills the lower bits with the lowest one of the sample, which makes 65,024 of 254.
CVipsImage *cvips_deep(CVipsImage *image) {
    int space = cvips.vips_image_get_interpretation(image);
    if (cvips.vips_image_get_format(image) != CVIPS_FORMAT_UCHAR) return copied(image, "interpretation", space);
    if (space == CVIPS_INTERPRETATION_SRGB) space = CVIPS_INTERPRETATION_RGB16;
    if (space == CVIPS_INTERPRETATION_GREY) space = CVIPS_INTERPRETATION_GREY16;
    CVipsImage *out = shorts(image, CVIPS_DEEP_LEVELS);
    return cvips_instead_of(out, copied(out, "interpretation", space));
}

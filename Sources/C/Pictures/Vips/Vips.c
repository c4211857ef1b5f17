#include "CVips.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "VipsLibrary.h"
#include "VipsSteps.h"

static void ignore(const char *domain, int level, const char *message, void *data) {
    (void) domain, (void) level, (void) message, (void) data;
}

int cvips_start(char *error, size_t capacity) {
    if (cvips_load(error, capacity)) return -1;
    // Unusual metadata makes libvips warn on standard error, which belongs to the program.
    cvips.g_log_set_handler("VIPS", CVIPS_LOG_WARNING_AND_BELOW, ignore, NULL);
    if (cvips.vips_init("calotype")) {
        cvips_take_error(error, capacity);
        return -1;
    }
    // With two threads per image, errors at a file's end are lost, and half a picture counts as a success.
    cvips.vips_concurrency_set(1);
    cvips.vips_cache_set_max(0);
    // A worker may not execute memory that it has written, and its images must be those of other processes. liborc
    // also corrupts the heap before 0.4.34, when two threads compile.
    if (cvips_compiles) cvips.vips_vector_set_enabled(0);
    cvips.vips_block_untrusted_set(1);
    cvips.vips_operation_block_set("VipsForeignLoad", 1);
    static const char *const loaders[] = {
        "VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp",
        "VipsForeignLoadNsgif", "VipsForeignLoadTiff", "VipsForeignLoadHeif",
    };
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) cvips.vips_operation_block_set(loaders[i], 0);
    return 0;
}

int cvips_has(const char *operation) { return cvips.vips_type_find("VipsOperation", operation) != 0; }

void cvips_allow_guarded(void) {
    static const char *const names[] = {
        "VipsForeignLoadJxl", "VipsForeignSaveJxl", "VipsForeignLoadJp2k", "VipsForeignLoadSvg",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) cvips.vips_operation_block_set(names[i], 0);
}

void cvips_release(CVipsImage *image) { cvips.g_object_unref(image); }

// From <libheif/heif.h>.
struct heif_error {
    int code, detail;
    const char *message;
};

void cvips_load_plugins(void) {
    void *library = dlopen("libheif.so.1", RTLD_LAZY | RTLD_NOLOAD);
    struct heif_error (*start)(void *) = NULL;
    if (library) *(void **) &start = dlsym(library, "heif_init");
    if (start) start(NULL);
    // The library stays loaded, because libvips uses it.
    if (library) dlclose(library);
}

// From <fontconfig/fontconfig.h>.
struct font_set {
    int count, capacity;
    void **fonts;
};

int cvips_load_fonts(int (*keep)(const char *path)) {
    void *library = dlopen("libfontconfig.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return 0;
    int (*start)(void) = NULL, (*set_interval)(void *, int) = NULL, (*text)(void *, const char *, int, char **) = NULL;
    struct font_set *(*fonts)(void *, int) = NULL;
    void (*release)(void *) = NULL;
    *(void **) &start = dlsym(library, "FcInit");
    *(void **) &set_interval = dlsym(library, "FcConfigSetRescanInterval");
    *(void **) &fonts = dlsym(library, "FcConfigGetFonts");
    *(void **) &text = dlsym(library, "FcPatternGetString");
    *(void **) &release = dlsym(library, "FcPatternDestroy");
    struct font_set *set = NULL;
    if (start && set_interval && fonts && text && release && start() && set_interval(NULL, 0)) set = fonts(NULL, 0);
    int kept = 0;
    for (int i = 0; set && i < set->count; i++) {
        char *path = NULL;
        // Several fonts may be in one file.
        if (text(set->fonts[i], "file", 0, &path) == 0 && keep(path) == 0) {
            set->fonts[kept++] = set->fonts[i];
        } else {
            release(set->fonts[i]);
        }
    }
    if (set) set->count = kept;
    // The library stays loaded, because libvips uses it.
    dlclose(library);
    return kept;
}

static CVipsImage *open_source(VipsSource *source, const char *options) {
    if (!source) return NULL;
    CVipsImage *image = cvips.vips_image_new_from_source(source, options, NULL);
    cvips.g_object_unref(source);
    return image;
}

CVipsImage *cvips_open_memory(const void *bytes, size_t length, const char *options) {
    return open_source(cvips.vips_source_new_from_memory(bytes, length), options);
}

CVipsImage *cvips_open_descriptor(int descriptor, const char *options) {
    return open_source(cvips.vips_source_new_from_descriptor(descriptor), options);
}

CVipsImage *cvips_from_pixels(const void *pixels, int width, int height, int bands, int is_cmyk) {
    size_t length = (size_t) width * (size_t) height * (size_t) bands;
    CVipsImage *raw = cvips.vips_image_new_from_memory_copy(pixels, length, width, height, bands, CVIPS_FORMAT_UCHAR);
    if (!raw) return NULL;
    CVipsImage *image = NULL;
    int space = is_cmyk ? CVIPS_INTERPRETATION_CMYK : bands < 3 ? CVIPS_INTERPRETATION_GREY : CVIPS_INTERPRETATION_SRGB;
    int failed = cvips.vips_call("copy", raw, &image, "interpretation", space, NULL);
    cvips_release(raw);
    return failed ? NULL : image;
}

int cvips_width(const CVipsImage *image) { return cvips.vips_image_get_width(image); }
int cvips_height(const CVipsImage *image) { return cvips.vips_image_get_height(image); }
int cvips_is_deep(CVipsImage *image) { return cvips.vips_image_get_format(image) == CVIPS_FORMAT_USHORT; }
int cvips_has_alpha(CVipsImage *image) { return cvips.vips_image_hasalpha(image); }

int cvips_frame_height(CVipsImage *image) { return cvips.vips_image_get_page_height(image); }

const int *cvips_delays(CVipsImage *image, int *count) {
    int *delays = NULL;
    if (!cvips.vips_image_get_typeof(image, "delay")) return NULL;
    return cvips.vips_image_get_array_int(image, "delay", &delays, count) ? NULL : delays;
}

int cvips_loops(CVipsImage *image) {
    int loops = 0;
    if (cvips.vips_image_get_typeof(image, "loop")) cvips.vips_image_get_int(image, "loop", &loops);
    return loops;
}

void cvips_set_frames(CVipsImage *image, int height, const int *delays, int count, int loops) {
    cvips.vips_image_set_int(image, "page-height", height);
    cvips.vips_image_set_array_int(image, "delay", delays, count);
    cvips.vips_image_set_int(image, "loop", loops);
}

// Releases `step`, which failed or is replaced by `next`, and returns `next`.
CVipsImage *cvips_instead_of(CVipsImage *step, CVipsImage *next) {
    if (step) cvips_release(step);
    return next;
}

static CVipsImage *scaled(CVipsImage *image, int width, int height) {
    CVipsImage *out = NULL;
    double across = (double) width / cvips.vips_image_get_width(image);
    double down = (double) height / cvips.vips_image_get_height(image);
    int failed = cvips.vips_call("resize", image, &out, across, "vscale", down, NULL);
    return failed ? NULL : out;
}

CVipsImage *cvips_cast(CVipsImage *image, int format) {
    CVipsImage *out = NULL;
    return image && !cvips.vips_call("cast", image, &out, format, NULL) ? out : NULL;
}

// A cast alone truncates fractions, which would darken every picture by half a level.
CVipsImage *cvips_rounded(CVipsImage *image, int format) {
    CVipsImage *whole = NULL;
    if (!image || cvips.vips_call("round", image, &whole, CVIPS_ROUND_NEAREST, NULL)) return NULL;
    return cvips_instead_of(whole, cvips_cast(whole, format));
}

CVipsImage *cvips_resized(CVipsImage *image, int width, int height) {
    if (!cvips.vips_image_hasalpha(image)) return scaled(image, width, height);
    // Colours are weighted by their alpha; otherwise the colours of transparent pixels would bleed into the
    // edges.
    CVipsImage *weighted = NULL, *plain = NULL;
    int format = cvips.vips_image_get_format(image);
    double opaque = cvips_is_deep(image) ? UINT16_MAX : UINT8_MAX;
    if (cvips.vips_call("premultiply", image, &weighted, "max_alpha", opaque, NULL)) return NULL;
    CVipsImage *small = cvips_instead_of(weighted, scaled(weighted, width, height));
    if (!small) return NULL;
    if (cvips.vips_call("unpremultiply", small, &plain, "max_alpha", opaque, NULL)) plain = NULL;
    plain = cvips_instead_of(small, plain);
    // Linear light, from 0 to 1, would be rounded to black and white.
    return format == CVIPS_FORMAT_FLOAT ? plain : cvips_instead_of(plain, cvips_rounded(plain, format));
}

CVipsImage *cvips_area(CVipsImage *image, int left, int top, int width, int height) {
    CVipsImage *out = NULL;
    return cvips.vips_call("extract_area", image, &out, left, top, width, height, NULL) ? NULL : out;
}

CVipsImage *cvips_in_space(CVipsImage *image, int space) {
    CVipsImage *out = NULL;
    return image && !cvips.vips_call("colourspace", image, &out, space, NULL) ? out : NULL;
}

CVipsImage *cvips_bands(CVipsImage *image, int first, int count) {
    CVipsImage *out = NULL;
    return cvips.vips_call("extract_band", image, &out, first, "n", count, NULL) ? NULL : out;
}

CVipsImage *cvips_joined(CVipsImage *colours, CVipsImage *alpha) {
    CVipsImage *out = NULL;
    if (!colours || !alpha || cvips.vips_bandjoin2(colours, alpha, &out, NULL)) out = NULL;
    return cvips_instead_of(alpha, cvips_instead_of(colours, out));
}

const uint8_t *cvips_metadata(CVipsImage *image, const char *name, size_t *length) {
    const void *bytes = NULL;
    if (!cvips.vips_image_get_typeof(image, name)) return NULL;
    return cvips.vips_image_get_blob(image, name, &bytes, length) ? NULL : bytes;
}

CVipsImage *cvips_bare(CVipsImage *image) {
    CVipsImage *copy = NULL;
    if (cvips.vips_call("copy", image, &copy, NULL)) return NULL;
    // The list also contains fields that are part of the image itself; those are not removed.
    char **names = cvips.vips_image_get_fields(copy);
    for (char **name = names; name && *name; name++) cvips.vips_image_remove(copy, *name);
    cvips.g_strfreev(names);
    return copy;
}

void cvips_set_metadata(CVipsImage *image, const char *name, const void *bytes, size_t length) {
    cvips.vips_image_set_blob_copy(image, name, bytes, length);
}

// NULL if there is no profile or it is invalid.
static CVipsImage *by_profile(CVipsImage *image, int intent, int is_deep) {
    CVipsImage *out = NULL;
    int has_profile = cvips.vips_image_get_typeof(image, CVIPS_PROFILE) != 0;
    if (!has_profile && cvips.vips_image_get_interpretation(image) != CVIPS_INTERPRETATION_CMYK) return NULL;
    int depth = is_deep ? 16 : 8;
    if (cvips.vips_call(
            "icc_transform", image, &out, "srgb", "embedded", 1, "intent", intent, "depth", depth, NULL)) {
        // The picture is produced anyway, so this message must not appear as the reason for a later failure.
        cvips.vips_error_clear();
        return NULL;
    }
    // libvips applies a grey profile to the first channel of a colour picture, and appends the other channels
    // to the result.
    int wanted = 3 + (cvips.vips_image_hasalpha(image) ? 1 : 0);
    return cvips.vips_image_get_bands(out) == wanted ? out : cvips_instead_of(out, NULL);
}

// Versions of libvips convert alpha differently between sRGB and linear light, so alpha is 0 to 255, whatever the
// depth of the picture.
CVipsImage *cvips_linear(CVipsImage *image) {
    if (!cvips.vips_image_hasalpha(image)) return cvips_in_space(image, CVIPS_INTERPRETATION_SCRGB);
    int count = cvips.vips_image_get_bands(image) - 1;
    CVipsImage *colours = cvips_bands(image, 0, count);
    colours = cvips_instead_of(colours, cvips_in_space(colours, CVIPS_INTERPRETATION_SCRGB));
    CVipsImage *alpha = cvips_bands(image, count, 1);
    if (alpha && cvips_is_deep(alpha))
        alpha = cvips_instead_of(alpha, cvips_multiplied(alpha, 1.0 / CVIPS_DEEP_LEVELS, 1));
    return cvips_joined(colours, alpha);
}

static CVipsImage *from_linear(CVipsImage *image, int is_deep) {
    int space = is_deep ? CVIPS_INTERPRETATION_RGB16 : CVIPS_INTERPRETATION_SRGB;
    if (!cvips.vips_image_hasalpha(image)) return cvips_in_space(image, space);
    CVipsImage *colours = cvips_bands(image, 0, 3), *alpha = cvips_bands(image, 3, 1);
    colours = cvips_instead_of(colours, cvips_in_space(colours, space));
    if (alpha && is_deep) alpha = cvips_instead_of(alpha, cvips_multiplied(alpha, CVIPS_DEEP_LEVELS, 1));
    int format = is_deep ? CVIPS_FORMAT_USHORT : CVIPS_FORMAT_UCHAR;
    return cvips_joined(colours, cvips_instead_of(alpha, cvips_rounded(alpha, format)));
}

static int output_space(int is_grey, int is_deep) {
    if (is_deep) return is_grey ? CVIPS_INTERPRETATION_GREY16 : CVIPS_INTERPRETATION_RGB16;
    return is_grey ? CVIPS_INTERPRETATION_GREY : CVIPS_INTERPRETATION_SRGB;
}

CVipsImage *cvips_srgb(CVipsImage *image, int intent, int is_deep) {
    if (cvips.vips_image_get_interpretation(image) == CVIPS_INTERPRETATION_SCRGB) return from_linear(image, is_deep);
    int space = output_space(cvips.vips_image_get_bands(image) < 3, is_deep);
    CVipsImage *managed = intent < 0 ? NULL : by_profile(image, intent, is_deep);
    // A transform ends in sRGB; a grey picture stays grey, with a third of the bytes.
    CVipsImage *in = managed ? managed : image;
    CVipsImage *out = cvips_in_space(in, space);
    if (managed) out = cvips_instead_of(managed, out);
    return cvips_instead_of(out, cvips_cast(out, is_deep ? CVIPS_FORMAT_USHORT : CVIPS_FORMAT_UCHAR));
}

static CVipsImage *turned(CVipsImage *image, int angle) {
    CVipsImage *out = NULL;
    return cvips.vips_call("rot", image, &out, angle, NULL) ? NULL : out;
}

static CVipsImage *mirrored(CVipsImage *image, int direction) {
    CVipsImage *out = NULL;
    return image && !cvips.vips_call("flip", image, &out, direction, NULL) ? out : NULL;
}

CVipsImage *cvips_upright(CVipsImage *image, int orientation) {
    CVipsImage *quarter = NULL;
    switch (orientation) {
    case 2: return mirrored(image, CVIPS_DIRECTION_HORIZONTAL);
    case 3: return turned(image, CVIPS_ANGLE_180);
    case 4: return mirrored(image, CVIPS_DIRECTION_VERTICAL);
    case 6: return turned(image, CVIPS_ANGLE_90);
    case 8: return turned(image, CVIPS_ANGLE_270);
    case 5: quarter = turned(image, CVIPS_ANGLE_90); break;
    case 7: quarter = turned(image, CVIPS_ANGLE_270); break;
    default: return cvips.vips_call("copy", image, &quarter, NULL) ? NULL : quarter;
    }
    return cvips_instead_of(quarter, mirrored(quarter, CVIPS_DIRECTION_HORIZONTAL));
}

CVipsImage *cvips_copy_memory(CVipsImage *image) { return cvips.vips_image_copy_memory(image); }

uint8_t *cvips_encode(CVipsImage *image, const char *suffix, size_t *length) {
    void *bytes = NULL;
    return cvips.vips_image_write_to_buffer(image, suffix, &bytes, length, NULL) ? NULL : bytes;
}

uint8_t *cvips_rgba(CVipsImage *image, size_t *length) {
    CVipsImage *colour = cvips_in_space(image, CVIPS_INTERPRETATION_SRGB);
    if (!colour) return NULL;
    CVipsImage *full = NULL;
    if (cvips.vips_image_hasalpha(colour)) full = cvips_area(
        colour, 0, 0, cvips.vips_image_get_width(colour), cvips.vips_image_get_height(colour));
    else if (cvips.vips_addalpha(colour, &full, NULL)) full = NULL;
    full = cvips_instead_of(colour, full);
    CVipsImage *bytes = cvips_instead_of(full, cvips_cast(full, CVIPS_FORMAT_UCHAR));
    if (!bytes) return NULL;
    uint8_t *pixels = cvips.vips_image_write_to_memory(bytes, length);
    cvips_release(bytes);
    return pixels;
}

void cvips_kill(CVipsImage *image) { cvips.vips_image_set_kill(image, 1); }
void cvips_free(void *memory) { cvips.g_free(memory); }

void cvips_take_error(char *text, size_t capacity) {
    snprintf(text, capacity, "%s", cvips.vips_error_buffer());
    cvips.vips_error_clear();
}

#ifdef __GLIBC__
#include <malloc.h>
// Unless the threshold for separately mapped blocks is set, glibc raises it up to 32 MiB as large blocks are
// freed, and pictures of all sizes leave holes in the arenas. With the initial threshold of 128 KiB, a tenth
// of a decode's time goes into new pages from the system for each picture.
int cvips_limit_arenas(int count) {
    return mallopt(M_ARENA_MAX, count) && mallopt(M_MMAP_THRESHOLD, 4 << 20) && mallopt(M_TRIM_THRESHOLD, 8 << 20);
}
#else
int cvips_limit_arenas(int count) {
    (void)count;
    return 0;
}
#endif

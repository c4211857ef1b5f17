// The few functions of libvips, GObject and GLib that Calotype calls, declared here so that building does not
// need <vips/vips.h>, libvips or its compiler flags, which SwiftPM refuses. script/check-prototypes compiles
// these lines together with the real headers, so a wrong declaration is an error.
#pragma once

#include <stddef.h>

typedef struct _VipsImage VipsImage;
typedef struct _VipsSource VipsSource;
typedef struct _VipsArea VipsArea;
typedef struct _VipsArrayDouble VipsArrayDouble;

// <vips/vips.h>
int vips_version(int flag);
int vips_init(const char *program_name);
void vips_concurrency_set(int concurrency);
void vips_cache_set_max(int max);
void vips_vector_set_enabled(int enabled);
void vips_block_untrusted_set(int state);
void vips_operation_block_set(const char *name, int state);
size_t vips_type_find(const char *base, const char *nickname);
const char *vips_error_buffer(void);
void vips_error_clear(void);

int vips_call(const char *operation_name, ...);
int vips_addalpha(VipsImage *in, VipsImage **out, ...);
int vips_bandjoin2(VipsImage *in1, VipsImage *in2, VipsImage **out, ...);

VipsSource *vips_source_new_from_memory(const void *data, size_t length);
VipsSource *vips_source_new_from_descriptor(int descriptor);
VipsImage *vips_image_new_from_source(VipsSource *source, const char *option_string, ...);
VipsImage *vips_image_new_from_memory_copy(
    const void *data, size_t size, int width, int height, int bands, int format);

int vips_image_get_width(const VipsImage *image);
int vips_image_get_height(const VipsImage *image);
int vips_image_get_bands(const VipsImage *image);
// These two return enumerations, which have the same integer type in C.
int vips_image_get_format(const VipsImage *image);
int vips_image_get_interpretation(const VipsImage *image);
int vips_image_hasalpha(VipsImage *image);
int vips_image_get_xoffset(const VipsImage *image);
int vips_image_get_yoffset(const VipsImage *image);
int vips_image_get_page_height(VipsImage *image);
unsigned long vips_image_get_typeof(const VipsImage *image, const char *name);
int vips_image_get_blob(const VipsImage *image, const char *name, const void **data, size_t *length);
void vips_image_set_blob_copy(VipsImage *image, const char *name, const void *data, size_t length);
int vips_image_get_int(const VipsImage *image, const char *name, int *out);
void vips_image_set_int(VipsImage *image, const char *name, int value);
int vips_image_get_array_int(VipsImage *image, const char *name, int **out, int *n);
void vips_image_set_array_int(VipsImage *image, const char *name, const int *array, int n);
char **vips_image_get_fields(VipsImage *image);
int vips_image_remove(VipsImage *image, const char *name);
void vips_image_set_kill(VipsImage *image, int kill);
VipsImage *vips_image_copy_memory(VipsImage *image);
void *vips_image_write_to_memory(VipsImage *in, size_t *size);
int vips_image_write_to_buffer(VipsImage *in, const char *suffix, void **buf, size_t *size, ...);

VipsArrayDouble *vips_array_double_new(const double *array, int n);
void vips_area_unref(VipsArea *area);

// <glib-object.h>
void g_object_unref(void *object);
void g_free(void *memory);
void g_strfreev(char **texts);
unsigned int g_log_set_handler(
    const char *domain,
    int levels,
    void (*handler)(const char *domain, int level, const char *message, void *data),
    void *data);

// The values of libvips's enumerations that Calotype passes to the functions above.
enum {
    CVIPS_FORMAT_UCHAR = 0,
    CVIPS_FORMAT_CHAR = 1,
    CVIPS_FORMAT_USHORT = 2,
    CVIPS_FORMAT_SHORT = 3,
    CVIPS_FORMAT_UINT = 4,
    CVIPS_FORMAT_INT = 5,
    CVIPS_FORMAT_FLOAT = 6,
    CVIPS_INTERPRETATION_GREY = 1,
    CVIPS_INTERPRETATION_XYZ = 12,
    CVIPS_INTERPRETATION_LAB = 13,
    CVIPS_INTERPRETATION_CMYK = 15,
    CVIPS_INTERPRETATION_LABS = 21,
    CVIPS_INTERPRETATION_SRGB = 22,
    CVIPS_INTERPRETATION_RGB16 = 25,
    CVIPS_INTERPRETATION_GREY16 = 26,
    CVIPS_INTERPRETATION_SCRGB = 28,
    CVIPS_ROUND_NEAREST = 0,
    CVIPS_ANGLE_90 = 1,
    CVIPS_ANGLE_180 = 2,
    CVIPS_ANGLE_270 = 3,
    CVIPS_DIRECTION_HORIZONTAL = 0,
    CVIPS_DIRECTION_VERTICAL = 1,
    CVIPS_INTERESTING_ATTENTION = 3,
    CVIPS_EXTEND_COPY = 1,
    CVIPS_BLEND_OVER = 2,
    CVIPS_LOG_WARNING_AND_BELOW = 16 | 32 | 64 | 128,
};

// The name of the metadata field for an image's ICC profile.
#define CVIPS_PROFILE "icc-profile-data"

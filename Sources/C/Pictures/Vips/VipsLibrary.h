// Loads libvips when it is first needed. If it were linked, every run of a program would load its hundred
// dependencies, even a run that decodes nothing.
#pragma once

#include <stddef.h>

#include "VipsPrototypes.h"

// Every function of VipsPrototypes.h. A function that is missing here cannot be called; one that is missing
// there does not compile.
#define CVIPS_FUNCTIONS(FUNCTION) \
    FUNCTION(vips_version) \
    FUNCTION(vips_init) \
    FUNCTION(vips_concurrency_set) \
    FUNCTION(vips_cache_set_max) \
    FUNCTION(vips_vector_set_enabled) \
    FUNCTION(vips_block_untrusted_set) \
    FUNCTION(vips_operation_block_set) \
    FUNCTION(vips_type_find) \
    FUNCTION(vips_error_buffer) \
    FUNCTION(vips_error_clear) \
    FUNCTION(vips_call) \
    FUNCTION(vips_addalpha) \
    FUNCTION(vips_bandjoin2) \
    FUNCTION(vips_source_new_from_memory) \
    FUNCTION(vips_source_new_from_descriptor) \
    FUNCTION(vips_image_new_from_source) \
    FUNCTION(vips_image_new_from_memory_copy) \
    FUNCTION(vips_image_get_width) \
    FUNCTION(vips_image_get_height) \
    FUNCTION(vips_image_get_bands) \
    FUNCTION(vips_image_get_format) \
    FUNCTION(vips_image_get_interpretation) \
    FUNCTION(vips_image_hasalpha) \
    FUNCTION(vips_image_get_xoffset) \
    FUNCTION(vips_image_get_yoffset) \
    FUNCTION(vips_image_get_page_height) \
    FUNCTION(vips_image_get_typeof) \
    FUNCTION(vips_image_get_blob) \
    FUNCTION(vips_image_set_blob_copy) \
    FUNCTION(vips_image_get_int) \
    FUNCTION(vips_image_set_int) \
    FUNCTION(vips_image_get_array_int) \
    FUNCTION(vips_image_set_array_int) \
    FUNCTION(vips_image_get_fields) \
    FUNCTION(vips_image_remove) \
    FUNCTION(vips_image_set_kill) \
    FUNCTION(vips_image_copy_memory) \
    FUNCTION(vips_image_write_to_memory) \
    FUNCTION(vips_image_write_to_buffer) \
    FUNCTION(vips_array_double_new) \
    FUNCTION(vips_area_unref) \
    FUNCTION(g_object_unref) \
    FUNCTION(g_free) \
    FUNCTION(g_strfreev) \
    FUNCTION(g_log_set_handler)

#define CVIPS_POINTER(name) __typeof__(name) *name;
struct CVipsFunctions {
    CVIPS_FUNCTIONS(CVIPS_POINTER)
};
#undef CVIPS_POINTER

// The functions, set once cvips_load succeeds and constant after that.
extern struct CVipsFunctions cvips __attribute__((visibility("hidden")));

// Whether libvips uses liborc, which compiles code at run time. Set by cvips_load.
extern int cvips_compiles __attribute__((visibility("hidden")));

// Loads libvips. Returns 0, or -1 with the reason in `error`, cut to `capacity` with its final NUL.
int cvips_load(char *error, size_t capacity) __attribute__((visibility("hidden")));

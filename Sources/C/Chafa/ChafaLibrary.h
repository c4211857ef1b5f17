// Loads libchafa when it is first needed, like libvips: see Sources/C/Pictures/Vips/VipsLibrary.h.
#pragma once

#include <stddef.h>

#include "ChafaPrototypes.h"

// Every function of ChafaPrototypes.h.
#define CCHAFA_FUNCTIONS(FUNCTION) \
    FUNCTION(chafa_set_n_threads) \
    FUNCTION(chafa_term_db_get_default) \
    FUNCTION(chafa_term_db_detect) \
    FUNCTION(chafa_term_db_get_fallback_info) \
    FUNCTION(chafa_term_info_have_seq) \
    FUNCTION(chafa_term_info_unref) \
    FUNCTION(chafa_symbol_map_new) \
    FUNCTION(chafa_symbol_map_add_by_tags) \
    FUNCTION(chafa_symbol_map_unref) \
    FUNCTION(chafa_canvas_config_new) \
    FUNCTION(chafa_canvas_config_set_geometry) \
    FUNCTION(chafa_canvas_config_set_cell_geometry) \
    FUNCTION(chafa_canvas_config_set_canvas_mode) \
    FUNCTION(chafa_canvas_config_set_pixel_mode) \
    FUNCTION(chafa_canvas_config_set_dither_mode) \
    FUNCTION(chafa_canvas_config_set_symbol_map) \
    FUNCTION(chafa_canvas_config_set_work_factor) \
    FUNCTION(chafa_canvas_config_set_preprocessing_enabled) \
    FUNCTION(chafa_canvas_config_set_optimizations) \
    FUNCTION(chafa_canvas_config_unref) \
    FUNCTION(chafa_canvas_new) \
    FUNCTION(chafa_canvas_draw_all_pixels) \
    FUNCTION(chafa_canvas_print) \
    FUNCTION(chafa_canvas_unref) \
    FUNCTION(g_string_free) \
    FUNCTION(g_free)

#define CCHAFA_POINTER(name) __typeof__(name) *name;
struct CChafaFunctions {
    CCHAFA_FUNCTIONS(CCHAFA_POINTER)
};
#undef CCHAFA_POINTER

// The functions, set once cchafa_load succeeds and constant after that.
extern struct CChafaFunctions cchafa __attribute__((visibility("hidden")));

// Loads libchafa. Returns 0, or -1 with the reason in `error`, cut to `capacity` with its final NUL.
int cchafa_load(char *error, size_t capacity) __attribute__((visibility("hidden")));

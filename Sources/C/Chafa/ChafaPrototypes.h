// The few functions of libchafa and GLib that Calotype calls, declared here so that building does not need
// <chafa.h>, libchafa or its compiler flags, which SwiftPM refuses. script/check-prototypes compiles these
// lines together with the real headers, so a wrong declaration is an error.
#pragma once

#include <stddef.h>

typedef struct ChafaCanvas ChafaCanvas;
typedef struct ChafaCanvasConfig ChafaCanvasConfig;
typedef struct ChafaSymbolMap ChafaSymbolMap;
typedef struct ChafaTermDb ChafaTermDb;
typedef struct ChafaTermInfo ChafaTermInfo;
typedef struct _GString GString;

// <chafa.h>; enumerations without negative values, which are unsigned int in C.
void chafa_set_n_threads(int count);

ChafaTermDb *chafa_term_db_get_default(void);
ChafaTermInfo *chafa_term_db_detect(ChafaTermDb *database, char **environment);
ChafaTermInfo *chafa_term_db_get_fallback_info(ChafaTermDb *database);
int chafa_term_info_have_seq(const ChafaTermInfo *terminal, unsigned int sequence);
void chafa_term_info_unref(ChafaTermInfo *terminal);

ChafaSymbolMap *chafa_symbol_map_new(void);
void chafa_symbol_map_add_by_tags(ChafaSymbolMap *map, int tags);
void chafa_symbol_map_unref(ChafaSymbolMap *map);

ChafaCanvasConfig *chafa_canvas_config_new(void);
void chafa_canvas_config_set_geometry(ChafaCanvasConfig *config, int width, int height);
void chafa_canvas_config_set_cell_geometry(ChafaCanvasConfig *config, int width, int height);
void chafa_canvas_config_set_canvas_mode(ChafaCanvasConfig *config, unsigned int mode);
void chafa_canvas_config_set_pixel_mode(ChafaCanvasConfig *config, unsigned int mode);
void chafa_canvas_config_set_dither_mode(ChafaCanvasConfig *config, unsigned int mode);
void chafa_canvas_config_set_symbol_map(ChafaCanvasConfig *config, const ChafaSymbolMap *map);
void chafa_canvas_config_set_work_factor(ChafaCanvasConfig *config, float factor);
void chafa_canvas_config_set_preprocessing_enabled(ChafaCanvasConfig *config, int enabled);
void chafa_canvas_config_set_optimizations(ChafaCanvasConfig *config, unsigned int optimizations);
void chafa_canvas_config_unref(ChafaCanvasConfig *config);

ChafaCanvas *chafa_canvas_new(const ChafaCanvasConfig *config);
void chafa_canvas_draw_all_pixels(
    ChafaCanvas *canvas, unsigned int type, const unsigned char *pixels, int width, int height, int row_bytes);
GString *chafa_canvas_print(ChafaCanvas *canvas, ChafaTermInfo *terminal);
void chafa_canvas_unref(ChafaCanvas *canvas);

// <glib.h>; a GString begins with its text and its length.
char *g_string_free(GString *string, int free_text);
void g_free(void *memory);

// The values of libchafa's enumerations that Calotype passes to the functions above.
enum {
    CCHAFA_SEQUENCE_DIRECT_COLOURS = 33,
    CCHAFA_SEQUENCE_256_COLOURS = 36,
    CCHAFA_SEQUENCE_SIXELS = 40,
    CCHAFA_SEQUENCE_KITTY = 43,
    CCHAFA_TAG_SPACE = 1 << 0,
    CCHAFA_TAG_SOLID = 1 << 1,
    CCHAFA_TAG_BLOCK = 1 << 3,
    CCHAFA_TAG_QUAD = 1 << 7,
    CCHAFA_TAG_HALF = 1 << 8 | 1 << 9,
    CCHAFA_MODE_TRUECOLOR = 0,
    CCHAFA_MODE_INDEXED_240 = 2,
    CCHAFA_MODE_INDEXED_16 = 3,
    CCHAFA_PIXELS_SYMBOLS = 0,
    CCHAFA_PIXELS_SIXELS = 1,
    CCHAFA_DITHER_NONE = 0,
    CCHAFA_DITHER_ORDERED = 1,
    CCHAFA_REUSE_ATTRIBUTES = 1,
    CCHAFA_RGBA_STRAIGHT = 4,
};

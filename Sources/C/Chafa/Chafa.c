#include "CChafa.h"

#include <string.h>

#include "ChafaLibrary.h"

int cchafa_start(char *error, size_t capacity) {
    if (cchafa_load(error, capacity)) return -1;
    // Otherwise libchafa starts a pool of threads for each picture, one thread per processor.
    cchafa.chafa_set_n_threads(1);
    return 0;
}

CChafaGraphics cchafa_detect(char *const *environment, int *colours) {
    ChafaTermInfo *terminal =
        cchafa.chafa_term_db_detect(cchafa.chafa_term_db_get_default(), (char **) environment);
    int direct = cchafa.chafa_term_info_have_seq(terminal, CCHAFA_SEQUENCE_DIRECT_COLOURS);
    int indexed = cchafa.chafa_term_info_have_seq(terminal, CCHAFA_SEQUENCE_256_COLOURS);
    int kitty = cchafa.chafa_term_info_have_seq(terminal, CCHAFA_SEQUENCE_KITTY);
    int sixels = cchafa.chafa_term_info_have_seq(terminal, CCHAFA_SEQUENCE_SIXELS);
    cchafa.chafa_term_info_unref(terminal);
    *colours = direct ? 1 << 24 : indexed ? 256 : 16;
    return kitty ? CCHAFA_KITTY : sixels ? CCHAFA_SIXELS : CCHAFA_SYMBOLS;
}

// Draws a picture with `config` and releases the config.
static char *drawn(ChafaCanvasConfig *config, const uint8_t *rgba, int width, int height, size_t *length) {
    ChafaCanvas *canvas = cchafa.chafa_canvas_new(config);
    cchafa.chafa_canvas_config_unref(config);
    cchafa.chafa_canvas_draw_all_pixels(canvas, CCHAFA_RGBA_STRAIGHT, rgba, width, height, width * 4);
    // The fallback supports the sequences that all terminals of a kind share.
    ChafaTermInfo *terminal = cchafa.chafa_term_db_get_fallback_info(cchafa.chafa_term_db_get_default());
    GString *text = cchafa.chafa_canvas_print(canvas, terminal);
    cchafa.chafa_term_info_unref(terminal);
    cchafa.chafa_canvas_unref(canvas);
    char *bytes = cchafa.g_string_free(text, 0);
    *length = strlen(bytes);
    return bytes;
}

static unsigned int canvas_mode(int colours) {
    if (colours > 256) return CCHAFA_MODE_TRUECOLOR;
    // The user may have changed the first 16 of 256 colours; the other 240 are the same everywhere.
    return colours > 16 ? CCHAFA_MODE_INDEXED_240 : CCHAFA_MODE_INDEXED_16;
}

char *cchafa_symbols(
    const uint8_t *rgba, int width, int height, int columns, int rows, int colours, size_t *length) {
    ChafaCanvasConfig *config = cchafa.chafa_canvas_config_new();
    ChafaSymbolMap *map = cchafa.chafa_symbol_map_new();
    cchafa.chafa_symbol_map_add_by_tags(
        map, CCHAFA_TAG_SPACE | CCHAFA_TAG_SOLID | CCHAFA_TAG_BLOCK | CCHAFA_TAG_QUAD | CCHAFA_TAG_HALF);
    cchafa.chafa_canvas_config_set_symbol_map(config, map);
    cchafa.chafa_symbol_map_unref(map);
    cchafa.chafa_canvas_config_set_pixel_mode(config, CCHAFA_PIXELS_SYMBOLS);
    cchafa.chafa_canvas_config_set_canvas_mode(config, canvas_mode(colours));
    cchafa.chafa_canvas_config_set_geometry(config, columns, rows);
    cchafa.chafa_canvas_config_set_work_factor(config, 0.5f);
    // More contrast improves only pictures with few colours.
    cchafa.chafa_canvas_config_set_preprocessing_enabled(config, colours <= 16);
    cchafa.chafa_canvas_config_set_dither_mode(config, CCHAFA_DITHER_NONE);
    // Omitting or repeating cells needs sequences that not every terminal supports.
    cchafa.chafa_canvas_config_set_optimizations(config, CCHAFA_REUSE_ATTRIBUTES);
    return drawn(config, rgba, width, height, length);
}

char *cchafa_sixels(
    const uint8_t *rgba, int width, int height, int pixels_wide, int pixels_high, size_t *length) {
    ChafaCanvasConfig *config = cchafa.chafa_canvas_config_new();
    cchafa.chafa_canvas_config_set_pixel_mode(config, CCHAFA_PIXELS_SIXELS);
    cchafa.chafa_canvas_config_set_canvas_mode(config, CCHAFA_MODE_TRUECOLOR);
    // A single cell of the picture's size, so that the picture may have any size.
    cchafa.chafa_canvas_config_set_geometry(config, 1, 1);
    cchafa.chafa_canvas_config_set_cell_geometry(config, pixels_wide, pixels_high);
    cchafa.chafa_canvas_config_set_work_factor(config, 0.5f);
    return drawn(config, rgba, width, height, length);
}

void cchafa_free(char *bytes) { cchafa.g_free(bytes); }

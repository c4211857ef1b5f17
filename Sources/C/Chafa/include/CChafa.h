// An interface to libchafa in three parts: a terminal's abilities, a picture as characters, and a picture as
// sixels.
//
// Every call creates and frees its own objects. libchafa's global tables are created once and then only read,
// so any number of threads may draw. Pass returned bytes to cchafa_free.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Loads libchafa and prevents it from starting threads. Call it once, before anything else. On failure it
// returns -1 and writes the reason to `error`, cut to `capacity` with its final NUL, and nothing else may be
// called.
int cchafa_start(char *error, size_t capacity);

typedef enum { CCHAFA_SYMBOLS, CCHAFA_SIXELS, CCHAFA_KITTY } CChafaGraphics;

// The best graphics mode and the number of colours of the terminal that `environment`, a process's
// environment, describes.
CChafaGraphics cchafa_detect(char *const *environment, int *colours);

// Draws `columns` by `rows` characters in 16, 256 or more `colours`, with a line break between two rows.
// `rgba` has straight alpha.
char *cchafa_symbols(
    const uint8_t *rgba, int width, int height, int columns, int rows, int colours, size_t *length);

// Draws sixels of `pixels_wide` by `pixels_high`, which is a multiple of six.
char *cchafa_sixels(
    const uint8_t *rgba, int width, int height, int pixels_wide, int pixels_high, size_t *length);

void cchafa_free(char *bytes);

// The inner loops of PNG (third edition of the specification): inflating, undoing and choosing filters, deflating.
// ISA-L inflates and deflates in streams, so that nothing here holds a whole picture.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the rows of a file are stored, and how they are given out.
typedef struct {
    uint32_t width, height;
    // Bits of a stored sample: 1, 2, 4 or 8.
    uint8_t depth;
    // Stored samples of a pixel: 1 to 4.
    uint8_t stored;
    // Samples of a pixel that is given out, 8 bits each: 1 to 4.
    uint8_t given;
    // Each stored pixel, of one sample, is the number of an entry of the lookup table.
    bool has_lookup;
    // Stored red, green and blue that are transparent; the others are opaque.
    bool has_key;
    uint8_t key[3];
} CPNGRows;

typedef enum {
    // All input was used; more is needed for the next row.
    CPNG_HUNGRY,
    // There are rows to take.
    CPNG_FULL,
    // The compressed data ends before all rows came.
    CPNG_ENDED,
    // The compressed data makes no sense.
    CPNG_DAMAGED,
} CPNGFill;

// Turns compressed data into rows. What follows the last row in the data is not looked at.
typedef struct CPNGReader CPNGReader;

// The bytes that a reader of such rows holds; 0 where they are too wide for this machine.
size_t cpng_reader_bytes(const CPNGRows *rows);
// `lookup` has 256 entries of four bytes, of which the first `given` are the pixel's; it is copied.
// NULL where there is no memory.
CPNGReader *cpng_reader_make(const CPNGRows *rows, const uint8_t *lookup);
void cpng_reader_free(CPNGReader *reader);
// Takes compressed bytes (RFC 1950), as long as there is room for rows; `used` gets how many.
CPNGFill cpng_reader_fill(CPNGReader *reader, const uint8_t *bytes, size_t count, size_t *used);
// The next row, `width * given` bytes, valid until the next call; NULL where there is none yet. `unknown_filter` gets
// whether the row has a filter that does not exist.
const uint8_t *cpng_reader_row(CPNGReader *reader, bool *unknown_filter);

// Inflates `count` bytes (RFC 1950) into at most `capacity` bytes of `out`; returns how many came before the data's end,
// an error in it, or the end of `out`.
size_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity);

// The check sum of chunks, continued from `crc`, which is 0 at first.
uint32_t cpng_crc(uint32_t crc, const uint8_t *bytes, size_t count);

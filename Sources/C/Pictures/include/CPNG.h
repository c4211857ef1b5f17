// The inner loops of PNG (third edition of the specification): inflating, undoing and choosing filters,
// deflating. ISA-L inflates and deflates in streams, so nothing here holds a whole picture.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The format of rows in the file, and of returned rows.
typedef struct {
    uint32_t width, height;
    // The number of bits in a stored sample: 1, 2, 4 or 8.
    uint8_t depth;
    // The number of stored samples per pixel: 1 to 4.
    uint8_t stored;
    // The number of samples in a returned pixel, 8 bits each: 1 to 4.
    uint8_t given;
    // Whether each stored pixel, of one sample, is an index into the lookup table.
    bool has_lookup;
    // Whether pixels with the stored red, green and blue of `key` are transparent; the others are opaque.
    bool has_key;
    uint8_t key[3];
} CPNGRows;

typedef enum {
    // All input was used; more is needed for the next row.
    CPNG_HUNGRY,
    // There are rows to return.
    CPNG_FULL,
    // The compressed data ends before all rows are complete.
    CPNG_ENDED,
    // The compressed data is invalid.
    CPNG_DAMAGED,
} CPNGFill;

// Turns compressed data into rows. Data after the last row is ignored.
typedef struct CPNGReader CPNGReader;

// The number of bytes that a reader of such rows holds; 0 if the rows are too wide for this machine.
size_t cpng_reader_bytes(const CPNGRows *rows);
// `lookup` has 256 entries of four bytes, of which the first `given` belong to the pixel; it is copied. NULL
// if memory runs out.
CPNGReader *cpng_reader_make(const CPNGRows *rows, const uint8_t *lookup);
void cpng_reader_free(CPNGReader *reader);
// Consumes compressed bytes (RFC 1950) while there is room for rows; `used` receives their number.
CPNGFill cpng_reader_fill(CPNGReader *reader, const uint8_t *bytes, size_t count, size_t *used);
// The next row, `width * given` bytes, valid until the next call; NULL if there is none yet. `unknown_filter`
// receives whether the row has a filter that does not exist.
const uint8_t *cpng_reader_row(CPNGReader *reader, bool *unknown_filter);

// Inflates `count` bytes (RFC 1950) into at most `capacity` bytes of `out`. Returns the number of bytes
// before the end of the data, an error in it, or the end of `out`.
size_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity);

// Counts the inflated size of compressed data (RFC 1950) without storing it.
typedef struct CPNGMeter CPNGMeter;

// NULL if memory runs out.
CPNGMeter *cpng_meter_make(void);
void cpng_meter_free(CPNGMeter *meter);
// Inflates the next `count` bytes; returns the total size so far. Invalid data counts for nothing.
uint64_t cpng_meter_add(CPNGMeter *meter, const uint8_t *bytes, size_t count);

// The checksum of chunks, continued from `crc`, which starts at 0.
uint32_t cpng_crc(uint32_t crc, const uint8_t *bytes, size_t count);

typedef enum {
    // One quick pass.
    CPNG_FAST,
    // A second pass over pictures with few colours and many repetitions, which a better search makes much
    // smaller.
    CPNG_BALANCED,
    // A second pass over all pictures that are not too large to hold.
    CPNG_BEST,
} CPNGEffort;

// Turns rows into compressed data (RFC 1950).
typedef struct CPNGWriter CPNGWriter;

// Creates a writer for rows of `length` bytes with `bpp` bytes per pixel, 1 to 4; `filters` enables filters
// for rows. NULL if memory runs out.
CPNGWriter *cpng_writer_make(size_t length, unsigned bpp, bool filters, CPNGEffort effort);
void cpng_writer_free(CPNGWriter *writer);
// False if memory runs out.
bool cpng_writer_write(CPNGWriter *writer, const uint8_t *row);
// The compressed data of all rows, which belongs to the writer; NULL if memory runs out.
const uint8_t *cpng_writer_finish(CPNGWriter *writer, size_t *count);

// The colours of a picture, as long as there are at most 256.
typedef struct CPNGColours CPNGColours;

// For pixels of `channels` bytes, 1 to 4. NULL if memory runs out.
CPNGColours *cpng_colours_make(unsigned channels);
void cpng_colours_free(CPNGColours *colours);
// Counts the colours of a row. Returns false, permanently, once there are too many.
bool cpng_colours_count(CPNGColours *colours, const uint8_t *row, size_t width);
// The number of colours, and each of them, with its channels in the first of four bytes.
unsigned cpng_colours_number(const CPNGColours *colours);
const uint8_t *cpng_colours_colour(const CPNGColours *colours, unsigned index);
// Writes the row with `values[i]`, of `depth` bits, in place of colour i; the leftmost pixel is in the
// highest bits.
void cpng_colours_pack(
    const CPNGColours *colours, const uint8_t *row, size_t width, const uint8_t *values, unsigned depth, uint8_t *out);

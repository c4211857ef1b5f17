#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

#include "CPNG.h"
#include "Filters.h"

// The number of filtered bytes to hold at a time, or one row if that is longer; they fit into the
// second-level cache.
#define BLOCK ((size_t) 128 << 10)
// ISA-L counts bytes in 32 bits.
#define MOST_INPUT ((size_t) 1 << 30)

struct CPNGReader {
    CPNGRows rows;
    // The bytes of a stored row without its filter, and of a pixel in it, at least one.
    size_t length;
    unsigned bpp;
    // The number of stored bytes that are still to be inflated.
    uint64_t wanted;
    // The filtered rows; those before `taken` have been returned.
    uint8_t *filtered;
    size_t room, filled, taken;
    // The row that was returned last, at first a row of zeros, and room for two more.
    uint8_t *above, *current, *below;
    // Whether the row in `below` is finished too.
    bool has_below;
    // One byte for each stored pixel, if several pixels share a byte; and the pixels of the row to return.
    uint8_t *numbers, *pixels;
    // The number of bytes of the zlib header that have arrived.
    unsigned header_bytes;
    uint8_t header;
    uint32_t lookup[256];
    struct inflate_state inflate;
};

static size_t row_length(const CPNGRows *rows) { return ((size_t) rows->width * rows->stored * rows->depth + 7) / 8; }
static size_t given_length(const CPNGRows *rows) { return (size_t) rows->width * rows->given; }
static bool is_changed(const CPNGRows *rows) { return rows->has_lookup || rows->has_key; }

static size_t filtered_room(const CPNGRows *rows) {
    size_t row = row_length(rows) + 1;
    return row > BLOCK ? row : BLOCK / row * row;
}

// The width has 32 bits, and a pixel at most 32, so no sum here overflows 64 bits.
size_t cpng_reader_bytes(const CPNGRows *rows) {
    size_t bytes = sizeof(CPNGReader) + filtered_room(rows) + 3 * row_length(rows) + 6 * CPNG_SLACK;
    if (is_changed(rows)) bytes += given_length(rows);
    if (rows->depth < 8) bytes += rows->width;
    return bytes;
}

// Zeroed, so that no earlier content of the memory can ever show.
static uint8_t *row_buffer(size_t length) { return calloc(length + CPNG_SLACK, 1); }

CPNGReader *cpng_reader_make(const CPNGRows *rows, const uint8_t *lookup) {
    CPNGReader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->rows = *rows;
    reader->length = row_length(rows);
    reader->bpp = rows->depth < 8 ? 1 : rows->stored;
    reader->wanted = (uint64_t) (reader->length + 1) * rows->height;
    reader->room = filtered_room(rows);
    reader->filtered = row_buffer(reader->room);
    reader->above = row_buffer(reader->length);
    reader->current = row_buffer(reader->length);
    reader->below = row_buffer(reader->length);
    if (is_changed(rows)) reader->pixels = row_buffer(given_length(rows));
    if (rows->depth < 8) reader->numbers = row_buffer(rows->width);
    if (rows->has_lookup) memcpy(reader->lookup, lookup, sizeof reader->lookup);
    // The checksum at the end of the data is ignored: each chunk has its own, and many writers get this one
    // wrong.
    isal_inflate_init(&reader->inflate);
    reader->inflate.crc_flag = ISAL_DEFLATE;
    if (reader->filtered && reader->above && reader->current && reader->below
        && (reader->pixels || !is_changed(rows)) && (reader->numbers || rows->depth == 8)) return reader;
    cpng_reader_free(reader);
    return NULL;
}

void cpng_reader_free(CPNGReader *reader) {
    free(reader->filtered);
    free(reader->above);
    free(reader->current);
    free(reader->below);
    free(reader->numbers);
    free(reader->pixels);
    free(reader);
}

// RFC 1950, section 2.2: deflate with a window of at most 32 KiB, no dictionary, and a check of both bytes.
static bool is_zlib_header(unsigned first, unsigned second) {
    return (first & 15) == 8 && first >> 4 <= 7 && !(second & 32) && (first << 8 | second) % 31 == 0;
}

// Removes the header's bytes from the input; false if they are invalid.
static bool take_header(CPNGReader *reader, const uint8_t **bytes, size_t *count) {
    for (; reader->header_bytes < 2 && *count > 0; reader->header_bytes++, (*bytes)++, (*count)--) {
        if (reader->header_bytes == 1 && !is_zlib_header(reader->header, **bytes)) return false;
        reader->header = **bytes;
    }
    return true;
}

static void drop_taken(CPNGReader *reader) {
    reader->filled -= reader->taken;
    memmove(reader->filtered, reader->filtered + reader->taken, reader->filled);
    reader->taken = 0;
}

static CPNGFill inflate_rows(CPNGReader *reader, const uint8_t *bytes, size_t count, size_t *left) {
    struct inflate_state *state = &reader->inflate;
    size_t room = reader->room - reader->filled;
    if (room > reader->wanted) room = reader->wanted;
    state->next_in = (uint8_t *) bytes;
    state->avail_in = (uint32_t) count;
    state->next_out = reader->filtered + reader->filled;
    state->avail_out = (uint32_t) room;
    int result = isal_inflate(state);
    room -= state->avail_out;
    reader->filled += room;
    reader->wanted -= room;
    // At the end of the data, ISA-L returns the excess input, even bytes of earlier calls.
    *left = state->avail_in < count ? state->avail_in : count;
    state->next_in = state->next_out = NULL;
    if (result < 0) return CPNG_DAMAGED;
    if (reader->wanted == 0 || reader->filled == reader->room) return CPNG_FULL;
    if (state->block_state == ISAL_BLOCK_FINISH) return CPNG_ENDED;
    // If there was room, all input has been used, so a caller that fills repeatedly can rely on it.
    return *left == 0 ? CPNG_HUNGRY : CPNG_DAMAGED;
}

CPNGFill cpng_reader_fill(CPNGReader *reader, const uint8_t *bytes, size_t count, size_t *used) {
    if (count > MOST_INPUT) count = MOST_INPUT;
    size_t all = count;
    *used = 0;
    drop_taken(reader);
    if (!take_header(reader, &bytes, &count)) return CPNG_DAMAGED;
    if (count == 0 && all > 0) {
        *used = all;
        return CPNG_HUNGRY;
    }
    size_t left = 0;
    CPNGFill fill = inflate_rows(reader, bytes, count, &left);
    *used = all - left;
    return fill;
}

// Expands pixels of 1, 2 or 4 bits to one byte each; the leftmost pixel is in the highest bits.
static void unpack(const uint8_t *row, uint8_t *numbers, size_t width, unsigned depth) {
    unsigned each = 8 / depth, mask = (1u << depth) - 1;
    for (size_t x = 0; x < width; x += each, row++)
        for (unsigned n = 0; n < each; n++) numbers[x + n] = (uint8_t) (*row >> (8 - depth * (n + 1)) & mask);
}

// Writes all four bytes of each pixel; the next pixel overwrites the excess.
__attribute__((always_inline))
static inline void look_up(const uint32_t *lookup, const uint8_t *numbers, uint8_t *out, size_t width, unsigned given) {
    for (size_t x = 0; x < width; x++) memcpy(out + x * given, &lookup[numbers[x]], 4);
}

static void look_up_row(CPNGReader *reader, const uint8_t *numbers) {
    size_t width = reader->rows.width;
    switch (reader->rows.given) {
    case 1: look_up(reader->lookup, numbers, reader->pixels, width, 1); break;
    case 2: look_up(reader->lookup, numbers, reader->pixels, width, 2); break;
    case 3: look_up(reader->lookup, numbers, reader->pixels, width, 3); break;
    default: look_up(reader->lookup, numbers, reader->pixels, width, 4); break;
    }
}

static void key_row(const uint8_t *key, const uint8_t *row, uint8_t *out, size_t width) {
    for (size_t x = 0; x < width; x++, row += 3, out += 4) {
        out[0] = row[0];
        out[1] = row[1];
        out[2] = row[2];
        out[3] = row[0] == key[0] && row[1] == key[1] && row[2] == key[2] ? 0 : 255;
    }
}

static const uint8_t *given(CPNGReader *reader, const uint8_t *row) {
    if (reader->rows.has_lookup) {
        if (reader->numbers) unpack(row, reader->numbers, reader->rows.width, reader->rows.depth);
        look_up_row(reader, reader->numbers ? reader->numbers : row);
        return reader->pixels;
    }
    if (!reader->rows.has_key) return row;
    key_row(reader->rows.key, row, reader->pixels, reader->rows.width);
    return reader->pixels;
}

// Finishes the next row in `current`, and also the one after it in `below` if two rows take no longer than
// one.
static void unfilter(CPNGReader *reader) {
    size_t step = reader->length + 1;
    const uint8_t *row = reader->filtered + reader->taken, *next = row + step;
    bool has_next = reader->filled - reader->taken >= 2 * step;
    if (has_next && *row == 4 && *next == 4 && reader->bpp >= 3) {
        cpng_unfilter_paeth_pair(
            row + 1, next + 1, reader->above, reader->current, reader->below, reader->length, reader->bpp);
        reader->has_below = true;
    } else {
        cpng_unfilter(*row, row + 1, reader->above, reader->current, reader->length, reader->bpp);
    }
    reader->taken += reader->has_below ? 2 * step : step;
}

const uint8_t *cpng_reader_row(CPNGReader *reader, bool *unknown_filter) {
    *unknown_filter = false;
    if (!reader->has_below) {
        if (reader->filled - reader->taken < reader->length + 1) return NULL;
        *unknown_filter = reader->filtered[reader->taken] > 4;
        if (*unknown_filter) return NULL;
        unfilter(reader);
        const uint8_t *row = reader->current;
        uint8_t *free_row = reader->above;
        reader->above = reader->current;
        reader->current = free_row;
        return given(reader, row);
    }
    reader->has_below = false;
    uint8_t *row = reader->below;
    reader->below = reader->above;
    reader->above = row;
    return given(reader, row);
}

size_t cpng_inflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t capacity) {
    if (count < 2 || count > MOST_INPUT || capacity > MOST_INPUT || !is_zlib_header(bytes[0], bytes[1])) return 0;
    struct inflate_state *state = calloc(1, sizeof *state);
    if (!state) return 0;
    isal_inflate_init(state);
    state->crc_flag = ISAL_DEFLATE;
    state->next_in = (uint8_t *) bytes + 2;
    state->avail_in = (uint32_t) (count - 2);
    state->next_out = out;
    state->avail_out = (uint32_t) capacity;
    isal_inflate(state);
    size_t length = capacity - state->avail_out;
    free(state);
    return length;
}

uint32_t cpng_crc(uint32_t crc, const uint8_t *bytes, size_t count) { return crc32_gzip_refl(crc, bytes, count); }

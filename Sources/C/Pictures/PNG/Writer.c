#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "CPNG.h"
#include "Filters.h"

// The number of filtered bytes to compress at a time.
#define BLOCK ((size_t) 64 << 10)
// The maximum number of filtered bytes to hold for a second pass.
#define MOST_KEPT ((size_t) 16 << 20)
#define MOST_KEPT_BEST ((size_t) 64 << 20)
// After this many bytes it is clear whether a picture is worth a second pass.
#define TRIAL ((size_t) 256 << 10)
// ISA-L's level for the smallest results, and libdeflate's levels for the second pass.
#define LEVEL 2
#define SECOND_LEVEL 6
#define BEST_LEVEL 9

// A growing array of bytes.
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
} Bytes;

struct CPNGWriter {
    size_t length;
    unsigned bpp;
    bool filters, keeps, failed;
    CPNGEffort effort;
    // Unfiltered rows, with their lead and slack.
    uint8_t *rows[2], *row, *above, *spare;
    // The filtered rows; those before `sent` have been compressed.
    Bytes filtered;
    size_t sent;
    uint64_t total;
    Bytes out;
    struct isal_zstream stream;
    uint8_t *level_buffer;
};

static bool reserve(Bytes *bytes, size_t more) {
    if (more > SIZE_MAX / 4 - bytes->count) return false;
    size_t needed = bytes->count + more;
    if (needed <= bytes->capacity) return true;
    size_t capacity = needed < 2 * bytes->capacity ? 2 * bytes->capacity : needed;
    uint8_t *grown = realloc(bytes->bytes, capacity);
    if (!grown) return false;
    bytes->bytes = grown;
    bytes->capacity = capacity;
    return true;
}

static bool begin_stream(struct isal_zstream *stream, uint8_t *level_buffer) {
    isal_deflate_init(stream);
    stream->level = LEVEL;
    stream->level_buf = level_buffer;
    stream->level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    stream->gzip_flag = IGZIP_ZLIB;
    return level_buffer != NULL;
}

CPNGWriter *cpng_writer_make(size_t length, unsigned bpp, bool filters, CPNGEffort effort) {
    if (length > SIZE_MAX / 8) return NULL;
    CPNGWriter *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->length = length;
    writer->bpp = bpp;
    writer->filters = filters;
    writer->effort = effort;
    writer->keeps = effort != CPNG_FAST;
    for (int i = 0; i < 2; i++) writer->rows[i] = calloc(CPNG_LEAD + length + CPNG_SLACK, 1);
    writer->spare = calloc(length + CPNG_SLACK, 1);
    writer->level_buffer = malloc(ISAL_DEF_LVL2_DEFAULT);
    bool begun = begin_stream(&writer->stream, writer->level_buffer);
    if (!begun || !writer->rows[0] || !writer->rows[1] || !writer->spare) {
        cpng_writer_free(writer);
        return NULL;
    }
    writer->row = writer->rows[0] + CPNG_LEAD;
    writer->above = writer->rows[1] + CPNG_LEAD;
    return writer;
}

void cpng_writer_free(CPNGWriter *writer) {
    free(writer->rows[0]);
    free(writer->rows[1]);
    free(writer->spare);
    free(writer->filtered.bytes);
    free(writer->out.bytes);
    free(writer->level_buffer);
    free(writer);
}

// Compresses `count` bytes and appends the result to `out`; `ends` marks the last bytes of a stream.
static bool deflate_bytes(struct isal_zstream *stream, Bytes *out, const uint8_t *bytes, size_t count, bool ends) {
    do {
        size_t part = count < BLOCK ? count : BLOCK;
        stream->next_in = (uint8_t *) bytes;
        stream->avail_in = (uint32_t) part;
        bytes += part;
        count -= part;
        stream->end_of_stream = ends && count == 0;
        do {
            if (!reserve(out, BLOCK)) return false;
            stream->next_out = out->bytes + out->count;
            stream->avail_out = (uint32_t) BLOCK;
            if (isal_deflate(stream) != COMP_OK) return false;
            out->count += BLOCK - stream->avail_out;
        } while (stream->avail_out == 0);
    } while (count > 0);
    return true;
}

// Whether the picture may benefit from a second pass or, at its end, does.
static bool is_worth_keeping(const CPNGWriter *writer, bool ends) {
    if (writer->effort == CPNG_BEST) return writer->total <= MOST_KEPT_BEST;
    if (writer->total > MOST_KEPT) return false;
    return (!ends && writer->total < TRIAL) || writer->out.count < writer->total / 4;
}

static bool send(CPNGWriter *writer, bool ends) {
    Bytes *filtered = &writer->filtered;
    const uint8_t *bytes = filtered->bytes + writer->sent;
    if (!deflate_bytes(&writer->stream, &writer->out, bytes, filtered->count - writer->sent, ends)) return false;
    writer->sent = filtered->count;
    writer->keeps = writer->keeps && is_worth_keeping(writer, ends);
    if (!writer->keeps) filtered->count = writer->sent = 0;
    return true;
}

bool cpng_writer_write(CPNGWriter *writer, const uint8_t *row) {
    size_t length = writer->length;
    if (writer->failed || !reserve(&writer->filtered, length + 1 + CPNG_SLACK)) return false;
    uint8_t *out = writer->filtered.bytes + writer->filtered.count;
    *out = 0;
    if (writer->filters) {
        memcpy(writer->row, row, length);
        *out = (uint8_t) cpng_filter(writer->row, writer->above, out + 1, writer->spare, length, writer->bpp);
        uint8_t *above = writer->row;
        writer->row = writer->above;
        writer->above = above;
    } else {
        memcpy(out + 1, row, length);
    }
    writer->filtered.count += length + 1;
    writer->total += length + 1;
    if (writer->filtered.count - writer->sent >= BLOCK) writer->failed = !send(writer, false);
    return !writer->failed;
}

// The stored rows without filters; empty if memory runs out.
static Bytes unfiltered(CPNGWriter *writer) {
    Bytes plain = {0};
    size_t length = writer->length, step = length + 1;
    if (!reserve(&plain, writer->filtered.count + CPNG_SLACK) || !reserve(&writer->filtered, CPNG_SLACK)) {
        free(plain.bytes);
        return (Bytes) {0};
    }
    memset(writer->above, 0, length);
    for (size_t i = 0; i < writer->filtered.count; i += step) {
        const uint8_t *row = writer->filtered.bytes + i, *above = i > 0 ? plain.bytes + i - length : writer->above;
        plain.bytes[i] = 0;
        cpng_unfilter(*row, row + 1, above, plain.bytes + i + 1, length, writer->bpp);
    }
    plain.count = writer->filtered.count;
    return plain;
}

// The size of `bytes` after quick compression; SIZE_MAX if memory runs out.
static size_t trial(CPNGWriter *writer, const Bytes *bytes) {
    Bytes out = {0};
    begin_stream(&writer->stream, writer->level_buffer);
    bool done = deflate_bytes(&writer->stream, &out, bytes->bytes, bytes->count, true);
    free(out.bytes);
    return done ? out.count : SIZE_MAX;
}

// Replaces the result with that of slower compression, if that is smaller.
static void second_pass(CPNGWriter *writer) {
    Bytes plain = {0};
    if (writer->filters) plain = unfiltered(writer);
    bool takes_plain = plain.bytes && trial(writer, &plain) < writer->out.count;
    const Bytes *rows = takes_plain ? &plain : &writer->filtered;
    int level = writer->effort == CPNG_BEST ? BEST_LEVEL : SECOND_LEVEL;
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    uint8_t *smaller = malloc(writer->out.count);
    size_t count = 0;
    if (compressor && smaller)
        count = libdeflate_zlib_compress(compressor, rows->bytes, rows->count, smaller, writer->out.count);
    if (count > 0) {
        memcpy(writer->out.bytes, smaller, count);
        writer->out.count = count;
    }
    free(smaller);
    libdeflate_free_compressor(compressor);
    free(plain.bytes);
}

const uint8_t *cpng_writer_finish(CPNGWriter *writer, size_t *count) {
    if (writer->failed || !send(writer, true)) return NULL;
    if (writer->keeps) second_pass(writer);
    *count = writer->out.count;
    return writer->out.bytes;
}

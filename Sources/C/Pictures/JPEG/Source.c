#include "Decoder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 << 10 };

static const JOCTET end_marker[] = {0xFF, JPEG_EOI};

static void use(struct jpeg_source_mgr *source, const JOCTET *bytes, size_t count) {
    source->next_input_byte = bytes;
    source->bytes_in_buffer = count;
}

static void init(j_decompress_ptr info) { (void) info; }
static void term(j_decompress_ptr info) { (void) info; }

// Adds an end marker to data that ends early, so that the rest is filled in. Within the header there is
// nothing to show.
static boolean end(CJPEGDecoder *decoder) {
    if (!decoder->accepts_truncated || !decoder->has_header)
        cjpeg_fail((j_common_ptr) &decoder->info, CJPEG_TRUNCATED, JERR_INPUT_EOF);
    decoder->has_ended = decoder->is_partial = 1;
    use(&decoder->source, end_marker, sizeof end_marker);
    return TRUE;
}

static boolean fill(j_decompress_ptr info) {
    CJPEGDecoder *decoder = cjpeg_decoder_of(info);
    if (decoder->descriptor < 0 || decoder->has_ended) return end(decoder);
    if (!decoder->block) decoder->block = malloc(BLOCK_BYTES);
    if (!decoder->block) cjpeg_fail_saying((j_common_ptr) info, CJPEG_NO_MEMORY, "no memory for a block of the file");
    ssize_t length;
    do length = pread(decoder->descriptor, decoder->block, BLOCK_BYTES, (off_t) decoder->offset);
    while (length < 0 && errno == EINTR);
    if (length < 0) cjpeg_fail_saying((j_common_ptr) info, CJPEG_UNREADABLE, strerror(errno));
    if (length == 0) return end(decoder);
    decoder->offset += (size_t) length;
    use(&decoder->source, decoder->block, (size_t) length);
    return TRUE;
}

static void skip(j_decompress_ptr info, long length) {
    CJPEGDecoder *decoder = cjpeg_decoder_of(info);
    size_t held = decoder->source.bytes_in_buffer;
    if (length <= 0) return;
    size_t skipped = (size_t) length < held ? (size_t) length : held;
    use(&decoder->source, decoder->source.next_input_byte + skipped, held - skipped);
    // Skipped parts of a file are not read.
    if (decoder->descriptor >= 0 && !decoder->has_ended) decoder->offset += (size_t) length - skipped;
}

void cjpeg_source_begin(CJPEGDecoder *decoder) {
    decoder->source.init_source = init;
    decoder->source.fill_input_buffer = fill;
    decoder->source.skip_input_data = skip;
    decoder->source.resync_to_restart = jpeg_resync_to_restart;
    decoder->source.term_source = term;
    decoder->info.src = &decoder->source;
}

void cjpeg_source_lend(CJPEGDecoder *decoder, const uint8_t *bytes, size_t count) {
    if (decoder->descriptor >= 0 || decoder->has_ended) return;
    use(&decoder->source, bytes + decoder->offset, count - decoder->offset);
}

void cjpeg_source_take_back(CJPEGDecoder *decoder, const uint8_t *bytes) {
    if (decoder->descriptor >= 0 || decoder->has_ended) return;
    decoder->offset = (size_t) (decoder->source.next_input_byte - bytes);
}

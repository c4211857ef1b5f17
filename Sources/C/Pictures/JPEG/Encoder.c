#include "Fault.h"

#include <stdlib.h>

// The maximum number of bytes per sample in a block: a code of 16 bits, its 10 bits, and a zero after each
// byte.
enum { MOST_SAMPLE_BYTES = 7, FIRST_BYTES = 4 << 10, HEADER_BYTES = 4 << 10 };

struct CJPEGEncoder {
    CJPEGFault fault;
    struct jpeg_compress_struct info;
    struct jpeg_destination_mgr destination;
    JOCTET *bytes;
    size_t capacity;
    size_t most;
    struct jpeg_progress_mgr progress;
    int (*goes_on)(void *);
    void *context;
};

static CJPEGEncoder *encoder_of(j_compress_ptr info) { return info->client_data; }

static void grow(CJPEGEncoder *encoder, size_t capacity) {
    size_t used = encoder->capacity;
    JOCTET *bytes = capacity > used ? realloc(encoder->bytes, capacity) : NULL;
    if (!bytes) cjpeg_fail_saying((j_common_ptr) &encoder->info, CJPEG_NO_MEMORY, "no memory for the encoded bytes");
    encoder->bytes = bytes;
    encoder->capacity = capacity;
    encoder->destination.next_output_byte = bytes + used;
    encoder->destination.free_in_buffer = capacity - used;
}

static void init(j_compress_ptr info) {
    size_t pixels = (size_t) info->image_width * info->image_height;
    grow(encoder_of(info), FIRST_BYTES + pixels / 4);
}

static boolean empty(j_compress_ptr info) {
    CJPEGEncoder *encoder = encoder_of(info);
    size_t doubled = encoder->capacity * 2;
    grow(encoder, doubled < encoder->most ? doubled : encoder->most);
    return TRUE;
}

static void term(j_compress_ptr info) { (void) info; }

static void ask(j_common_ptr info) {
    CJPEGEncoder *encoder = info->client_data;
    if (!encoder->goes_on(encoder->context)) cjpeg_fail_saying(info, CJPEG_UNREADABLE, "it was ended");
}

static void set_up(CJPEGEncoder *encoder, int width, int height, int channels, int quality, int halves_colour, int is_progressive) {
    struct jpeg_compress_struct *info = &encoder->info;
    info->image_width = (JDIMENSION) width;
    info->image_height = (JDIMENSION) height;
    info->input_components = channels;
    info->in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    info->dct_method = JDCT_ISLOW;
    // libjpeg halves the resolution by default.
    if (!halves_colour) info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
    if (is_progressive) jpeg_simple_progression(info);
    size_t samples = ((size_t) width + 15) * ((size_t) height + 15) * (size_t) channels;
    encoder->most = samples * MOST_SAMPLE_BYTES + HEADER_BYTES;
}

CJPEGEncoder *cjpeg_encoder_new(int width, int height, int channels, int quality, int halves_colour, int is_progressive) {
    CJPEGEncoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder) return NULL;
    encoder->info.err = cjpeg_fault_manager(&encoder->fault);
    encoder->info.client_data = encoder;
    if (setjmp(encoder->fault.place)) {
        cjpeg_encoder_free(encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder->info);
    encoder->info.mem->max_memory_to_use = 0;
    encoder->destination.init_destination = init;
    encoder->destination.empty_output_buffer = empty;
    encoder->destination.term_destination = term;
    encoder->info.dest = &encoder->destination;
    set_up(encoder, width, height, channels, quality, halves_colour, is_progressive);
    return encoder;
}

void cjpeg_encoder_free(CJPEGEncoder *encoder) {
    jpeg_destroy_compress(&encoder->info);
    free(encoder->bytes);
    free(encoder);
}

const char *cjpeg_encoder_text(const CJPEGEncoder *encoder) { return encoder->fault.text; }

CJPEGStatus cjpeg_encoder_write(CJPEGEncoder *encoder, const uint8_t *row) {
    if (setjmp(encoder->fault.place)) return encoder->fault.status;
    // Only with the first row, so that a size that JPEG does not support is an error with a reason.
    if (!encoder->bytes) jpeg_start_compress(&encoder->info, TRUE);
    JSAMPROW rows[] = {(JSAMPROW) row};
    jpeg_write_scanlines(&encoder->info, rows, 1);
    return CJPEG_MORE;
}

CJPEGStatus cjpeg_encoder_finish(
    CJPEGEncoder *encoder, int (*goes_on)(void *context), void *context, const uint8_t **bytes, size_t *count) {
    if (setjmp(encoder->fault.place)) return encoder->fault.status;
    encoder->goes_on = goes_on;
    encoder->context = context;
    encoder->progress.progress_monitor = ask;
    encoder->info.progress = &encoder->progress;
    jpeg_finish_compress(&encoder->info);
    *bytes = encoder->bytes;
    *count = encoder->capacity - encoder->destination.free_in_buffer;
    return CJPEG_DONE;
}

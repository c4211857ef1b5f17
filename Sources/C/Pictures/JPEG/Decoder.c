#include "Decoder.h"

#include <stdlib.h>

// The number of source pixels that take about a millisecond to decode.
enum { STEP_PIXELS = 256 << 10, MOST_ROWS = 16 };

// If the data ends within a scan, the picture is not complete: the rest is filled in.
static void heed_warning(j_common_ptr common, int level) {
    CJPEGDecoder *decoder = common->client_data;
    if (level >= 0 || common->err->msg_code != JWRN_HIT_MARKER) return;
    if (!decoder->accepts_truncated) {
        int is_end = decoder->info.unread_marker == JPEG_EOI;
        cjpeg_fail(common, is_end ? CJPEG_TRUNCATED : CJPEG_CORRUPT, JWRN_HIT_MARKER);
    }
    decoder->is_partial = 1;
}

CJPEGDecoder *cjpeg_decoder_new(int descriptor) {
    CJPEGDecoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->descriptor = descriptor;
    decoder->info.err = cjpeg_fault_manager(&decoder->fault);
    decoder->info.client_data = decoder;
    decoder->fault.manager.emit_message = heed_warning;
    if (setjmp(decoder->fault.place)) {
        cjpeg_decoder_free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    // Overrides the environment, because the amount of memory was checked before.
    decoder->info.mem->max_memory_to_use = 0;
    cjpeg_source_begin(decoder);
    return decoder;
}

void cjpeg_decoder_free(CJPEGDecoder *decoder) {
    jpeg_destroy_decompress(&decoder->info);
    cjpeg_profile_free(&decoder->profile);
    free(decoder->block);
    free(decoder);
}

const char *cjpeg_decoder_text(const CJPEGDecoder *decoder) { return decoder->fault.text; }
int cjpeg_decoder_is_partial(const CJPEGDecoder *decoder) { return decoder->is_partial; }
int cjpeg_decoder_lacks_detail(const CJPEGDecoder *decoder) { return decoder->lacks_detail; }

static CJPEGSpace space_of(const struct jpeg_decompress_struct *info) {
    int is_colour = info->jpeg_color_space == JCS_YCbCr || info->jpeg_color_space == JCS_RGB;
    if (info->num_components == 1 && info->jpeg_color_space == JCS_GRAYSCALE) return CJPEG_GREY;
    return info->num_components == 3 && is_colour ? CJPEG_COLOUR : CJPEG_OTHER_SPACE;
}

static CJPEGFrame frame_of(struct jpeg_decompress_struct *info) {
    CJPEGFrame frame = {
        .width = (int) info->image_width,
        .height = (int) info->image_height,
        .components = info->num_components,
        .has_several_scans = jpeg_has_multiple_scans(info),
    };
    for (int i = 0; i < info->num_components && i < CJPEG_MOST_COMPONENTS; i++) {
        frame.across[i] = info->comp_info[i].h_samp_factor;
        frame.down[i] = info->comp_info[i].v_samp_factor;
    }
    return frame;
}

CJPEGStatus cjpeg_decoder_header(
    CJPEGDecoder *decoder, const uint8_t *bytes, size_t count, int keeps_profile, CJPEGHeader *header) {
    if (setjmp(decoder->fault.place)) return decoder->fault.status;
    if (keeps_profile) cjpeg_profile_begin(decoder);
    cjpeg_source_lend(decoder, bytes, count);
    jpeg_read_header(&decoder->info, TRUE);
    cjpeg_source_take_back(decoder, bytes);
    decoder->has_header = 1;
    header->frame = frame_of(&decoder->info);
    header->space = space_of(&decoder->info);
    header->profile = cjpeg_profile_join(decoder);
    header->profile_length = header->profile ? decoder->profile.length : 0;
    header->has_long_profile = decoder->profile.is_long;
    header->has_arithmetic_codes = decoder->info.arith_code;
    return CJPEG_DONE;
}

CJPEGStatus cjpeg_decoder_start(CJPEGDecoder *decoder, int scale, int accepts_truncated, int *width, int *height) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->fault.place)) return decoder->fault.status;
    decoder->accepts_truncated = accepts_truncated;
    info->scale_num = (unsigned) scale;
    info->scale_denom = 8;
    // A picture with neither one component nor three is read only to find its end.
    if (info->num_components == 1) info->out_color_space = JCS_GRAYSCALE;
    if (info->num_components == 3) info->out_color_space = JCS_RGB;
    info->dct_method = JDCT_ISLOW;
    // Gathers scans step by step; otherwise one call would gather them all.
    info->buffered_image = jpeg_has_multiple_scans(info);
    decoder->gives_rows = !info->buffered_image;
    jpeg_start_decompress(info);
    *width = (int) info->output_width;
    *height = (int) info->output_height;
    return CJPEG_MORE;
}

// A component without a scan would appear as grey. The first scans of a progressive picture are a picture of
// their own.
static void check_components(CJPEGDecoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    for (int i = 0; i < info->num_components; i++) {
        if (info->progressive_mode || info->comp_info[i].quant_table) continue;
        decoder->is_partial = 1;
        if (!decoder->accepts_truncated)
            cjpeg_fail_saying((j_common_ptr) info, CJPEG_TRUNCATED, "Premature end of input file: a component is missing");
    }
}

// Whether the scans of a progressive picture lack bits of some coefficient.
static int lacks_detail(const struct jpeg_decompress_struct *info) {
    if (!info->progressive_mode || !info->coef_bits) return 0;
    for (int i = 0; i < info->num_components; i++)
        for (int k = 0; k < DCTSIZE2; k++)
            if (info->coef_bits[i][k] != 0) return 1;
    return 0;
}

static void gather_scans(CJPEGDecoder *decoder) {
    struct jpeg_decompress_struct *info = &decoder->info;
    long unit = (long) info->image_width * info->max_v_samp_factor * DCTSIZE;
    for (long done = 0; done < STEP_PIXELS; done += unit) {
        if (jpeg_consume_input(info) == JPEG_REACHED_EOI) {
            check_components(decoder);
            decoder->lacks_detail = lacks_detail(info);
            jpeg_start_output(info, info->input_scan_number);
            decoder->gives_rows = 1;
            return;
        }
        if (info->input_scan_number > CJPEG_MOST_SCANS)
            cjpeg_fail_saying((j_common_ptr) info, CJPEG_CORRUPT, "more scans than any encoder writes");
    }
}

static int rows_a_step(const struct jpeg_decompress_struct *info, int most) {
    long pixels = (long) info->image_width * DCTSIZE / (long) info->scale_num;
    long rows = STEP_PIXELS / pixels;
    if (most > MOST_ROWS) most = MOST_ROWS;
    return rows < 1 ? 1 : rows > most ? most : (int) rows;
}

static void read_rows(CJPEGDecoder *decoder, uint8_t *rows, size_t row_bytes, int most, int *made) {
    struct jpeg_decompress_struct *info = &decoder->info;
    JSAMPROW places[MOST_ROWS];
    int wanted = rows_a_step(info, most);
    for (int i = 0; i < wanted; i++) places[i] = rows + (size_t) i * row_bytes;
    while (*made < wanted && info->output_scanline < info->output_height)
        *made += (int) jpeg_read_scanlines(info, places + *made, (JDIMENSION) (wanted - *made));
    decoder->has_all_rows = info->output_scanline == info->output_height;
}

static CJPEGStatus step(CJPEGDecoder *decoder, uint8_t *rows, size_t row_bytes, int most, int *made) {
    if (!decoder->gives_rows) {
        gather_scans(decoder);
        return CJPEG_MORE;
    }
    read_rows(decoder, rows, row_bytes, most, made);
    if (!decoder->has_all_rows) return CJPEG_MORE;
    if (decoder->info.buffered_image) jpeg_finish_output(&decoder->info);
    jpeg_finish_decompress(&decoder->info);
    return CJPEG_DONE;
}

// The status for a failure of libjpeg in `step`.
static CJPEGStatus outcome(CJPEGDecoder *decoder) {
    CJPEGStatus status = decoder->fault.status;
    if (status != CJPEG_CORRUPT) return status;
    // The data between a complete picture and its end marker does not matter.
    if (decoder->has_all_rows) return CJPEG_DONE;
    // The end marker that libjpeg received is in the middle of a segment, which is then invalid.
    if (!decoder->has_ended || decoder->gives_rows || decoder->gave_up) return status;
    decoder->gave_up = 1;
    decoder->info.unread_marker = JPEG_EOI;
    return CJPEG_MORE;
}

CJPEGStatus cjpeg_decoder_step(
    CJPEGDecoder *decoder, const uint8_t *bytes, size_t count, uint8_t *rows, size_t row_bytes, int most, int *made) {
    *made = 0;
    if (setjmp(decoder->fault.place)) return outcome(decoder);
    cjpeg_source_lend(decoder, bytes, count);
    CJPEGStatus status = step(decoder, rows, row_bytes, most, made);
    cjpeg_source_take_back(decoder, bytes);
    return status;
}

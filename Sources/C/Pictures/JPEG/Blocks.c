#include "Decoder.h"

#include <string.h>

// libjpeg's full-size arrays of coefficients are never made: instead of each, one row of units is held.
static jvirt_barray_ptr request(
    j_common_ptr common, int pool, boolean is_zeroed, JDIMENSION across, JDIMENSION down, JDIMENSION at_once) {
    CJPEGDecoder *decoder = common->client_data;
    (void) is_zeroed, (void) down, (void) at_once;
    if (decoder->units == CJPEG_MOST_COMPONENTS) cjpeg_fail_saying(common, CJPEG_CORRUPT, "too many components");
    CJPEGUnits *units = &decoder->unit_rows[decoder->units];
    units->lines = decoder->info.comp_info[decoder->units++].v_samp_factor;
    units->blocks = (*common->mem->alloc_barray)(common, pool, across, (JDIMENSION) units->lines);
    units->across = (int) across;
    for (int i = 0; i < units->lines; i++) memset(units->blocks[i], 0, across * sizeof(JBLOCK));
    return (jvirt_barray_ptr) units;
}

static JBLOCKARRAY access_row(
    j_common_ptr common, jvirt_barray_ptr array, JDIMENSION row, JDIMENSION count, boolean is_writing) {
    (void) common, (void) row, (void) count, (void) is_writing;
    return ((CJPEGUnits *) array)->blocks;
}

// libjpeg does this at the first scan of each component.
static void keep_quantization(struct jpeg_decompress_struct *info) {
    for (int i = 0; i < info->num_components; i++) {
        int table = info->comp_info[i].quant_tbl_no;
        int is_known = table >= 0 && table < NUM_QUANT_TBLS && info->quant_tbl_ptrs[table];
        if (!is_known) cjpeg_fail((j_common_ptr) info, CJPEG_CORRUPT, JERR_NO_QUANT_TABLE);
        info->comp_info[i].quant_table = info->quant_tbl_ptrs[table];
    }
}

CJPEGStatus cjpeg_decoder_start_blocks(CJPEGDecoder *decoder, int scale, int *width, int *height) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->fault.place)) return decoder->fault.status;
    info->scale_num = (unsigned) scale;
    info->scale_denom = DCTSIZE;
    info->out_color_space = info->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    info->dct_method = JDCT_ISLOW;
    info->do_block_smoothing = FALSE;
    info->buffered_image = TRUE;
    info->mem->request_virt_barray = request;
    info->mem->access_virt_barray = access_row;
    jpeg_start_decompress(info);
    keep_quantization(info);
    jpeg_start_output(info, info->input_scan_number);
    // To libjpeg, the scan that it outputs was read.
    info->input_scan_number++;
    *width = (int) info->output_width;
    *height = (int) info->output_height;
    return CJPEG_MORE;
}

int cjpeg_decoder_wanted_row(const CJPEGDecoder *decoder) {
    const struct jpeg_decompress_struct *info = &decoder->info;
    return info->output_iMCU_row < info->total_iMCU_rows ? (int) info->output_iMCU_row : -1;
}

int16_t *cjpeg_decoder_blocks(CJPEGDecoder *decoder, int component, int line, int *across) {
    if (component < 0 || component >= decoder->units) return NULL;
    CJPEGUnits *units = &decoder->unit_rows[component];
    if (line < 0 || line >= units->lines) return NULL;
    *across = units->across;
    return units->blocks[line][0];
}

CJPEGStatus cjpeg_decoder_rows(CJPEGDecoder *decoder, uint8_t *rows, size_t row_bytes, int most, int *made) {
    struct jpeg_decompress_struct *info = &decoder->info;
    *made = 0;
    if (setjmp(decoder->fault.place)) return decoder->fault.status;
    // One call uses a row of units at most.
    JDIMENSION row = info->output_iMCU_row;
    while (*made < most && info->output_scanline < info->output_height) {
        if (row != info->output_iMCU_row && row < info->total_iMCU_rows) break;
        JSAMPROW place = rows + (size_t) *made * row_bytes;
        *made += (int) jpeg_read_scanlines(info, &place, 1);
        if (info->output_iMCU_row == info->total_iMCU_rows) row = info->output_iMCU_row;
    }
    return info->output_scanline < info->output_height ? CJPEG_MORE : CJPEG_DONE;
}

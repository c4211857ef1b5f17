#include "CWebP.h"

#include <stdlib.h>
#include <webp/decode.h>

// The maximum side of a WebP picture.
static const int largest = 16384;

struct CWebPDecoder {
    WebPIDecoder *decoder;
    // The decoder refers to this while it lives.
    WebPDecoderConfig config;
    uint8_t pixels[];
};

static void lay_out_planes(WebPDecBuffer *output, uint8_t *pixels, size_t width, size_t height) {
    size_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    WebPYUVABuffer *planes = &output->u.YUVA;
    planes->y = pixels;
    planes->y_stride = (int) width;
    planes->y_size = width * height;
    planes->u = planes->y + planes->y_size;
    planes->v = planes->u + half_width * half_height;
    planes->u_stride = planes->v_stride = (int) half_width;
    planes->u_size = planes->v_size = half_width * half_height;
}

static void lay_out_pixels(WebPDecBuffer *output, uint8_t *pixels, size_t row, size_t height) {
    output->u.RGBA.rgba = pixels;
    output->u.RGBA.stride = (int) row;
    output->u.RGBA.size = row * height;
}

CWebPDecoder *cwebp_decoder_make(int samples, int width, int height, int smooths) {
    if (width < 1 || height < 1 || width > largest || height > largest) return NULL;
    size_t across = (size_t) width, down = (size_t) height;
    size_t row = across * (samples == CWEBP_RGBA ? 4 : 3);
    size_t bytes = samples == CWEBP_PLANES ? across * down + (across + 1) / 2 * ((down + 1) / 2) * 2 : row * down;
    CWebPDecoder *made = malloc(sizeof *made + bytes);
    if (!made) return NULL;
    if (!WebPInitDecoderConfig(&made->config)) return free(made), NULL;
    WebPDecBuffer *output = &made->config.output;
    output->is_external_memory = 1;
    output->colorspace = samples == CWEBP_PLANES ? MODE_YUV : samples == CWEBP_RGBA ? MODE_RGBA : MODE_RGB;
    if (samples == CWEBP_PLANES) lay_out_planes(output, made->pixels, across, down);
    else lay_out_pixels(output, made->pixels, row, down);
    made->config.options.bypass_filtering = !smooths;
    made->decoder = WebPIDecode(NULL, 0, &made->config);
    if (!made->decoder) return free(made), NULL;
    return made;
}

void cwebp_decoder_free(CWebPDecoder *decoder) {
    WebPIDelete(decoder->decoder);
    WebPFreeDecBuffer(&decoder->config.output);
    free(decoder);
}

int cwebp_decoder_feed(CWebPDecoder *decoder, const uint8_t *bytes, size_t length) {
    switch (WebPIUpdate(decoder->decoder, bytes, length)) {
    case VP8_STATUS_OK: return CWEBP_COMPLETE;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return CWEBP_NEEDS_BYTES;
    case VP8_STATUS_OUT_OF_MEMORY: return CWEBP_NO_MEMORY;
    default: return CWEBP_CORRUPT;
    }
}

int cwebp_decoder_rows(const CWebPDecoder *decoder) {
    int rows = 0;
    return WebPIDecodedArea(decoder->decoder, NULL, NULL, NULL, &rows) ? rows : 0;
}

const uint8_t *cwebp_decoder_row(const CWebPDecoder *decoder, int plane, int row) {
    const WebPDecBuffer *output = &decoder->config.output;
    size_t at = (size_t) row;
    if (output->colorspace != MODE_YUV) return output->u.RGBA.rgba + at * (size_t) output->u.RGBA.stride;
    const WebPYUVABuffer *planes = &output->u.YUVA;
    switch (plane) {
    case 0: return planes->y + at * (size_t) planes->y_stride;
    case 1: return planes->u + at * (size_t) planes->u_stride;
    default: return planes->v + at * (size_t) planes->v_stride;
    }
}

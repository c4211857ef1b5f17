#include "CWebP.h"

#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>

// libwebp imports whole pictures from pixels. To avoid holding those in addition to its planes, it receives
// strips of an even number of rows, whose colours it averages as in the whole picture. A lossless picture is
// encoded from its pixels, so its rows are copied into them.
enum { strip_rows = 16 };

struct CWebPEncoder {
    WebPPicture picture;
    WebPMemoryWriter writer;
    int channels;
    // The number of imported rows, and of rows that wait in the strip.
    int imported, waiting;
    int (*goes_on)(void *);
    void *context;
    uint8_t strip[];
};

static int has_alpha(const CWebPEncoder *encoder) { return encoder->channels % 2 == 0; }
// The bytes of a row of the strip.
static size_t stride(const CWebPEncoder *encoder) {
    return (size_t) encoder->picture.width * (has_alpha(encoder) ? 4 : 3);
}

CWebPEncoder *cwebp_encoder_make(int width, int height, int channels, int is_lossless) {
    if (width < 1 || height < 1 || width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION) return NULL;
    CWebPEncoder *made = malloc(sizeof *made + (size_t) width * 4 * strip_rows);
    if (!made) return NULL;
    WebPMemoryWriterInit(&made->writer);
    made->channels = channels;
    made->imported = made->waiting = 0;
    int is_right = WebPPictureInit(&made->picture);
    made->picture.width = width;
    made->picture.height = height;
    made->picture.use_argb = is_lossless;
    made->picture.colorspace = has_alpha(made) ? WEBP_YUV420A : WEBP_YUV420;
    if (is_right && WebPPictureAlloc(&made->picture)) return made;
    return free(made), NULL;
}

void cwebp_encoder_free(CWebPEncoder *encoder) {
    WebPPictureFree(&encoder->picture);
    WebPMemoryWriterClear(&encoder->writer);
    free(encoder);
}

// Expands a row of grey samples, with or without alpha, to colours.
static void spread(uint8_t *out, const uint8_t *row, size_t width, int channels) {
    for (size_t x = 0; x < width; x++, row += channels) {
        *out++ = row[0];
        *out++ = row[0];
        *out++ = row[0];
        if (channels == 2) *out++ = row[1];
    }
}

static void copy_rows(uint8_t *to, int to_stride, const uint8_t *from, int from_stride, int width, int rows) {
    for (int y = 0; y < rows; y++)
        memcpy(to + (size_t) y * (size_t) to_stride, from + (size_t) y * (size_t) from_stride, (size_t) width);
}

static void copy_strip(WebPPicture *whole, const WebPPicture *strip, int top) {
    int half_width = (strip->width + 1) / 2, half_rows = (strip->height + 1) / 2;
    size_t at = (size_t) top, half_at = at / 2 * (size_t) whole->uv_stride;
    copy_rows(whole->y + at * (size_t) whole->y_stride, whole->y_stride, strip->y, strip->y_stride, strip->width, strip->height);
    copy_rows(whole->u + half_at, whole->uv_stride, strip->u, strip->uv_stride, half_width, half_rows);
    copy_rows(whole->v + half_at, whole->uv_stride, strip->v, strip->uv_stride, half_width, half_rows);
    if (!whole->a) return;
    uint8_t *alpha = whole->a + at * (size_t) whole->a_stride;
    // libwebp omits the alpha plane of an opaque strip.
    if (strip->a) copy_rows(alpha, whole->a_stride, strip->a, strip->a_stride, strip->width, strip->height);
    else memset(alpha, 255, (size_t) strip->height * (size_t) whole->a_stride);
}

static int import_strip(CWebPEncoder *encoder) {
    WebPPicture strip;
    if (!WebPPictureInit(&strip)) return 0;
    strip.width = encoder->picture.width;
    strip.height = encoder->waiting;
    int across = (int) stride(encoder);
    int is_done = has_alpha(encoder) ? WebPPictureImportRGBA(&strip, encoder->strip, across)
                                     : WebPPictureImportRGB(&strip, encoder->strip, across);
    if (is_done) copy_strip(&encoder->picture, &strip, encoder->imported);
    WebPPictureFree(&strip);
    encoder->imported += encoder->waiting;
    encoder->waiting = 0;
    return is_done;
}

static void copy_pixels(WebPPicture *picture, int y, const uint8_t *row, int channels) {
    uint32_t *out = picture->argb + (size_t) y * (size_t) picture->argb_stride;
    int green = channels < 3 ? 0 : 1, blue = channels < 3 ? 0 : 2;
    for (int x = 0; x < picture->width; x++, row += channels) {
        uint32_t alpha = channels % 2 == 0 ? row[channels - 1] : 255;
        out[x] = alpha << 24 | (uint32_t) row[0] << 16 | (uint32_t) row[green] << 8 | row[blue];
    }
}

int cwebp_encoder_take(CWebPEncoder *encoder, const uint8_t *row) {
    size_t width = (size_t) encoder->picture.width;
    if (encoder->imported + encoder->waiting == encoder->picture.height) return 0;
    if (encoder->picture.use_argb) {
        copy_pixels(&encoder->picture, encoder->imported++, row, encoder->channels);
        return 1;
    }
    uint8_t *place = encoder->strip + (size_t) encoder->waiting * stride(encoder);
    if (encoder->channels < 3) spread(place, row, width, encoder->channels);
    else memcpy(place, row, stride(encoder));
    encoder->waiting++;
    int is_last = encoder->imported + encoder->waiting == encoder->picture.height;
    return encoder->waiting == strip_rows || is_last ? import_strip(encoder) : 1;
}

static int ask(int percent, const WebPPicture *picture) {
    (void) percent;
    CWebPEncoder *encoder = picture->user_data;
    return encoder->goes_on(encoder->context);
}

static const char *text(WebPEncodingError error) {
    switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: return "there is not enough memory";
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG: return "it would be too large for the format";
    case VP8_ENC_ERROR_USER_ABORT: return "it was ended";
    default: return "libwebp gave no reason";
    }
}

const char *cwebp_encoder_finish(CWebPEncoder *encoder, int quality, int method, int (*goes_on)(void *context), void *context) {
    WebPConfig config;
    if (!WebPConfigInit(&config)) return "libwebp is of another version";
    if (encoder->imported < encoder->picture.height) return "rows are missing";
    config.lossless = encoder->picture.use_argb;
    config.quality = (float) quality;
    config.method = method;
    encoder->goes_on = goes_on;
    encoder->context = context;
    encoder->picture.user_data = encoder;
    encoder->picture.progress_hook = ask;
    encoder->picture.writer = WebPMemoryWrite;
    encoder->picture.custom_ptr = &encoder->writer;
    return WebPEncode(&config, &encoder->picture) ? NULL : text(encoder->picture.error_code);
}

const uint8_t *cwebp_encoder_bytes(const CWebPEncoder *encoder, size_t *length) {
    *length = encoder->writer.size;
    return encoder->writer.mem;
}

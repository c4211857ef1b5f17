// The parts of libwebp that Swift cannot use directly, its structures of unions and callbacks, in steps of
// whole rows.
//
// The caller owns the result of a `make` function, and passes it to the `free` function of the same name.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Decoding.

// The content of the rows: interleaved samples, or one plane each of Y, Cb and Cr, of which the latter two
// have half the size.
enum { CWEBP_RGB, CWEBP_RGBA, CWEBP_PLANES };

// The state of a decoder.
enum { CWEBP_COMPLETE, CWEBP_NEEDS_BYTES, CWEBP_CORRUPT, CWEBP_NO_MEMORY };

typedef struct CWebPDecoder CWebPDecoder;

// Creates a decoder for a picture of exactly this size; NULL if memory runs out or libwebp does not support
// the size. Without `smooths`, the edges of its blocks are not filtered.
CWebPDecoder *cwebp_decoder_make(int samples, int width, int height, int smooths);
void cwebp_decoder_free(CWebPDecoder *decoder);

// Decodes as much as possible of the first `length` bytes of the file, which include those of earlier calls;
// the caller may free them when it returns.
int cwebp_decoder_feed(CWebPDecoder *decoder, const uint8_t *bytes, size_t length);

// The number of rows decoded so far, of the first plane.
int cwebp_decoder_rows(const CWebPDecoder *decoder);

// A row of a plane, valid while the decoder exists.
const uint8_t *cwebp_decoder_row(const CWebPDecoder *decoder, int plane, int row);

// Encoding.

typedef struct CWebPEncoder CWebPEncoder;

// Creates an encoder for a picture with rows of `channels` interleaved samples per pixel: 1 for grey, 2 with
// alpha, 3 for red, green and blue, 4 with alpha. NULL if memory runs out or WebP does not support the size.
CWebPEncoder *cwebp_encoder_make(int width, int height, int channels, int is_lossless);
void cwebp_encoder_free(CWebPEncoder *encoder);

// Takes the next row; 0 if memory runs out.
int cwebp_encoder_take(CWebPEncoder *encoder, const uint8_t *row);

// Encodes the rows, all of which must have been taken, at `quality`, 1 to 100, with the effort of libwebp's
// `method`, 0 to 6; for a lossless file, `quality` is an effort, too. Calls `goes_on` regularly with `context`; 0 ends the encoding. Returns NULL, or a short
// description of the error.
const char *cwebp_encoder_finish(CWebPEncoder *encoder, int quality, int method, int (*goes_on)(void *context), void *context);

// The file, valid while the encoder exists.
const uint8_t *cwebp_encoder_bytes(const CWebPEncoder *encoder, size_t *length);

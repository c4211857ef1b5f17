// What Swift cannot call of libwebp by itself: its structures of unions and call-backs, in steps of whole rows.
//
// What a `make` function returns belongs to the caller, who gives it back to the `free` function of the same name.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Decoding.

// What the rows consist of: interleaved samples, or one plane each of Y, Cb and Cr, the latter two of half the size.
enum { CWEBP_RGB, CWEBP_RGBA, CWEBP_PLANES };

// How far a decoder is.
enum { CWEBP_COMPLETE, CWEBP_NEEDS_BYTES, CWEBP_CORRUPT, CWEBP_NO_MEMORY };

typedef struct CWebPDecoder CWebPDecoder;

// A decoder of a picture of exactly this size; NULL where there is no memory or libwebp has no such sizes. Without `smooths`
// the edges of its blocks stay as they are coded.
CWebPDecoder *cwebp_decoder_make(int samples, int width, int height, int smooths);
void cwebp_decoder_free(CWebPDecoder *decoder);

// Decodes what it can of the first `length` bytes of the file, which include those of the calls before; they are not
// needed any longer when it returns.
int cwebp_decoder_feed(CWebPDecoder *decoder, const uint8_t *bytes, size_t length);

// The rows decoded so far, of the first plane.
int cwebp_decoder_rows(const CWebPDecoder *decoder);

// A row of a plane, valid as long as the decoder.
const uint8_t *cwebp_decoder_row(const CWebPDecoder *decoder, int plane, int row);

// Encoding, lossy.

typedef struct CWebPEncoder CWebPEncoder;

// An encoder of a picture of rows of `channels` interleaved samples a pixel: 1 grey, 2 with alpha, 3 red, green and
// blue, 4 with alpha. NULL where there is no memory or WebP has no such sizes.
CWebPEncoder *cwebp_encoder_make(int width, int height, int channels);
void cwebp_encoder_free(CWebPEncoder *encoder);

// Takes the next row; 0 where there is no memory for it.
int cwebp_encoder_take(CWebPEncoder *encoder, const uint8_t *row);

// Encodes the rows, all of which were taken, at `quality`, 1 to 100, with the effort of libwebp's `method`, 0 to 6.
// `goes_on` is asked now and then, with `context`, and ends it by saying 0. Gives NULL, or a few words on what went wrong.
const char *cwebp_encoder_finish(CWebPEncoder *encoder, int quality, int method, int (*goes_on)(void *context), void *context);

// The file, valid as long as the encoder.
const uint8_t *cwebp_encoder_bytes(const CWebPEncoder *encoder, size_t *length);

// The parts of libjpeg-turbo that Swift cannot use: macros, structures that must stay in place, and errors
// that leave by longjmp, which must never cross Swift. Each function returns to its caller, whatever happens
// in libjpeg.
//
// Nothing is ever written to standard error, and libjpeg never creates a temporary file.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CJPEG_DONE = 0,
    // Success, and there is more.
    CJPEG_MORE = 1,
    CJPEG_CORRUPT = -1,
    // The data ends before the picture does.
    CJPEG_TRUNCATED = -2,
    // The file cannot be read.
    CJPEG_UNREADABLE = -3,
    CJPEG_NO_MEMORY = -4,
} CJPEGStatus;

typedef enum { CJPEG_OTHER_SPACE = 0, CJPEG_GREY = 1, CJPEG_COLOUR = 3 } CJPEGSpace;

enum {
    // The maximum length of a stored profile.
    CJPEG_MOST_PROFILE_BYTES = 4 << 20,
    // More scans than any encoder writes.
    CJPEG_MOST_SCANS = 100,
    CJPEG_MOST_COMPONENTS = 4,
};

// The properties that determine the memory of a decode.
typedef struct {
    int width;
    int height;
    int components;
    // The sampling factors of the components.
    int across[CJPEG_MOST_COMPONENTS];
    int down[CJPEG_MOST_COMPONENTS];
    // Whether all coefficients of the picture are held, because each scan has only a part of them.
    int has_several_scans;
} CJPEGFrame;

typedef struct {
    CJPEGFrame frame;
    CJPEGSpace space;
    // The embedded ICC profile, which belongs to the decoder; NULL if there is none or its parts are
    // inconsistent.
    const uint8_t *profile;
    size_t profile_length;
    // Whether a profile was omitted because of its length.
    int has_long_profile;
    // Whether the data is arithmetic-coded; the decoder cannot detect that such data is truncated.
    int has_arithmetic_codes;
} CJPEGHeader;

// A close upper bound for the bytes of a decoder that decodes the picture at `scale` eighths.
size_t cjpeg_decoder_bytes(const CJPEGFrame *frame, int scale);

typedef struct CJPEGDecoder CJPEGDecoder;

// Creates a decoder for the file at `descriptor`, which it reads from the first unread byte on and does not
// close. With -1, it decodes bytes in memory, which the caller passes in each call and which must always be
// the same. NULL if memory runs out.
CJPEGDecoder *cjpeg_decoder_new(int descriptor);
void cjpeg_decoder_free(CJPEGDecoder *decoder);

// The reason why the last call failed.
const char *cjpeg_decoder_text(const CJPEGDecoder *decoder);

// Whether the data ended early, so that some of the picture is filled in.
int cjpeg_decoder_is_partial(const CJPEGDecoder *decoder);

// Whether all scans of a progressive picture were read and still lack some of its detail.
int cjpeg_decoder_lacks_detail(const CJPEGDecoder *decoder);

// Reads everything before the first scan.
CJPEGStatus cjpeg_decoder_header(
    CJPEGDecoder *decoder, const uint8_t *bytes, size_t count, int keeps_profile, CJPEGHeader *header);

// Starts decoding at `scale` eighths, to grey or to red, green, blue; other pictures keep their own
// components. Reads nothing yet. Returns the size of the decoded picture.
CJPEGStatus cjpeg_decoder_start(CJPEGDecoder *decoder, int scale, int accepts_truncated, int *width, int *height);

// Does the next portion of work, a few milliseconds at most: writes up to `most` rows of `row_bytes` bytes to
// `rows`, or none while it gathers scans. Returns CJPEG_DONE with the last rows, once the data has been read
// to its end.
CJPEGStatus cjpeg_decoder_step(
    CJPEGDecoder *decoder, const uint8_t *bytes, size_t count, uint8_t *rows, size_t row_bytes, int most, int *made);

// Starts making rows at `scale` eighths from coefficients that the caller reads, all of those of a progressive
// picture: libjpeg does the inverse transform and the colours, and reads nothing behind the header. Returns the
// size of the decoded picture.
CJPEGStatus cjpeg_decoder_start_blocks(CJPEGDecoder *decoder, int scale, int *width, int *height);

// The row of units whose coefficients must be in place before more rows are made; -1 after the last one.
int cjpeg_decoder_wanted_row(const CJPEGDecoder *decoder);

// The place for a line of blocks of the wanted row: 64 coefficients each, in natural order, at first zeros.
// Returns the number of blocks in `across`; NULL if there is no such component or line.
int16_t *cjpeg_decoder_blocks(CJPEGDecoder *decoder, int component, int line, int *across);

// Writes rows as long as the wanted row does not change, up to `most`.
CJPEGStatus cjpeg_decoder_rows(CJPEGDecoder *decoder, uint8_t *rows, size_t row_bytes, int most, int *made);

typedef struct CJPEGEncoder CJPEGEncoder;

// Creates an encoder for `channels` samples per pixel, 1 for grey or 3 for red, green, blue. With
// `halves_colour`, colour is stored at half the resolution. A progressive picture is held as coefficients and
// encoded at the end. NULL if memory runs out.
CJPEGEncoder *cjpeg_encoder_new(int width, int height, int channels, int quality, int halves_colour, int is_progressive);
void cjpeg_encoder_free(CJPEGEncoder *encoder);
const char *cjpeg_encoder_text(const CJPEGEncoder *encoder);
// Encodes the next row.
CJPEGStatus cjpeg_encoder_write(CJPEGEncoder *encoder, const uint8_t *row);
// Returns the bytes, which belong to the encoder, after all rows. Calls `goes_on` regularly with `context`; 0 ends
// the encoding.
CJPEGStatus cjpeg_encoder_finish(
    CJPEGEncoder *encoder, int (*goes_on)(void *context), void *context, const uint8_t **bytes, size_t *count);

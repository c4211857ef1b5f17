#pragma once

#include "Fault.h"

// One part of an ICC profile, from one APP2 segment.
typedef struct {
    uint8_t *bytes;
    size_t length;
} CJPEGProfilePart;

typedef struct {
    // The parts by their numbers, from 1.
    CJPEGProfilePart parts[256];
    // The number of parts according to the segments; 0 before the first segment.
    int count;
    size_t length;
    int is_long;
    int is_broken;
    uint8_t *joined;
} CJPEGProfile;

// A component's row of units, where the caller puts coefficients that it has read.
typedef struct {
    JBLOCKARRAY blocks;
    // The rows of blocks in it, and the blocks of each.
    int lines;
    int across;
} CJPEGUnits;

struct CJPEGDecoder {
    CJPEGFault fault;
    struct jpeg_decompress_struct info;
    struct jpeg_source_mgr source;
    CJPEGProfile profile;

    // -1 for bytes in memory.
    int descriptor;
    // The position in the file or in the bytes up to which libjpeg has received them.
    size_t offset;
    // The bytes read from the file; NULL for bytes in memory.
    JOCTET *block;

    int has_header;
    int accepts_truncated;
    // Whether the data was read to its end, and libjpeg received an end marker.
    int has_ended;
    int is_partial;
    int lacks_detail;
    // Whether all scans are present, and rows are returned.
    int gives_rows;
    int has_all_rows;
    // Whether invalid data after the end was skipped.
    int gave_up;

    CJPEGUnits unit_rows[CJPEG_MOST_COMPONENTS];
    // The number of components that have one.
    int units;
};

static inline CJPEGDecoder *cjpeg_decoder_of(j_decompress_ptr info) { return info->client_data; }

// Prepares the source manager.
void cjpeg_source_begin(CJPEGDecoder *decoder);
// Lends libjpeg the bytes in memory for the duration of a call.
void cjpeg_source_lend(CJPEGDecoder *decoder, const uint8_t *bytes, size_t count);
void cjpeg_source_take_back(CJPEGDecoder *decoder, const uint8_t *bytes);

// Starts storing the ICC profile while the header is read.
void cjpeg_profile_begin(CJPEGDecoder *decoder);
// Joins its parts; NULL if there is none or one is missing.
const uint8_t *cjpeg_profile_join(CJPEGDecoder *decoder);
void cjpeg_profile_free(CJPEGProfile *profile);

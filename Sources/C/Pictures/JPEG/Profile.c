// Embedded ICC profiles (ICC.1, annex B.4), in parts of at most 64 KiB, each in an APP2 segment with its
// number.
//
// libjpeg's own method stores every APP2 segment whole, no matter how many there are.
#include "Decoder.h"

#include <stdlib.h>
#include <string.h>

// A mark with its final NUL, the part's number, and the number of parts.
enum { HEAD_BYTES = 14 };

static void read_bytes(j_decompress_ptr info, uint8_t *to, size_t length) {
    while (length > 0) {
        if (info->src->bytes_in_buffer == 0) info->src->fill_input_buffer(info);
        size_t count = info->src->bytes_in_buffer < length ? info->src->bytes_in_buffer : length;
        memcpy(to, info->src->next_input_byte, count);
        info->src->next_input_byte += count;
        info->src->bytes_in_buffer -= count;
        to += count;
        length -= count;
    }
}

// Whether the part in `head` is consistent with the earlier parts.
static int fits(CJPEGProfile *profile, const uint8_t *head, size_t length) {
    int number = head[12], count = head[13];
    int is_first = profile->count == 0;
    int makes_sense = number >= 1 && number <= count && (is_first || count == profile->count);
    if (!makes_sense || profile->parts[number].bytes) profile->is_broken = 1;
    if (length > CJPEG_MOST_PROFILE_BYTES - profile->length) profile->is_long = 1;
    profile->count = count;
    return !profile->is_broken && !profile->is_long;
}

static void keep(j_decompress_ptr info, CJPEGProfile *profile, const uint8_t *head, size_t length) {
    CJPEGProfilePart *part = &profile->parts[head[12]];
    part->bytes = malloc(length + 1);
    if (!part->bytes) cjpeg_fail_saying((j_common_ptr) info, CJPEG_NO_MEMORY, "no memory for the ICC profile");
    part->length = length;
    profile->length += length;
    read_bytes(info, part->bytes, length);
}

static boolean take_segment(j_decompress_ptr info) {
    CJPEGProfile *profile = &cjpeg_decoder_of(info)->profile;
    uint8_t word[2], head[HEAD_BYTES];
    read_bytes(info, word, sizeof word);
    size_t length = (size_t) word[0] << 8 | word[1];
    if (length < 2) cjpeg_fail((j_common_ptr) info, CJPEG_CORRUPT, JERR_BAD_LENGTH);
    length -= 2;
    if (length >= HEAD_BYTES) {
        read_bytes(info, head, sizeof head);
        length -= HEAD_BYTES;
        if (!memcmp(head, "ICC_PROFILE", 12) && fits(profile, head, length)) {
            keep(info, profile, head, length);
            length = 0;
        }
    }
    info->src->skip_input_data(info, (long) length);
    return TRUE;
}

void cjpeg_profile_begin(CJPEGDecoder *decoder) {
    jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 2, take_segment);
}

const uint8_t *cjpeg_profile_join(CJPEGDecoder *decoder) {
    CJPEGProfile *profile = &decoder->profile;
    if (profile->is_broken || profile->is_long || profile->length == 0) return NULL;
    for (int i = 1; i <= profile->count; i++)
        if (!profile->parts[i].bytes) return NULL;
    profile->joined = malloc(profile->length);
    if (!profile->joined)
        cjpeg_fail_saying((j_common_ptr) &decoder->info, CJPEG_NO_MEMORY, "no memory for the ICC profile");
    uint8_t *to = profile->joined;
    for (int i = 1; i <= profile->count; to += profile->parts[i++].length)
        memcpy(to, profile->parts[i].bytes, profile->parts[i].length);
    return profile->joined;
}

void cjpeg_profile_free(CJPEGProfile *profile) {
    for (int i = 0; i < 256; i++) free(profile->parts[i].bytes);
    free(profile->joined);
}

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "CPNG.h"

enum { ROOM = 64 << 10, HEADER_BYTES = 2 };

struct CPNGMeter {
    uint64_t inflated;
    unsigned header_bytes;
    struct inflate_state inflate;
    uint8_t out[ROOM];
};

CPNGMeter *cpng_meter_make(void) {
    CPNGMeter *meter = calloc(1, sizeof *meter);
    if (!meter) return NULL;
    isal_inflate_init(&meter->inflate);
    meter->inflate.crc_flag = ISAL_DEFLATE;
    return meter;
}

void cpng_meter_free(CPNGMeter *meter) { free(meter); }

uint64_t cpng_meter_add(CPNGMeter *meter, const uint8_t *bytes, size_t count) {
    struct inflate_state *state = &meter->inflate;
    // The decoder checks the header.
    for (; meter->header_bytes < HEADER_BYTES && count > 0; meter->header_bytes++, bytes++) count--;
    state->next_in = (uint8_t *) bytes;
    state->avail_in = (uint32_t) count;
    do {
        state->next_out = meter->out;
        state->avail_out = ROOM;
        if (state->block_state == ISAL_BLOCK_FINISH || isal_inflate(state) < 0) break;
        meter->inflated += ROOM - state->avail_out;
    } while (state->avail_out == 0);
    state->next_in = state->next_out = NULL;
    return meter->inflated;
}

#include <stdlib.h>
#include <string.h>

#include "CPNG.h"

#define SLOTS 1024
#define MOST 256

struct CPNGColours {
    unsigned channels, count;
    uint32_t colours[MOST];
    // The indices of colours by their hash, plus one; 0 for a free slot.
    uint16_t slots[SLOTS];
};

CPNGColours *cpng_colours_make(unsigned channels) {
    CPNGColours *colours = calloc(1, sizeof *colours);
    if (colours) colours->channels = channels;
    return colours;
}

void cpng_colours_free(CPNGColours *colours) { free(colours); }

static inline uint32_t colour_at(const uint8_t *pixel, unsigned channels) {
    uint32_t colour = 0;
    memcpy(&colour, pixel, channels);
    return colour;
}

// Returns the slot of the colour, or a free slot if it has none. There is always a free slot.
static inline unsigned slot_of(const CPNGColours *colours, uint32_t colour) {
    unsigned slot = (colour * 2654435761u) >> 22;
    while (colours->slots[slot] && colours->colours[colours->slots[slot] - 1] != colour) slot = (slot + 1) % SLOTS;
    return slot;
}

bool cpng_colours_count(CPNGColours *colours, const uint8_t *row, size_t width) {
    unsigned channels = colours->channels;
    for (size_t x = 0; x < width; x++, row += channels) {
        if (x > 0 && memcmp(row, row - channels, channels) == 0) continue;
        uint32_t colour = colour_at(row, channels);
        unsigned slot = slot_of(colours, colour);
        if (colours->slots[slot]) continue;
        if (colours->count == MOST) return false;
        colours->colours[colours->count++] = colour;
        colours->slots[slot] = (uint16_t) colours->count;
    }
    return true;
}

unsigned cpng_colours_number(const CPNGColours *colours) { return colours->count; }

const uint8_t *cpng_colours_colour(const CPNGColours *colours, unsigned index) {
    return (const uint8_t *) &colours->colours[index];
}

void cpng_colours_pack(
    const CPNGColours *colours, const uint8_t *row, size_t width, const uint8_t *values, unsigned depth, uint8_t *out) {
    unsigned channels = colours->channels, value = 0, bits = 0;
    for (size_t x = 0; x < width; x++, row += channels) {
        // The first pixel of a picture has been counted, so every slot looked up has a colour.
        if (x == 0 || memcmp(row, row - channels, channels) != 0) {
            unsigned slot = slot_of(colours, colour_at(row, channels));
            value = colours->slots[slot] ? values[colours->slots[slot] - 1] : 0;
        }
        if (bits == 0) *out = 0;
        bits += depth;
        *out |= (uint8_t) (value << (8 - bits));
        if (bits == 8) bits = 0, out++;
    }
}

#include "CJPEG.h"

// Tables, the structures themselves, and a block of the file.
enum { FIXED_BYTES = 128 << 10, BLOCK_SIDE = 8, COEFFICIENT_BYTES = 2 * BLOCK_SIDE * BLOCK_SIDE };

static size_t divided_up(size_t number, size_t by) { return (number + by - 1) / by; }

static int largest(const int *factors, int count) {
    int most = 1;
    for (int i = 0; i < count; i++) most = factors[i] > most ? factors[i] : most;
    return most;
}

size_t cjpeg_decoder_bytes(const CJPEGFrame *frame, int scale) {
    int across = largest(frame->across, frame->components), down = largest(frame->down, frame->components);
    // The units of all components, including those that fill up rows and the picture.
    size_t columns = divided_up((size_t) frame->width, (size_t) (across * BLOCK_SIDE));
    size_t rows = divided_up((size_t) frame->height, (size_t) (down * BLOCK_SIDE));
    size_t row_bytes = columns * (size_t) (across * scale * frame->components);
    // A row of units, the rows above and below for interpolating colour, and the resulting rows.
    size_t bytes = FIXED_BYTES + row_bytes * (size_t) (down * (scale + 3));
    if (!frame->has_several_scans) return bytes;
    for (int i = 0; i < frame->components; i++)
        bytes += columns * rows * (size_t) (frame->across[i] * frame->down[i]) * COEFFICIENT_BYTES;
    return bytes;
}

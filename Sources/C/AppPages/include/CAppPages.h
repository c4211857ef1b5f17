// The files of the web app, which the compiler embeds in the binary.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A file in the binary.
struct capp_page {
    /// Its path below /app/; empty for the first page.
    const char *path;
    /// Its media type, for Content-Type.
    const char *media_type;
    const uint8_t *bytes;
    size_t count;
};

/// The number of files.
size_t capp_page_count(void);

/// The file at `index`, which must be less than the number of files.
const struct capp_page *capp_page_at(size_t index);

/// Compresses `count` bytes with gzip (RFC 1952) to at most `most` bytes at `result`.
///
/// Returns the number of compressed bytes; 0 if they are more, or if memory runs out.
size_t capp_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t most);

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

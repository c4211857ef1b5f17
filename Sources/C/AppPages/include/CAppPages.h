// The files of the web app, which the compiler puts into the binary.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A file that is part of the binary.
struct capp_page {
    /// Its path below /app/; empty for the first page.
    const char *path;
    /// Its type, as Content-Type tells it.
    const char *media_type;
    const uint8_t *bytes;
    size_t count;
};

/// The number of files.
size_t capp_page_count(void);

/// The file at `index`, which is below the number of files.
const struct capp_page *capp_page_at(size_t index);

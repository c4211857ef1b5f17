// Loads libarchive when it is first needed, like libvips: see Sources/C/Pictures/Vips/VipsLibrary.h.
#pragma once

#include <stddef.h>

#include "ArchivePrototypes.h"

// Every function of ArchivePrototypes.h.
#define CARCHIVE_FUNCTIONS(FUNCTION) \
    FUNCTION(archive_write_new) \
    FUNCTION(archive_write_set_format_zip) \
    FUNCTION(archive_write_zip_set_compression_store) \
    FUNCTION(archive_write_set_bytes_per_block) \
    FUNCTION(archive_write_set_bytes_in_last_block) \
    FUNCTION(archive_write_open) \
    FUNCTION(archive_write_header) \
    FUNCTION(archive_write_data) \
    FUNCTION(archive_write_finish_entry) \
    FUNCTION(archive_write_close) \
    FUNCTION(archive_write_free) \
    FUNCTION(archive_error_string) \
    FUNCTION(archive_read_new) \
    FUNCTION(archive_read_support_filter_gzip) \
    FUNCTION(archive_read_support_filter_zstd) \
    FUNCTION(archive_read_support_format_raw) \
    FUNCTION(archive_read_open) \
    FUNCTION(archive_read_next_header) \
    FUNCTION(archive_read_data) \
    FUNCTION(archive_read_free) \
    FUNCTION(archive_entry_new) \
    FUNCTION(archive_entry_free) \
    FUNCTION(archive_entry_set_pathname_utf8) \
    FUNCTION(archive_entry_set_size) \
    FUNCTION(archive_entry_set_mtime) \
    FUNCTION(archive_entry_set_filetype) \
    FUNCTION(archive_entry_set_perm)

#define CARCHIVE_POINTER(name) __typeof__(name) *name;
struct CArchiveFunctions {
    CARCHIVE_FUNCTIONS(CARCHIVE_POINTER)
};
#undef CARCHIVE_POINTER

// The functions, set once carchive_load succeeds and constant after that.
extern struct CArchiveFunctions carchive __attribute__((visibility("hidden")));

// Loads the library `name`. Returns 0, or -1 with the reason in `error`, cut to `capacity` with its final
// NUL.
int carchive_load(const char *name, char *error, size_t capacity) __attribute__((visibility("hidden")));

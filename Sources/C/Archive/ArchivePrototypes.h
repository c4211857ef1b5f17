// The few functions of libarchive that Calotype calls, declared here so that building does not need
// <archive.h> and libarchive. script/check-prototypes compiles these lines together with the real headers, so
// a wrong declaration is an error.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct archive;
struct archive_entry;

// <archive.h>
typedef int archive_open_callback(struct archive *archive, void *context);
typedef ssize_t archive_write_callback(
    struct archive *archive, void *context, const void *bytes, size_t count);
typedef int archive_close_callback(struct archive *archive, void *context);

struct archive *archive_write_new(void);
int archive_write_set_format_zip(struct archive *archive);
int archive_write_zip_set_compression_store(struct archive *archive);
int archive_write_set_bytes_per_block(struct archive *archive, int count);
int archive_write_set_bytes_in_last_block(struct archive *archive, int count);
int archive_write_open(
    struct archive *archive, void *context, archive_open_callback *open, archive_write_callback *write,
    archive_close_callback *close);
int archive_write_header(struct archive *archive, struct archive_entry *entry);
ssize_t archive_write_data(struct archive *archive, const void *bytes, size_t count);
int archive_write_finish_entry(struct archive *archive);
int archive_write_close(struct archive *archive);
int archive_write_free(struct archive *archive);
const char *archive_error_string(struct archive *archive);

typedef ssize_t archive_read_callback(struct archive *archive, void *context, const void **bytes);

struct archive *archive_read_new(void);
int archive_read_support_filter_gzip(struct archive *archive);
int archive_read_support_filter_zstd(struct archive *archive);
int archive_read_support_format_raw(struct archive *archive);
int archive_read_open(
    struct archive *archive, void *context, archive_open_callback *open, archive_read_callback *read,
    archive_close_callback *close);
int archive_read_next_header(struct archive *archive, struct archive_entry **entry);
ssize_t archive_read_data(struct archive *archive, void *bytes, size_t count);
int archive_read_free(struct archive *archive);

// <archive_entry.h>
struct archive_entry *archive_entry_new(void);
void archive_entry_free(struct archive_entry *entry);
void archive_entry_set_pathname_utf8(struct archive_entry *entry, const char *name);
void archive_entry_set_size(struct archive_entry *entry, int64_t count);
void archive_entry_set_mtime(struct archive_entry *entry, time_t seconds, long nanoseconds);
void archive_entry_set_filetype(struct archive_entry *entry, unsigned int type);
void archive_entry_set_perm(struct archive_entry *entry, mode_t mode);

// The values of libarchive's constants that Calotype compares or passes.
enum {
    CARCHIVE_OK = 0,
    CARCHIVE_WARN = -20,
    CARCHIVE_REGULAR_FILE = 0100000,
};

#include "CArchive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ArchiveLibrary.h"

struct CArchiveZip {
    struct archive *archive;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
};

int carchive_start(const char *name, char *error, size_t capacity) {
    return carchive_load(name, error, capacity);
}

static int opened(struct archive *archive, void *context) {
    (void) archive;
    (void) context;
    return CARCHIVE_OK;
}

// Collects the bytes that libarchive writes.
static ssize_t gather(struct archive *archive, void *context, const void *bytes, size_t count) {
    (void) archive;
    CArchiveZip *zip = context;
    if (zip->count + count > zip->capacity) {
        size_t capacity = (zip->count + count) * 3 / 2;
        uint8_t *larger = realloc(zip->bytes, capacity);
        if (!larger) return -1;
        zip->bytes = larger;
        zip->capacity = capacity;
    }
    memcpy(zip->bytes + zip->count, bytes, count);
    zip->count += count;
    return (ssize_t) count;
}

CArchiveZip *carchive_zip_new(void) {
    CArchiveZip *zip = calloc(1, sizeof *zip);
    if (!zip) return NULL;
    zip->archive = carchive.archive_write_new();
    // Without blocks, libarchive writes each byte as soon as it knows it.
    if (zip->archive && carchive.archive_write_set_format_zip(zip->archive) == CARCHIVE_OK
        && carchive.archive_write_zip_set_compression_store(zip->archive) == CARCHIVE_OK
        && carchive.archive_write_set_bytes_per_block(zip->archive, 0) == CARCHIVE_OK
        && carchive.archive_write_set_bytes_in_last_block(zip->archive, 1) == CARCHIVE_OK
        && carchive.archive_write_open(zip->archive, zip, opened, gather, opened) == CARCHIVE_OK)
        return zip;
    carchive_zip_free(zip);
    return NULL;
}

void carchive_zip_free(CArchiveZip *zip) {
    if (zip->archive) carchive.archive_write_free(zip->archive);
    free(zip->bytes);
    free(zip);
}

int carchive_zip_begin(CArchiveZip *zip, const char *name, int64_t bytes, int64_t modified) {
    struct archive_entry *entry = carchive.archive_entry_new();
    if (!entry) return -1;
    carchive.archive_entry_set_pathname_utf8(entry, name);
    carchive.archive_entry_set_size(entry, bytes);
    carchive.archive_entry_set_mtime(entry, (time_t) modified, 0);
    carchive.archive_entry_set_filetype(entry, CARCHIVE_REGULAR_FILE);
    carchive.archive_entry_set_perm(entry, 0644);
    int status = carchive.archive_write_header(zip->archive, entry);
    carchive.archive_entry_free(entry);
    return status == CARCHIVE_OK ? 0 : -1;
}

int carchive_zip_add(CArchiveZip *zip, const void *bytes, size_t count) {
    return carchive.archive_write_data(zip->archive, bytes, count) == (ssize_t) count ? 0 : -1;
}

int carchive_zip_end(CArchiveZip *zip) {
    return carchive.archive_write_finish_entry(zip->archive) == CARCHIVE_OK ? 0 : -1;
}

int carchive_zip_finish(CArchiveZip *zip) {
    return carchive.archive_write_close(zip->archive) == CARCHIVE_OK ? 0 : -1;
}

const char *carchive_zip_error(CArchiveZip *zip) {
    const char *reason = carchive.archive_error_string(zip->archive);
    return reason ? reason : "the archive cannot be written";
}

const uint8_t *carchive_zip_waiting(const CArchiveZip *zip, size_t *count) {
    *count = zip->count;
    return zip->bytes;
}

void carchive_zip_taken(CArchiveZip *zip) { zip->count = 0; }

struct CArchiveInflation {
    struct archive *archive;
    int descriptor;
    int begun;
    void *prefix;
    size_t count;
    unsigned char bytes[65536];
};

static ssize_t next_bytes(struct archive *archive, void *context, const void **bytes) {
    (void) archive;
    CArchiveInflation *inflation = context;
    if (inflation->count) {
        size_t count = inflation->count;
        inflation->count = 0;
        *bytes = inflation->prefix;
        return (ssize_t) count;
    }
    ssize_t count;
    do count = read(inflation->descriptor, inflation->bytes, sizeof inflation->bytes);
    while (count < 0 && errno == EINTR);
    *bytes = inflation->bytes;
    return count;
}

CArchiveInflation *carchive_inflation_new(int descriptor, const void *prefix, size_t count) {
    CArchiveInflation *inflation = calloc(1, sizeof *inflation);
    if (!inflation) return NULL;
    inflation->descriptor = descriptor;
    inflation->count = count;
    inflation->prefix = malloc(count + 1);
    inflation->archive = carchive.archive_read_new();
    if (!inflation->prefix || !inflation->archive) {
        carchive_inflation_free(inflation);
        return NULL;
    }
    memcpy(inflation->prefix, prefix, count);
    return inflation;
}

void carchive_inflation_free(CArchiveInflation *inflation) {
    if (inflation->archive) carchive.archive_read_free(inflation->archive);
    free(inflation->prefix);
    free(inflation);
}

// Opening reads the beginning, so it happens with the first bytes.
static int begin_inflation(CArchiveInflation *inflation) {
    struct archive *archive = inflation->archive;
    struct archive_entry *entry;
    if (inflation->begun) return 0;
    inflation->begun = 1;
    // A warning says that libarchive would run a program instead of a library.
    if (carchive.archive_read_support_filter_gzip(archive) < CARCHIVE_WARN
        || carchive.archive_read_support_filter_zstd(archive) < CARCHIVE_WARN
        || carchive.archive_read_support_format_raw(archive) != CARCHIVE_OK
        || carchive.archive_read_open(archive, inflation, opened, next_bytes, opened) != CARCHIVE_OK
        || carchive.archive_read_next_header(archive, &entry) != CARCHIVE_OK)
        return -1;
    return 0;
}

ssize_t carchive_inflation_read(CArchiveInflation *inflation, void *bytes, size_t capacity) {
    if (begin_inflation(inflation) < 0) return -1;
    ssize_t count = carchive.archive_read_data(inflation->archive, bytes, capacity);
    return count < 0 ? -1 : count;
}

const char *carchive_inflation_error(CArchiveInflation *inflation) {
    const char *reason = carchive.archive_error_string(inflation->archive);
    return reason ? reason : "the compressed bytes cannot be read";
}

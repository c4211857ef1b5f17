// An interface to libarchive that writes zip files with uncompressed members, and reads what gzip or zstd has
// compressed.
//
// The bytes of a zip file collect in memory until the caller takes them, so the caller decides how many there
// are.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Loads the library `name`, such as libarchive.so.13. Call it once, before anything else. On failure it
// returns -1 and writes the reason to `error`, cut to `capacity` with its final NUL, and nothing else may be
// called.
int carchive_start(const char *name, char *error, size_t capacity);

typedef struct CArchiveZip CArchiveZip;

// Starts a file; NULL if memory runs out. The owner frees it, whether it was finished or not.
CArchiveZip *carchive_zip_new(void);
void carchive_zip_free(CArchiveZip *zip);

// All of these return 0, or -1 with the reason in carchive_zip_error. A member has exactly `bytes` bytes.
int carchive_zip_begin(CArchiveZip *zip, const char *name, int64_t bytes, int64_t modified);
int carchive_zip_add(CArchiveZip *zip, const void *bytes, size_t count);
int carchive_zip_end(CArchiveZip *zip);
int carchive_zip_finish(CArchiveZip *zip);

// The reason for the last failure, for people; valid until the next call.
const char *carchive_zip_error(CArchiveZip *zip);

// The bytes that the caller has not taken yet, valid until the next call; carchive_zip_taken releases them.
const uint8_t *carchive_zip_waiting(const CArchiveZip *zip, size_t *count);
void carchive_zip_taken(CArchiveZip *zip);

typedef struct CArchiveInflation CArchiveInflation;

// Starts to read what is compressed in `prefix`, which is copied, followed by the rest of the file of
// `descriptor`, which stays the caller's. NULL if memory runs out. The owner frees it.
CArchiveInflation *carchive_inflation_new(int descriptor, const void *prefix, size_t count);
void carchive_inflation_free(CArchiveInflation *inflation);

// Reads up to `capacity` bytes and returns their number, 0 at the end, or -1 with the reason in
// carchive_inflation_error. Blocks while the file has no bytes.
ssize_t carchive_inflation_read(CArchiveInflation *inflation, void *bytes, size_t capacity);

// The reason for the failure, for people; valid until the next call.
const char *carchive_inflation_error(CArchiveInflation *inflation);

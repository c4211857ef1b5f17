// CRC32C (Castagnoli), RFC 3720 appendix B.4. In C because Swift cannot use the processors' instructions for
// it, and because a loop over bytes must be fast in a debug build of Swift too.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has the instructions that calotype_crc32c_native needs.
bool calotype_crc32c_has_native(void);

/// Continues a checksum with the processor's instructions; only if calotype_crc32c_has_native returns true.
/// The first call takes 0 for `checksum`, each later one the result of the one before.
uint32_t calotype_crc32c_native(uint32_t checksum, const uint8_t *bytes, size_t count);

/// Continues a checksum with tables, on any processor.
uint32_t calotype_crc32c_portable(uint32_t checksum, const uint8_t *bytes, size_t count);

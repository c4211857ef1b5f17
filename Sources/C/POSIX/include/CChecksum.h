// CRC32C (Castagnoli), RFC 3720 appendix B.4. In C because Swift cannot use the processor's instructions for
// it, and because a loop over bytes must also be fast in a debug build.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has the instructions that calotype_crc32c_native needs.
bool calotype_crc32c_has_native(void);

/// Continues a checksum with the processor's instructions; call it only if calotype_crc32c_has_native returns
/// true. `checksum` is 0 in the first call, and the previous result in each later one.
uint32_t calotype_crc32c_native(uint32_t checksum, const uint8_t *bytes, size_t count);

/// Continues a checksum with tables, on any processor.
uint32_t calotype_crc32c_portable(uint32_t checksum, const uint8_t *bytes, size_t count);

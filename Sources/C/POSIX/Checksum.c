#define _GNU_SOURCE
#include "CChecksum.h"
#include <pthread.h>
#include <string.h>

static uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>

bool calotype_crc32c_has_native(void) {
    unsigned int eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_SSE4_2);
}

__attribute__((target("sse4.2")))
uint32_t calotype_crc32c_native(uint32_t checksum, const uint8_t *bytes, size_t count) {
    uint64_t state = ~checksum;
    for (; count >= 8; bytes += 8, count -= 8) state = _mm_crc32_u64(state, word_at(bytes));
    for (; count > 0; bytes++, count--) state = _mm_crc32_u8((uint32_t)state, *bytes);
    return ~(uint32_t)state;
}

#elif defined(__aarch64__)
#include <arm_acle.h>

#if defined(__APPLE__)
// All of Apple's processors with 64 bits that run macOS have it.
bool calotype_crc32c_has_native(void) { return true; }
#else
#include <sys/auxv.h>

bool calotype_crc32c_has_native(void) { return (getauxval(AT_HWCAP) & (1 << 7)) != 0; }  // HWCAP_CRC32
#endif

__attribute__((target("crc")))
uint32_t calotype_crc32c_native(uint32_t checksum, const uint8_t *bytes, size_t count) {
    uint32_t state = ~checksum;
    for (; count >= 8; bytes += 8, count -= 8) state = __crc32cd(state, word_at(bytes));
    for (; count > 0; bytes++, count--) state = __crc32cb(state, *bytes);
    return ~state;
}

#else

bool calotype_crc32c_has_native(void) { return false; }

uint32_t calotype_crc32c_native(uint32_t checksum, const uint8_t *bytes, size_t count) {
    return calotype_crc32c_portable(checksum, bytes, count);
}

#endif

// Slicing by 8: tables[n][b] is the effect of byte b when n more bytes follow it in the same word.
static uint32_t tables[8][256];
static pthread_once_t tables_made = PTHREAD_ONCE_INIT;

static void make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t state = byte;
        for (int bit = 0; bit < 8; bit++) state = state & 1 ? state >> 1 ^ 0x82f63b78u : state >> 1;
        tables[0][byte] = state;
    }
    for (int slice = 1; slice < 8; slice++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t shorter = tables[slice - 1][byte];
            tables[slice][byte] = shorter >> 8 ^ tables[0][shorter & 255];
        }
}

uint32_t calotype_crc32c_portable(uint32_t checksum, const uint8_t *bytes, size_t count) {
    pthread_once(&tables_made, make_tables);
    uint32_t state = ~checksum;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint32_t next = 0;
        for (int place = 0; place < 8; place++) {
            uint8_t byte = bytes[place];
            if (place < 4) byte ^= state >> 8 * place & 255;
            next ^= tables[7 - place][byte];
        }
        state = next;
    }
    for (; count > 0; bytes++, count--) state = state >> 8 ^ tables[0][(state ^ *bytes) & 255];
    return ~state;
}

#include "CMemory.h"

#if defined(__linux__)
#include <features.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

void calotype_return_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

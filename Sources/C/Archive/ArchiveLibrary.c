#include "ArchiveLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

struct CArchiveFunctions carchive;

#ifdef CALOTYPE_ARCHIVES
// Reports the last error of dlopen or dlsym.
static int refused(char *error, size_t capacity) {
    const char *reason = dlerror();
    snprintf(error, capacity, "%s", reason ? reason : "libarchive cannot be loaded");
    return -1;
}

int carchive_load(const char *name, char *error, size_t capacity) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return refused(error, capacity);
#define FIND(name) \
    carchive.name = (__typeof__(carchive.name)) dlsym(library, #name); \
    if (!carchive.name) return refused(error, capacity);
    CARCHIVE_FUNCTIONS(FIND)
#undef FIND
    return 0;
}
#else
int carchive_load(const char *name, char *error, size_t capacity) {
    snprintf(error, capacity, "this build does not use libarchive: its package trait Archives is off");
    return -1;
}
#endif

#include "ChafaLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

struct CChafaFunctions cchafa;

#ifdef CALOTYPE_TERMINALPICTURES
// Reports the last error of dlopen or dlsym.
static int refused(char *error, size_t capacity) {
    const char *reason = dlerror();
    snprintf(error, capacity, "%s", reason ? reason : "libchafa cannot be loaded");
    return -1;
}

int cchafa_load(char *error, size_t capacity) {
#if defined(__APPLE__)
    const char *name = "libchafa.0.dylib";
#else
    const char *name = "libchafa.so.0";
#endif
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return refused(error, capacity);
    // The handle also finds the functions of the GLib that libchafa itself uses. An old libchafa may lack
    // some functions.
#define FIND(name) \
    cchafa.name = (__typeof__(cchafa.name)) dlsym(library, #name); \
    if (!cchafa.name) return refused(error, capacity);
    CCHAFA_FUNCTIONS(FIND)
#undef FIND
    return 0;
}
#else
int cchafa_load(char *error, size_t capacity) {
    snprintf(error, capacity, "this build does not use libchafa: its package trait TerminalPictures is off");
    return -1;
}
#endif

#include "VipsLibrary.h"

#include <dlfcn.h>
#include <stdio.h>

enum { OLDEST_MAJOR = 8, OLDEST_MINOR = 14 };

struct CVipsFunctions cvips;
int cvips_compiles;

#ifdef CALOTYPE_LIBVIPS
// Returns the error of dlopen or dlsym.
static int refused(char *error, size_t capacity) {
    const char *reason = dlerror();
    snprintf(error, capacity, "%s", reason ? reason : "libvips cannot be loaded");
    return -1;
}

int cvips_load(char *error, size_t capacity) {
#if defined(__APPLE__)
    const char *name = "libvips.42.dylib";
#else
    const char *name = "libvips.so.42";
#endif
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return refused(error, capacity);
    // The handle also finds the functions of dependencies, so these are the GLib and GObject that libvips
    // itself uses.
#define FIND(name) \
    cvips.name = (__typeof__(cvips.name)) dlsym(library, #name); \
    if (!cvips.name) return refused(error, capacity);
    CVIPS_FUNCTIONS(FIND)
#undef FIND
    cvips_compiles = dlsym(library, "orc_version_string") != NULL;
    int major = cvips.vips_version(0), minor = cvips.vips_version(1);
    if (major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR)) return 0;
    snprintf(error, capacity, "the installed libvips is %d.%d", major, minor);
    return -1;
}
#else
int cvips_load(char *error, size_t capacity) {
    snprintf(error, capacity, "this build does not use libvips: its package trait Libvips is off");
    return -1;
}
#endif

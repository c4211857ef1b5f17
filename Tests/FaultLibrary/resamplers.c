// Preloaded: ends the process when two threads make or free a resampler of libvips at once.
//
// liborc before 0.4.34 has no lock around the memory for the code that it makes. What goes wrong then goes wrong once in
// thousands of pictures; this library makes each call longer and looks whether another one begins meanwhile.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int inside;
static atomic_long calls;

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

static void enter(void) {
    atomic_fetch_add(&calls, 1);
    if (atomic_fetch_add(&inside, 1)) {
        say("two threads make or free resamplers at once\n");
        abort();
    }
    usleep(1000);
}

static void leave(void) { atomic_fetch_sub(&inside, 1); }

// libvips has its libraries to itself, so that "the next one" does not find them.
static void *real(const char *name) {
    void *library = dlopen("liborc-0.4.so.0", RTLD_LAZY | RTLD_NOLOAD);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) abort();
    return function;
}

int orc_program_compile(void *program) {
    enter();
    int result = ((int (*)(void *)) real("orc_program_compile"))(program);
    leave();
    return result;
}

void orc_program_free(void *program) {
    enter();
    ((void (*)(void *)) real("orc_program_free"))(program);
    leave();
}

__attribute__((destructor)) static void tell(void) {
    char line[64];
    snprintf(line, sizeof line, "resamplers: %ld calls\n", atomic_load(&calls));
    if (atomic_load(&calls)) say(line);
}

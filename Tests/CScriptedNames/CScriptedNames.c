#define _GNU_SOURCE
#include "CScriptedNames.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char name[128];
    char answers[256];
    int calls;
    bool released;
} script;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static script scripts[64];
static int script_count;

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static lookup real_lookup(void) {
    return (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
}

static script *find(const char *name) {
    for (int i = 0; name && i < script_count; i++) {
        if (strcmp(scripts[i].name, name) == 0) return &scripts[i];
    }
    return NULL;
}

void scripted_names_set(const char *name, const char *answers) {
    pthread_mutex_lock(&lock);
    script *entry = find(name);
    if (!entry && script_count < 64) entry = &scripts[script_count++];
    if (entry) {
        memset(entry, 0, sizeof *entry);
        snprintf(entry->name, sizeof entry->name, "%s", name);
        snprintf(entry->answers, sizeof entry->answers, "%s", answers);
    }
    pthread_mutex_unlock(&lock);
}

void scripted_names_release(const char *name) {
    pthread_mutex_lock(&lock);
    script *entry = find(name);
    if (entry) entry->released = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int scripted_names_calls(const char *name) {
    pthread_mutex_lock(&lock);
    script *entry = find(name);
    int calls = entry ? entry->calls : 0;
    pthread_mutex_unlock(&lock);
    return calls;
}

// Copies the answer for this call; false for a name without a script.
static bool next_answer(const char *name, char answer[256]) {
    script *entry = find(name);
    if (!entry) return false;
    char copy[256], *rest = copy, *part = NULL, *last = "fail";
    snprintf(copy, sizeof copy, "%s", entry->answers);
    for (int i = 0; i <= entry->calls && (part = strsep(&rest, ";")); i++) last = part;
    entry->calls++;
    snprintf(answer, 256, "%s", last);
    while (strcmp(answer, "hang") == 0 && !entry->released) pthread_cond_wait(&changed, &lock);
    return true;
}

// The addresses as one list, made by the C library so that its freeaddrinfo fits.
static int parse(char *answer, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    struct addrinfo numeric = hints ? *hints : (struct addrinfo){0};
    numeric.ai_flags = AI_NUMERICHOST;
    struct addrinfo **end = result;
    char *address;
    *result = NULL;
    while ((address = strsep(&answer, ","))) {
        if (real_lookup()(address, service, &numeric, end) != 0) break;
        while (*end) end = &(*end)->ai_next;
    }
    return *result ? 0 : EAI_NONAME;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    char answer[256];
    pthread_mutex_lock(&lock);
    bool is_scripted = next_answer(name, answer);
    pthread_mutex_unlock(&lock);
    return is_scripted ? parse(answer, service, hints, result) : real_lookup()(name, service, hints, result);
}

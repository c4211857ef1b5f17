#define _DEFAULT_SOURCE
#include "Ledger.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef struct {
    int number;
    uint64_t serial;
} ledger_entry;

struct calotype_ledger {
    // Any thread may read this field; the other fields belong to the loop's thread.
    atomic_long open_sockets;
    ledger_entry *entries;
    size_t count, capacity;
    uint64_t last_serial;
};

calotype_ledger *calotype_ledger_create(void) {
    return calloc(1, sizeof(calotype_ledger));
}

void calotype_ledger_destroy(calotype_ledger *ledger) {
    if (ledger) free(ledger->entries);
    free(ledger);
}

long calotype_ledger_open_sockets(const calotype_ledger *ledger) {
    return atomic_load(&ledger->open_sockets);
}

static bool make_room(calotype_ledger *ledger) {
    if (ledger->count < ledger->capacity) return true;
    size_t capacity = ledger->capacity ? 2 * ledger->capacity : 16;
    ledger_entry *entries = reallocarray(ledger->entries, capacity, sizeof(ledger_entry));
    if (!entries) return false;
    ledger->entries = entries;
    ledger->capacity = capacity;
    return true;
}

bool ledger_enter(calotype_ledger *ledger, int number) {
    if (!make_room(ledger)) return false;
    ledger->entries[ledger->count++] = (ledger_entry){number, ++ledger->last_serial};
    atomic_fetch_add(&ledger->open_sockets, 1);
    return true;
}

void ledger_strike_out(calotype_ledger *ledger, int number) {
    for (size_t place = 0; place < ledger->count; place++) {
        if (ledger->entries[place].number != number) continue;
        ledger->entries[place] = ledger->entries[--ledger->count];
        atomic_fetch_sub(&ledger->open_sockets, 1);
        return;
    }
}

static bool is_at(const struct sockaddr_storage *end, const char *address, int port) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)end;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)end;
    bool is_v6 = end->ss_family == AF_INET6;
    if (!is_v6 && end->ss_family != AF_INET) return false;
    if (ntohs(is_v6 ? v6->sin6_port : v4->sin_port) != port) return false;
    const void *bytes = is_v6 ? (const void *)&v6->sin6_addr : (const void *)&v4->sin_addr;
    char text[INET6_ADDRSTRLEN];
    return inet_ntop(end->ss_family, bytes, text, sizeof(text)) && strcmp(text, address) == 0;
}

static bool connects(int number, const socket_ends *ends) {
    struct sockaddr_storage end;
    socklen_t size = sizeof(end);
    if (getsockname(number, (struct sockaddr *)&end, &size) || !is_at(&end, ends->local, ends->local_port)) return false;
    size = sizeof(end);
    return getpeername(number, (struct sockaddr *)&end, &size) == 0 && is_at(&end, ends->remote, ends->remote_port);
}

uint64_t ledger_serial(const calotype_ledger *ledger, const socket_ends *ends) {
    for (size_t place = 0; place < ledger->count; place++) {
        if (connects(ledger->entries[place].number, ends)) return ledger->entries[place].serial;
    }
    return 0;
}

int ledger_number(const calotype_ledger *ledger, uint64_t serial) {
    for (size_t place = 0; place < ledger->count; place++) {
        if (ledger->entries[place].serial == serial) return ledger->entries[place].number;
    }
    return -1;
}

// The sockets of one loop. Only the loop's thread uses them, except for calotype_ledger_open_sockets.
#pragma once
#include "CCurl.h"

#include <netinet/in.h>

// The two ends of a connection, with addresses in the format of inet_ntop.
typedef struct {
    char local[INET6_ADDRSTRLEN], remote[INET6_ADDRSTRLEN];
    int local_port, remote_port;
} socket_ends;

// Adds an open socket; false if memory runs out.
bool ledger_enter(calotype_ledger *ledger, int number);
// Removes a socket that is about to be closed.
void ledger_strike_out(calotype_ledger *ledger, int number);
// The serial of the open socket between two ends; 0 if there is none. Serials are unique, but the system
// reuses the numbers of closed sockets.
uint64_t ledger_serial(const calotype_ledger *ledger, const socket_ends *ends);
// The number of the socket with this serial; -1 if it was closed.
int ledger_number(const calotype_ledger *ledger, uint64_t serial);

// The sockets of one loop; all of it is for the loop's thread, except calotype_ledger_open_sockets.
#pragma once
#include "CCurl.h"

#include <netinet/in.h>

// The two ends of a connection, addresses as inet_ntop writes them.
typedef struct {
    char local[INET6_ADDRSTRLEN], remote[INET6_ADDRSTRLEN];
    int local_port, remote_port;
} socket_ends;

// Takes in a socket that has been opened; false without memory.
bool ledger_enter(calotype_ledger *ledger, int number);
// Takes out a socket that is about to be closed.
void ledger_strike_out(calotype_ledger *ledger, int number);
// The serial of the open socket between two ends, 0 where there is none. Each socket has its own, while the system gives the
// numbers of closed sockets to new ones.
uint64_t ledger_serial(const calotype_ledger *ledger, const socket_ends *ends);
// The number of the socket with this serial, -1 where it has been closed.
int ledger_number(const calotype_ledger *ledger, uint64_t serial);

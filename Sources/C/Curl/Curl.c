#define _GNU_SOURCE
#include <pthread.h>
#include "CCurl.h"
#include "Ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// A placeholder for a ledger's serial.
static const uint64_t not_looked_up = UINT64_MAX;

struct calotype_easy {
    CURL *curl;
    calotype_hooks hooks;
    calotype_ledger *ledger;
    // The two ends of the connection that carries the request, and its socket's serial in the ledger.
    socket_ends ends;
    uint64_t socket;
    // The errno of a socket that the system refused; libcurl does not keep it.
    int no_socket;
    char error[CURL_ERROR_SIZE];
};

static bool is_admitted(calotype_easy *easy, const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        return easy->hooks.admit(easy->hooks.owner, (const uint8_t *)&v4->sin_addr, 4);
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        return easy->hooks.admit(easy->hooks.owner, (const uint8_t *)&v6->sin6_addr, 16);
    }
    return false;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    calotype_easy *easy = context;
    if (!is_admitted(easy, &address->addr)) return CURL_SOCKET_BAD;
#if defined(SOCK_CLOEXEC)
    int socket_number = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int socket_number = socket(address->family, address->socktype, address->protocol), yes = 1;
    fcntl(socket_number, F_SETFD, FD_CLOEXEC);
    setsockopt(socket_number, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
    if (socket_number < 0) {
        easy->no_socket = errno;
        return CURL_SOCKET_BAD;
    }
    if (easy->hooks.is_reserved(socket_number)) {
        close(socket_number);
        easy->no_socket = EMFILE;
        return CURL_SOCKET_BAD;
    }
    // Beyond this limit, unsent data stays in the program and not in the system. The count of sent bytes then
    // describes what is really in transit, and the wait for a response does not start while megabytes of the
    // request are still here.
    int unsent = 256 << 10;
    setsockopt(socket_number, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof(unsent));
    if (ledger_enter(easy->ledger, socket_number)) return socket_number;
    easy->no_socket = ENOMEM;
    close(socket_number);
    return CURL_SOCKET_BAD;
}

// Connections outlive the easy handle that opened them, so this callback receives the ledger.
static int close_socket(void *context, curl_socket_t socket_number) {
    ledger_strike_out(context, socket_number);
    return close(socket_number);
}

static int will_send(void *context, char *remote, char *local, int remote_port, int local_port) {
    calotype_easy *easy = context;
    snprintf(easy->ends.local, sizeof(easy->ends.local), "%s", local);
    snprintf(easy->ends.remote, sizeof(easy->ends.remote), "%s", remote);
    easy->ends.local_port = local_port;
    easy->ends.remote_port = remote_port;
    easy->socket = not_looked_up;
    return easy->hooks.connected(easy->hooks.owner) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static int tell_progress(void *context, curl_off_t to_get, curl_off_t got, curl_off_t to_send, curl_off_t sent) {
    (void)to_get, (void)got, (void)to_send;
    calotype_easy *easy = context;
    easy->hooks.sent(easy->hooks.owner, sent);
    return 0;
}

static void set_constants(calotype_easy *easy) {
    CURL *curl = easy->curl;
    curl_easy_setopt(curl, CURLOPT_PRIVATE, easy->hooks.owner);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, easy->error);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, easy->hooks.write);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, easy->hooks.owner);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, easy->hooks.header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, easy->hooks.owner);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, easy->hooks.read);
    curl_easy_setopt(curl, CURLOPT_READDATA, easy->hooks.owner);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, tell_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, easy);
    curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, will_send);
    curl_easy_setopt(curl, CURLOPT_PREREQDATA, easy);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, easy);
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(curl, CURLOPT_CLOSESOCKETDATA, easy->ledger);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 1L);
    curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 65536L);
    curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    // libcurl never resolves names here; should that change, removing a handle must still not wait for its
    // thread.
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#endif
    // The empty strings disable http_proxy, no_proxy and similar variables.
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "");
}

calotype_easy *calotype_easy_create(const calotype_hooks *hooks, calotype_ledger *ledger) {
    calotype_easy *easy = calloc(1, sizeof(calotype_easy));
    if (!easy) return NULL;
    easy->curl = curl_easy_init();
    if (!easy->curl) {
        free(easy);
        return NULL;
    }
    easy->hooks = *hooks;
    easy->ledger = ledger;
    set_constants(easy);
    return easy;
}

void calotype_easy_destroy(calotype_easy *easy) {
    curl_easy_cleanup(easy->curl);
    free(easy);
}

CURLcode calotype_easy_set_long(calotype_easy *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy->curl, option, value);
}

CURLcode calotype_easy_set_offset(calotype_easy *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy->curl, option, (curl_off_t)value);
}

CURLcode calotype_easy_set_string(calotype_easy *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy->curl, option, value);
}

CURLcode calotype_easy_set_list(calotype_easy *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy->curl, option, list);
}

long calotype_easy_long(calotype_easy *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy->curl, info, &value);
    return value;
}

int64_t calotype_easy_offset(calotype_easy *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy->curl, info, &value);
    return value;
}

int calotype_easy_no_socket(const calotype_easy *easy) {
    return easy->no_socket;
}

const char *calotype_easy_error(const calotype_easy *easy) {
    return easy->error;
}

CURLcode calotype_easy_resume(calotype_easy *easy, bool receiving_paused, bool sending_paused) {
    int paused = (receiving_paused ? CURLPAUSE_RECV : 0) | (sending_paused ? CURLPAUSE_SEND : 0);
    return curl_easy_pause(easy->curl, paused);
}

bool calotype_easy_peer_has_ended(calotype_easy *easy) {
    // libcurl 7.88 reports the two ends of a connection, but not its socket: CURLINFO_ACTIVESOCKET is set
    // only after a transfer.
    if (easy->socket == not_looked_up) easy->socket = ledger_serial(easy->ledger, &easy->ends);
    int number = ledger_number(easy->ledger, easy->socket);
    if (number < 0) return false;
    struct pollfd peer = {number, POLLRDHUP, 0};
    if (poll(&peer, 1, 0) <= 0 || !(peer.revents & POLLRDHUP)) return false;
    int unread = 0;
    return ioctl(number, FIONREAD, &unread) == 0 && unread == 0;
}

CURLMcode calotype_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURLMcode calotype_multi_add(CURLM *multi, calotype_easy *easy) {
    easy->error[0] = 0;
    easy->socket = 0;
    easy->no_socket = 0;
    return curl_multi_add_handle(multi, easy->curl);
}

CURLMcode calotype_multi_remove(CURLM *multi, calotype_easy *easy) {
    return curl_multi_remove_handle(multi, easy->curl);
}

void *calotype_multi_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        void *owner = NULL;
        *result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
        return owner;
    }
    return NULL;
}

#ifdef CURLU_PUNYCODE
/* The locale lives as long as the process. Creating it maps a file, which may fail if descriptors run out;
 * the next call then tries again. */
static locale_t get_utf8_locale(void) {
    static locale_t utf8_locale;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!utf8_locale) utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t made = utf8_locale;
    pthread_mutex_unlock(&lock);
    return made;
}

CURLUcode calotype_url_ascii_host(CURLU *url, char **host) {
    locale_t utf8_locale = get_utf8_locale();
    locale_t before = utf8_locale ? uselocale(utf8_locale) : (locale_t)0;
    CURLUcode result = curl_url_get(url, CURLUPART_HOST, host, CURLU_PUNYCODE);
    if (utf8_locale) uselocale(before);
    return result;
}
#else
// libcurl before 7.88 does not convert a host, so one that is not ASCII is refused.
CURLUcode calotype_url_ascii_host(CURLU *url, char **host) {
    CURLUcode result = curl_url_get(url, CURLUPART_HOST, host, 0);
    if (result) return result;
    for (const char *letter = *host; *letter; letter++) {
        if ((signed char) *letter > 0) continue;
        curl_free(*host);
        *host = NULL;
        return CURLUE_BAD_HOSTNAME;
    }
    return CURLUE_OK;
}
#endif

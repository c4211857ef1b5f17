// Functions that Swift cannot call (variadic functions, union members) or that are shorter and safer in C.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The open sockets of one loop. It must outlive the multi handle, because closing connections updates it.
typedef struct calotype_ledger calotype_ledger;
calotype_ledger *calotype_ledger_create(void);
void calotype_ledger_destroy(calotype_ledger *ledger);
long calotype_ledger_open_sockets(const calotype_ledger *ledger);

// The callbacks of one easy handle; each receives `owner`.
typedef struct {
    void *owner;
    size_t (*write)(char *bytes, size_t size, size_t count, void *owner);
    size_t (*header)(char *bytes, size_t size, size_t count, void *owner);
    // Fills `space` with the request's body; called only if it has one.
    size_t (*read)(char *space, size_t size, size_t count, void *owner);
    // Receives the number of bytes of the request's body passed to the network so far, in each turn of the
    // transfer; called only if the request has a body.
    void (*sent)(void *owner, int64_t count);
    // Called when the connection is established, just before the request is sent; returns whether sending is
    // allowed.
    bool (*connected)(void *owner);
    // Whether a socket to this address (4 or 16 bytes, network order) may be opened.
    bool (*admit)(void *owner, const uint8_t *address, size_t length);
    // Whether a descriptor of this number must be closed again, because the last ones are for others.
    bool (*is_reserved)(int number);
} calotype_hooks;

typedef struct calotype_easy calotype_easy;
// Creates an easy handle with every option that is the same for all requests; NULL if memory runs out.
calotype_easy *calotype_easy_create(const calotype_hooks *hooks, calotype_ledger *ledger);
// The handle must have left its multi handle.
void calotype_easy_destroy(calotype_easy *easy);
CURLcode calotype_easy_set_long(calotype_easy *easy, CURLoption option, long value);
CURLcode calotype_easy_set_offset(calotype_easy *easy, CURLoption option, int64_t value);
// libcurl copies the text; NULL unsets the option.
CURLcode calotype_easy_set_string(calotype_easy *easy, CURLoption option, const char *value);
// The list must outlive the transfer.
CURLcode calotype_easy_set_list(calotype_easy *easy, CURLoption option, struct curl_slist *list);
long calotype_easy_long(calotype_easy *easy, CURLINFO info);
int64_t calotype_easy_offset(calotype_easy *easy, CURLINFO info);
// libcurl's message for the last failure; empty if there is none.
const char *calotype_easy_error(const calotype_easy *easy);
// The errno of the last socket that the system refused for the transfer; 0 if it refused none.
int calotype_easy_no_socket(const calotype_easy *easy);
// Resumes the transfer, except in the directions given as paused.
CURLcode calotype_easy_resume(calotype_easy *easy, bool receiving_paused, bool sending_paused);
// Whether the peer has closed its side of the request's connection, and everything it sent has been read.
bool calotype_easy_peer_has_ended(calotype_easy *easy);

CURLMcode calotype_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode calotype_multi_add(CURLM *multi, calotype_easy *easy);
CURLMcode calotype_multi_remove(CURLM *multi, calotype_easy *easy);
// The owner of the next finished transfer and its result; NULL if there is none.
void *calotype_multi_next_finished(CURLM *multi, CURLcode *result);

// The host as ASCII in any locale; libcurl itself converts from the locale's character set.
CURLUcode calotype_url_ascii_host(CURLU *url, char **host);

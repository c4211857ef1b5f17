// Stands in front of the C library's getaddrinfo: the program's own definition is found first, by libcurl as well.
// Names that were scripted are answered from the script, all others by the C library.
#pragma once

// Scripts `name`. Each answer is a comma-separated list of addresses, `fail`, or `hang` (until the release, then failure);
// answers are separated by semicolons and used in turn, the last one for ever. At most 64 names.
void scripted_names_set(const char *name, const char *answers);
// Ends the hanging lookups of `name`, now and from now on.
void scripted_names_release(const char *name);
// How many times `name` was asked for, through whomever.
int scripted_names_calls(const char *name);

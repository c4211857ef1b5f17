// What Glibc's Swift module omits of <malloc.h>.
#pragma once

/// Returns memory that was freed to the system, which malloc keeps otherwise; does nothing where the C library
/// cannot. Takes milliseconds for each gigabyte.
void calotype_return_memory(void);

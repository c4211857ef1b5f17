// What Swift cannot call of libwebp by itself.
#pragma once

#include <stddef.h>
#include <stdint.h>

// What Swift cannot call of libpng and libdeflate by itself.
#pragma once

#include <stddef.h>
#include <stdint.h>

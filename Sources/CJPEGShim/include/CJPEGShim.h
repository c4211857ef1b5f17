// What Swift cannot call of libjpeg-turbo by itself.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Scales rows of samples.
#pragma once

#include <stddef.h>
#include <stdint.h>

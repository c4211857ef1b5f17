#define KERNELS cscaler_baseline_kernels
#include "Kernels.h"

#include "CWebPShim.h"

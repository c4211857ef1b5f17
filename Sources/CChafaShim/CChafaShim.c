#include "CChafaShim.h"

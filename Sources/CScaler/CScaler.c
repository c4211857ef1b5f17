#include "CScaler.h"

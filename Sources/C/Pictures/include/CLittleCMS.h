// Little CMS, which Swift calls directly.
#pragma once
#include <lcms2.h>

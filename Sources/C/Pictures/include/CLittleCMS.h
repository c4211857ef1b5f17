// Little CMS, which Swift calls as it is.
#pragma once
#include <lcms2.h>

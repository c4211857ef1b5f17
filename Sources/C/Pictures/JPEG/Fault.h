// How errors of libjpeg get back to the function that was called.
#pragma once

#include <setjmp.h>

#include "CJPEG.h"
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

typedef struct {
    // First, since libjpeg gives a pointer to it back.
    struct jpeg_error_mgr manager;
    jmp_buf place;
    CJPEGStatus status;
    char text[JMSG_LENGTH_MAX];
} CJPEGFault;

// Makes `fault` what libjpeg calls for errors and warnings; `place` has to be set wherever libjpeg is called.
struct jpeg_error_mgr *cjpeg_fault_manager(CJPEGFault *fault);

// Leaves to `place` with `status` and libjpeg's text for `code`.
_Noreturn void cjpeg_fail(j_common_ptr info, CJPEGStatus status, int code);

// Leaves to `place` with `status` and `text`.
_Noreturn void cjpeg_fail_saying(j_common_ptr info, CJPEGStatus status, const char *text);

// The way in which errors of libjpeg reach the calling function.
#pragma once

#include <setjmp.h>

#include "CJPEG.h"
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>

typedef struct {
    // The first field, because libjpeg returns a pointer to it.
    struct jpeg_error_mgr manager;
    jmp_buf place;
    CJPEGStatus status;
    char text[JMSG_LENGTH_MAX];
} CJPEGFault;

// Makes `fault` libjpeg's handler of errors and warnings; set `place` wherever libjpeg is called.
struct jpeg_error_mgr *cjpeg_fault_manager(CJPEGFault *fault);

// Jumps to `place` with `status` and libjpeg's text for `code`.
_Noreturn void cjpeg_fail(j_common_ptr info, CJPEGStatus status, int code);

// Jumps to `place` with `status` and `text`.
_Noreturn void cjpeg_fail_saying(j_common_ptr info, CJPEGStatus status, const char *text);

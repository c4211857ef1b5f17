#include "Fault.h"

static CJPEGFault *fault_of(j_common_ptr info) { return (CJPEGFault *) info->err; }

static _Noreturn void leave(j_common_ptr info) {
    CJPEGStatus status = info->err->msg_code == JERR_OUT_OF_MEMORY ? CJPEG_NO_MEMORY : CJPEG_CORRUPT;
    info->err->format_message(info, fault_of(info)->text);
    fault_of(info)->status = status;
    longjmp(fault_of(info)->place, 1);
}

static void emit_nothing(j_common_ptr info, int level) { (void) info, (void) level; }
static void output_nothing(j_common_ptr info) { (void) info; }

struct jpeg_error_mgr *cjpeg_fault_manager(CJPEGFault *fault) {
    jpeg_std_error(&fault->manager);
    fault->manager.error_exit = leave;
    fault->manager.emit_message = emit_nothing;
    fault->manager.output_message = output_nothing;
    return &fault->manager;
}

void cjpeg_fail(j_common_ptr info, CJPEGStatus status, int code) {
    char text[JMSG_LENGTH_MAX];
    info->err->msg_code = code;
    info->err->format_message(info, text);
    cjpeg_fail_saying(info, status, text);
}

void cjpeg_fail_saying(j_common_ptr info, CJPEGStatus status, const char *text) {
    snprintf(fault_of(info)->text, sizeof fault_of(info)->text, "%s", text);
    fault_of(info)->status = status;
    longjmp(fault_of(info)->place, 1);
}

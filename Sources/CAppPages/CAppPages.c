#include "CAppPages.h"

// The compiler takes #embed, which is C23's, in every mode, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define SVG "image/svg+xml"

static const uint8_t index_html[] = {
#embed "pages/index.html"
};

static const struct capp_page pages[] = {
    {"", HTML, index_html, sizeof index_html},
};

size_t capp_page_count(void) {
    return sizeof pages / sizeof *pages;
}

const struct capp_page *capp_page_at(size_t index) {
    return &pages[index];
}

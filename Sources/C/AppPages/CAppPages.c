#include "CAppPages.h"

#include <libdeflate.h>

// The compiler accepts C23's #embed in every mode, but warns about it.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define HTML "text/html; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define DESCRIPTION "application/json"
#define SVG "image/svg+xml"
#define SWIFT "text/plain; charset=utf-8"
#define PAGE(path, type, bytes) {path, type, bytes, sizeof bytes}

static const uint8_t index_html[] = {
#embed "pages/index.html"
};
static const uint8_t not_found_html[] = {
#embed "pages/404.html"
};
static const uint8_t app_html[] = {
#embed "pages/app.html"
};
static const uint8_t dock_html[] = {
#embed "pages/dock.html"
};
static const uint8_t lab_html[] = {
#embed "pages/lab.html"
};
static const uint8_t navigation_html[] = {
#embed "pages/navigation.html"
};
static const uint8_t publish_html[] = {
#embed "pages/publish.html"
};
static const uint8_t robots_html[] = {
#embed "pages/robots.html"
};
static const uint8_t search_html[] = {
#embed "pages/search.html"
};
static const uint8_t shuffle_html[] = {
#embed "pages/shuffle.html"
};
static const uint8_t timeline_html[] = {
#embed "pages/timeline.html"
};
static const uint8_t wall_html[] = {
#embed "pages/wall.html"
};
static const uint8_t app_css[] = {
#embed "pages/app.css"
};
static const uint8_t boards_css[] = {
#embed "pages/boards.css"
};
static const uint8_t detail_css[] = {
#embed "pages/detail.css"
};
static const uint8_t dock_css[] = {
#embed "pages/dock.css"
};
static const uint8_t lab_css[] = {
#embed "pages/lab.css"
};
static const uint8_t larger_css[] = {
#embed "pages/larger.css"
};
static const uint8_t overview_css[] = {
#embed "pages/overview.css"
};
static const uint8_t publish_css[] = {
#embed "pages/publish.css"
};
static const uint8_t robots_css[] = {
#embed "pages/robots.css"
};
static const uint8_t search_css[] = {
#embed "pages/search.css"
};
static const uint8_t shuffle_css[] = {
#embed "pages/shuffle.css"
};
static const uint8_t timeline_css[] = {
#embed "pages/timeline.css"
};
static const uint8_t wall_css[] = {
#embed "pages/wall.css"
};
static const uint8_t detail_js[] = {
#embed "pages/detail.js"
};
static const uint8_t dock_js[] = {
#embed "pages/dock.js"
};
static const uint8_t lab_js[] = {
#embed "pages/lab.js"
};
static const uint8_t overview_js[] = {
#embed "pages/overview.js"
};
static const uint8_t publish_js[] = {
#embed "pages/publish.js"
};
static const uint8_t robots_js[] = {
#embed "pages/robots.js"
};
static const uint8_t search_js[] = {
#embed "pages/search.js"
};
static const uint8_t shuffle_js[] = {
#embed "pages/shuffle.js"
};
static const uint8_t timeline_js[] = {
#embed "pages/timeline.js"
};
static const uint8_t wall_js[] = {
#embed "pages/wall.js"
};
static const uint8_t lab_card_js[] = {
#embed "pages/lab/card.js"
};
static const uint8_t lab_tour_js[] = {
#embed "pages/lab/tour.js"
};
static const uint8_t lab_ways_js[] = {
#embed "pages/lab/ways.js"
};
static const uint8_t wall_failures_js[] = {
#embed "pages/wall/failures.js"
};
static const uint8_t wall_form_js[] = {
#embed "pages/wall/form.js"
};
static const uint8_t wall_larger_js[] = {
#embed "pages/wall/larger.js"
};
static const uint8_t wall_list_js[] = {
#embed "pages/wall/list.js"
};
static const uint8_t wall_model_js[] = {
#embed "pages/wall/model.js"
};
static const uint8_t wall_pictures_js[] = {
#embed "pages/wall/pictures.js"
};
static const uint8_t search_begin_js[] = {
#embed "pages/search/begin.js"
};
static const uint8_t search_recent_js[] = {
#embed "pages/search/recent.js"
};
static const uint8_t search_rows_js[] = {
#embed "pages/search/rows.js"
};
static const uint8_t lib_sides_js[] = {
#embed "pages/lib/sides.js"
};
static const uint8_t lib_swipes_js[] = {
#embed "pages/lib/swipes.js"
};
static const uint8_t lib_slices_js[] = {
#embed "pages/lib/slices.js"
};
static const uint8_t lib_words_js[] = {
#embed "pages/lib/words.js"
};
static const uint8_t overview_demo_js[] = {
#embed "pages/overview/demo.js"
};
static const uint8_t overview_flow_js[] = {
#embed "pages/overview/flow.js"
};
static const uint8_t overview_recent_js[] = {
#embed "pages/overview/recent.js"
};
static const uint8_t live_hub_js[] = {
#embed "pages/live/hub.js"
};
static const uint8_t live_loads_js[] = {
#embed "pages/live/loads.js"
};
static const uint8_t live_worker_js[] = {
#embed "pages/live/worker.js"
};
static const uint8_t dock_panel_js[] = {
#embed "pages/dock/panel.js"
};
static const uint8_t publish_draft_js[] = {
#embed "pages/publish/draft.js"
};
static const uint8_t publish_files_js[] = {
#embed "pages/publish/files.js"
};
static const uint8_t publish_focus_js[] = {
#embed "pages/publish/focus.js"
};
static const uint8_t publish_languages_js[] = {
#embed "pages/publish/languages.js"
};
static const uint8_t publish_limits_js[] = {
#embed "pages/publish/limits.js"
};
static const uint8_t publish_media_js[] = {
#embed "pages/publish/media.js"
};
static const uint8_t publish_merge_js[] = {
#embed "pages/publish/merge.js"
};
static const uint8_t publish_post_js[] = {
#embed "pages/publish/post.js"
};
static const uint8_t publish_posts_js[] = {
#embed "pages/publish/posts.js"
};
static const uint8_t publish_states_js[] = {
#embed "pages/publish/states.js"
};
static const uint8_t publish_upload_js[] = {
#embed "pages/publish/upload.js"
};
static const uint8_t timeline_bars_js[] = {
#embed "pages/timeline/bars.js"
};
static const uint8_t timeline_chart_js[] = {
#embed "pages/timeline/chart.js"
};
static const uint8_t timeline_details_js[] = {
#embed "pages/timeline/details.js"
};
static const uint8_t timeline_gates_js[] = {
#embed "pages/timeline/gates.js"
};
static const uint8_t timeline_measure_js[] = {
#embed "pages/timeline/measure.js"
};
static const uint8_t timeline_minimap_js[] = {
#embed "pages/timeline/minimap.js"
};
static const uint8_t timeline_model_js[] = {
#embed "pages/timeline/model.js"
};
static const uint8_t timeline_moving_js[] = {
#embed "pages/timeline/moving.js"
};
static const uint8_t timeline_palette_js[] = {
#embed "pages/timeline/palette.js"
};
static const uint8_t timeline_steering_js[] = {
#embed "pages/timeline/steering.js"
};
static const uint8_t timeline_table_js[] = {
#embed "pages/timeline/table.js"
};
static const uint8_t timeline_trace_js[] = {
#embed "pages/timeline/trace.js"
};
static const uint8_t timeline_waits_js[] = {
#embed "pages/timeline/waits.js"
};
static const uint8_t timeline_window_js[] = {
#embed "pages/timeline/window.js"
};
static const uint8_t lib_api_js[] = {
#embed "pages/lib/api.js"
};
static const uint8_t lib_apps_js[] = {
#embed "pages/lib/apps.js"
};
static const uint8_t lib_confirm_js[] = {
#embed "pages/lib/confirm.js"
};
static const uint8_t lib_dom_js[] = {
#embed "pages/lib/dom.js"
};
static const uint8_t lib_events_js[] = {
#embed "pages/lib/events.js"
};
static const uint8_t lib_grid_js[] = {
#embed "pages/lib/grid.js"
};
static const uint8_t lib_larger_js[] = {
#embed "pages/lib/larger.js"
};
static const uint8_t lib_layouts_js[] = {
#embed "pages/lib/layouts.js"
};
static const uint8_t lib_live_js[] = {
#embed "pages/lib/live.js"
};
static const uint8_t lib_nav_js[] = {
#embed "pages/lib/nav.js"
};
static const uint8_t lib_pictures_js[] = {
#embed "pages/lib/pictures.js"
};
static const uint8_t lib_storage_js[] = {
#embed "pages/lib/storage.js"
};
static const uint8_t lib_token_js[] = {
#embed "pages/lib/token.js"
};
// The page shows the Swift that runs.
static const uint8_t lab_ways_swift[] = {
#embed "../../Command/App/Lab/LabWays.swift"
};
static const uint8_t openapi_json[] = {
#embed "pages/openapi.json"
};
static const uint8_t icon_svg[] = {
#embed "pages/icon.svg"
};
static const uint8_t symbols_svg[] = {
#embed "pages/symbols.svg"
};

static const struct capp_page pages[] = {
    PAGE("", HTML, index_html),
    PAGE("404", HTML, not_found_html),
    PAGE("app", HTML, app_html),
    PAGE("dock", HTML, dock_html),
    PAGE("lab", HTML, lab_html),
    PAGE("navigation", HTML, navigation_html),
    PAGE("publish", HTML, publish_html),
    PAGE("robots", HTML, robots_html),
    PAGE("search", HTML, search_html),
    PAGE("shuffle", HTML, shuffle_html),
    PAGE("timeline", HTML, timeline_html),
    PAGE("wall", HTML, wall_html),
    PAGE("app.css", CSS, app_css),
    PAGE("boards.css", CSS, boards_css),
    PAGE("detail.css", CSS, detail_css),
    PAGE("dock.css", CSS, dock_css),
    PAGE("lab.css", CSS, lab_css),
    PAGE("larger.css", CSS, larger_css),
    PAGE("overview.css", CSS, overview_css),
    PAGE("publish.css", CSS, publish_css),
    PAGE("robots.css", CSS, robots_css),
    PAGE("search.css", CSS, search_css),
    PAGE("shuffle.css", CSS, shuffle_css),
    PAGE("timeline.css", CSS, timeline_css),
    PAGE("wall.css", CSS, wall_css),
    PAGE("detail.js", SCRIPT, detail_js),
    PAGE("dock.js", SCRIPT, dock_js),
    PAGE("lab.js", SCRIPT, lab_js),
    PAGE("overview.js", SCRIPT, overview_js),
    PAGE("publish.js", SCRIPT, publish_js),
    PAGE("robots.js", SCRIPT, robots_js),
    PAGE("search.js", SCRIPT, search_js),
    PAGE("shuffle.js", SCRIPT, shuffle_js),
    PAGE("timeline.js", SCRIPT, timeline_js),
    PAGE("wall.js", SCRIPT, wall_js),
    PAGE("lab/card.js", SCRIPT, lab_card_js),
    PAGE("lab/tour.js", SCRIPT, lab_tour_js),
    PAGE("lab/ways.js", SCRIPT, lab_ways_js),
    PAGE("lab/ways.swift", SWIFT, lab_ways_swift),
    PAGE("wall/failures.js", SCRIPT, wall_failures_js),
    PAGE("wall/form.js", SCRIPT, wall_form_js),
    PAGE("wall/larger.js", SCRIPT, wall_larger_js),
    PAGE("wall/list.js", SCRIPT, wall_list_js),
    PAGE("wall/model.js", SCRIPT, wall_model_js),
    PAGE("wall/pictures.js", SCRIPT, wall_pictures_js),
    PAGE("search/begin.js", SCRIPT, search_begin_js),
    PAGE("search/recent.js", SCRIPT, search_recent_js),
    PAGE("search/rows.js", SCRIPT, search_rows_js),
    PAGE("lib/sides.js", SCRIPT, lib_sides_js),
    PAGE("lib/swipes.js", SCRIPT, lib_swipes_js),
    PAGE("lib/slices.js", SCRIPT, lib_slices_js),
    PAGE("lib/words.js", SCRIPT, lib_words_js),
    PAGE("overview/demo.js", SCRIPT, overview_demo_js),
    PAGE("overview/flow.js", SCRIPT, overview_flow_js),
    PAGE("overview/recent.js", SCRIPT, overview_recent_js),
    PAGE("live/hub.js", SCRIPT, live_hub_js),
    PAGE("live/loads.js", SCRIPT, live_loads_js),
    PAGE("live/worker.js", SCRIPT, live_worker_js),
    PAGE("dock/panel.js", SCRIPT, dock_panel_js),
    PAGE("publish/draft.js", SCRIPT, publish_draft_js),
    PAGE("publish/files.js", SCRIPT, publish_files_js),
    PAGE("publish/focus.js", SCRIPT, publish_focus_js),
    PAGE("publish/languages.js", SCRIPT, publish_languages_js),
    PAGE("publish/limits.js", SCRIPT, publish_limits_js),
    PAGE("publish/media.js", SCRIPT, publish_media_js),
    PAGE("publish/merge.js", SCRIPT, publish_merge_js),
    PAGE("publish/post.js", SCRIPT, publish_post_js),
    PAGE("publish/posts.js", SCRIPT, publish_posts_js),
    PAGE("publish/states.js", SCRIPT, publish_states_js),
    PAGE("publish/upload.js", SCRIPT, publish_upload_js),
    PAGE("timeline/bars.js", SCRIPT, timeline_bars_js),
    PAGE("timeline/chart.js", SCRIPT, timeline_chart_js),
    PAGE("timeline/details.js", SCRIPT, timeline_details_js),
    PAGE("timeline/gates.js", SCRIPT, timeline_gates_js),
    PAGE("timeline/measure.js", SCRIPT, timeline_measure_js),
    PAGE("timeline/minimap.js", SCRIPT, timeline_minimap_js),
    PAGE("timeline/model.js", SCRIPT, timeline_model_js),
    PAGE("timeline/moving.js", SCRIPT, timeline_moving_js),
    PAGE("timeline/palette.js", SCRIPT, timeline_palette_js),
    PAGE("timeline/steering.js", SCRIPT, timeline_steering_js),
    PAGE("timeline/table.js", SCRIPT, timeline_table_js),
    PAGE("timeline/trace.js", SCRIPT, timeline_trace_js),
    PAGE("timeline/waits.js", SCRIPT, timeline_waits_js),
    PAGE("timeline/window.js", SCRIPT, timeline_window_js),
    PAGE("lib/api.js", SCRIPT, lib_api_js),
    PAGE("lib/apps.js", SCRIPT, lib_apps_js),
    PAGE("lib/confirm.js", SCRIPT, lib_confirm_js),
    PAGE("lib/dom.js", SCRIPT, lib_dom_js),
    PAGE("lib/events.js", SCRIPT, lib_events_js),
    PAGE("lib/grid.js", SCRIPT, lib_grid_js),
    PAGE("lib/larger.js", SCRIPT, lib_larger_js),
    PAGE("lib/layouts.js", SCRIPT, lib_layouts_js),
    PAGE("lib/live.js", SCRIPT, lib_live_js),
    PAGE("lib/nav.js", SCRIPT, lib_nav_js),
    PAGE("lib/pictures.js", SCRIPT, lib_pictures_js),
    PAGE("lib/storage.js", SCRIPT, lib_storage_js),
    PAGE("lib/token.js", SCRIPT, lib_token_js),
    PAGE("openapi.json", DESCRIPTION, openapi_json),
    PAGE("icon.svg", SVG, icon_svg),
    PAGE("symbols.svg", SVG, symbols_svg),
};

size_t capp_page_count(void) {
    return sizeof pages / sizeof *pages;
}

const struct capp_page *capp_page_at(size_t index) {
    return &pages[index];
}

size_t capp_gzip(const uint8_t *bytes, size_t count, uint8_t *result, size_t most) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    if (compressor == NULL) return 0;
    size_t written = libdeflate_gzip_compress(compressor, bytes, count, result, most);
    libdeflate_free_compressor(compressor);
    return written;
}

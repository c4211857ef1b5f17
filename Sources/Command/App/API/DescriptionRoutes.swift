import CalotypeHTTPListener

/// The description of the API, which everybody may read.
struct DescriptionRoutes: Sendable {
    let pages: AppPages

    var routes: [APIRoute] {
        [
            APIRoute("GET", "/openapi.json", isPublic: true) { call in
                pages.response(to: call.request, at: "openapi.json")
            }
        ]
    }
}

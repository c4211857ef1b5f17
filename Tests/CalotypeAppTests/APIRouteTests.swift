import Testing

@testable import CalotypeApp

struct APIRouteTests {
    @Test(arguments: [
        ("/apps/{id}", "apps/7", ["id": "7"]), ("/apps/{id}", "apps", nil), ("/apps", "apps", [:]),
        ("/apps/{id}", "albums/7", nil),
    ])
    func `a pattern's names stand for whole segments`(
        pattern: String,
        path: String,
        expected: [String: String]?
    ) {
        let route = APIRoute("GET", pattern) { _ in throw APIError.notFound }
        let parameters = route.parameters(of: path.split(separator: "/"))
        #expect(parameters?.mapValues(String.init) == expected)
    }
}

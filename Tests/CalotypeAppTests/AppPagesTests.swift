import CalotypeHTTP
import HTTPListener
import Testing

@testable import CalotypeApp

struct AppPagesTests {
    private static func request(_ target: String, method: String = "GET") -> IncomingRequest {
        IncomingRequest(
            method: method,
            target: target,
            headers: HTTPHeaders(),
            client: "192.0.2.1",
            arrival: .now,
            body: .empty
        )
    }

    @Test(arguments: ["", "wall", "app.css", "lib/api.js", "icon.svg", "nowhere"])
    func `every page is bound to this server and to nobody's frame (W01)`(path: String) throws {
        let headers = try AppPages().response(to: Self.request("/app/\(path)"), at: path).headers
        let policy = try #require(headers["Content-Security-Policy"])
        let rules = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
            "form-action 'none'",
            "frame-ancestors 'none'", "base-uri 'none'",
        ]
        for rule in rules { #expect(policy.contains(rule)) }
        #expect(!policy.contains("unsafe"))
        #expect(headers["X-Content-Type-Options"] == "nosniff")
        #expect(headers["Referrer-Policy"] == "no-referrer")
        #expect(headers["Cache-Control"] == "no-cache")
        #expect(headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test func `nothing stands in line that the policy would forbid (W01)`() throws {
        let pages = try AppPages()
        for path in ["", "404", "app", "publish", "robots", "shuffle", "timeline", "wall"] {
            guard case .bytes(let bytes) = pages.response(to: Self.request("/app/\(path)"), at: path).body
            else {
                Issue.record("no page \(path)")
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            #expect(!text.contains(" style="), "\(path)")
            #expect(!text.contains("<style"), "\(path)")
            #expect(!text.contains(" onclick="), "\(path)")
            #expect(!text.contains("<script>"), "\(path)")
            for attribute in ["src", "href", "action"] {
                #expect(!text.contains("\(attribute)=\"http"), "\(path)")
            }
        }
    }

    @Test func `every page has the same way to all others`() throws {
        let pages = try AppPages()
        let bars = try ["", "404", "app", "publish", "robots", "shuffle", "timeline", "wall"].map { path in
            guard case .bytes(let bytes) = pages.response(to: Self.request("/app/\(path)"), at: path).body
            else { return "no page \(path)" }
            let text = String(decoding: bytes, as: UTF8.self)
            let start = try #require(text.firstRange(of: "<header class=\"bar\">")).lowerBound
            let end = try #require(text.firstRange(of: "</header>")).lowerBound
            return String(text[start..<end]).replacing(#/ aria-current="(page|true)"/#, with: "")
        }
        #expect(Set(bars).count == 1)
    }

    @Test func `an unknown page is 404, and says so as a page`() throws {
        let response = try AppPages().response(to: Self.request("/app/nowhere"), at: "nowhere")
        #expect(response.status == 404)
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["ETag"] == nil)
    }

    @Test func `the first page without its slash leads to the one with it`() throws {
        let response = try AppPages().redirect(Self.request("/app?q=1"))
        #expect(response.status == 308)
        #expect(response.headers["Location"] == "/app/?q=1")
    }

    @Test func `pages are read only`() throws {
        let response = try AppPages().response(to: Self.request("/app/", method: "POST"), at: "")
        #expect(response.status == 405)
        #expect(response.headers["Allow"] == "GET, HEAD")
    }

    @Test(arguments: [
        ("/app/", AppRoute.page("")), ("/app/wall?x=/api/", .page("wall")), ("/app", .redirect),
        ("/app?x", .redirect),
        ("/favicon.ico", .icon), ("/api/session", .api), ("/api", .api), ("/apps", nil),
        ("/unsafe/app/", nil),
        ("/", nil), ("//app/", nil),
    ])
    func `a target is a page, the API, or a thumbnail's`(target: String, route: AppRoute?) {
        #expect(AppRoute(target) == route)
    }
}

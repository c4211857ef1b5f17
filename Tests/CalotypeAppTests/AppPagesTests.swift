import CalotypeHTTP
import CalotypeHTTPListener
import Testing

@testable import CalotypeApp

struct AppPagesTests {
    private static let documents = [
        "", "404", "app", "lab", "publish", "robots", "search", "shuffle", "timeline", "wall",
    ]

    private static func text(_ pages: AppPages, _ path: String) throws -> String {
        let response = pages.response(to: request("/app/\(path)"), at: path)
        guard case .bytes(let bytes) = response.body, response.status == 200 else {
            throw MissingPage(path: path)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct MissingPage: Error {
        let path: String
    }

    /// What a document loads, and how it says so.
    private static func assets(of document: String) -> [(tag: Substring, path: String)] {
        document.matches(of: #/<(?<tag>[^>]*) (href|src)="/app/(?<path>[^"#]*\.(css|js|svg))(#[^"]*)?"/#).map
        {
            ($0.output.tag, String($0.output.path))
        }
    }

    /// The modules that the one at `path` needs, and those that they need.
    private static func modules(_ pages: AppPages, neededBy path: String) throws -> Set<String> {
        let folder = path.split(separator: "/").dropLast()
        let own = try text(pages, path).matches(
            of: #/(?m)^(import|export) ?([^"]* from )?"(?<path>\.[^"]*)";/#
        ).map {
            var parts = Array(folder)
            for part in $0.output.path.split(separator: "/") where part != "." {
                if part == ".." { parts.removeLast() } else { parts.append(part) }
            }
            return parts.joined(separator: "/")
        }
        return try own.reduce(into: Set(own)) { $0.formUnion(try modules(pages, neededBy: $1)) }
    }

    @Test(arguments: documents)
    func `what a page loads is requested once until the program changes`(document: String) throws {
        let pages = try AppPages()
        let assets = Self.assets(of: try Self.text(pages, document))
        #expect(assets.count > 3)
        for (_, path) in assets {
            let response = pages.response(to: Self.request("/app/\(path)"), at: path)
            #expect(response.status == 200, "\(path)")
            #expect(response.headers["Cache-Control"] == "public, max-age=31536000, immutable", "\(path)")
        }
        #expect(Set(assets.map { $0.path.prefix { $0 != "/" } }).count == 1, "one version")
        #expect(pages.response(to: Self.request("/app/0/app.css"), at: "0/app.css").status == 404)
    }

    @Test(arguments: documents)
    func `a page names all of its modules, so that none waits for another to be read`(
        document: String
    ) throws {
        let pages = try AppPages()
        let assets = Self.assets(of: try Self.text(pages, document))
        let scripts = assets.filter { $0.tag.hasPrefix("script") }.map(\.path)
        let needed = try scripts.reduce(into: Set<String>()) {
            $0.formUnion(try Self.modules(pages, neededBy: $1))
        }
        let named = assets.filter { $0.tag.hasPrefix("link rel=\"modulepreload\"") }.map(\.path)
        #expect(Set(named) == needed.subtracting(scripts))
    }

    @Test func `scripts name signs with the version that they have themselves`() throws {
        let pages = try AppPages()
        let page = try Self.text(pages, "timeline")
        let script = try #require(Self.assets(of: page).first { $0.path.hasSuffix("/timeline.js") }).path
        let version = script.prefix { $0 != "/" }
        #expect(try Self.text(pages, script).contains("/app/\(version)/symbols.svg#"))
    }

    @Test(arguments: [
        ("<a href=\"/app/a.css\">", "<a href=\"/app/V/a.css\">"),
        ("/app/a.css#x /app/b/c.js`", "/app/V/a.css#x /app/V/b/c.js`"),
        ("/app/ /app/wall /app", "/app/ /app/wall /app"), ("//app/a.css", "//app/V/a.css"),
        ("/app/a.cssx", "/app/a.cssx"),
        ("/app/app/a.css", "/app/app/a.css"), ("/ap/app", "/ap/app"), ("", ""),
    ])
    func `the version goes into the paths of files, and nowhere else`(text: String, marked: String) {
        let marks = AssetMarks("V", for: ["a.css", "b/c.js"])
        #expect(String(decoding: marks.marked(Array(text.utf8)), as: UTF8.self) == marked)
    }

    @Test(arguments: [
        (nil, false), ("", false), ("identity", false), ("br, zstd", false), ("*", false),
        ("gzip;q=0", false),
        ("gzip; q=0.000", false), ("gzipped", false), ("gzip", true), ("GZIP", true), ("x-gzip", true),
        ("deflate, gzip;q=0.5, br", true), ("br;q=1.0,gzip ;q=1", true),
    ])
    func `texts are compressed for clients that accept it`(accepted: String?, isCompressed: Bool) throws {
        let pages = try AppPages()
        let headers = HTTPHeaders(accepted.map { [HeaderField("Accept-Encoding", $0)] } ?? [])
        for path in ["", "app.css", "wall.js", "wall/0a-1", "nowhere"] {
            let request = Self.request("/app/\(path)", headers: headers)
            let (response, plain) = (
                pages.response(to: request, at: path),
                pages.response(to: Self.request("/app/\(path)"), at: path)
            )
            #expect(response.status == plain.status)
            #expect(response.headers["Content-Encoding"] == (isCompressed ? "gzip" : nil), "\(path)")
            #expect(response.headers["Vary"] == "Accept-Encoding", "\(path)")
            #expect(
                (response.headers["ETag"] != plain.headers["ETag"]) == (isCompressed && path != "nowhere")
            )
            #expect(response.headers["Content-Type"] == plain.headers["Content-Type"])
        }
    }

    private static func request(
        _ target: String,
        method: String = "GET",
        headers: HTTPHeaders = HTTPHeaders()
    ) -> IncomingRequest {
        IncomingRequest(
            method: method,
            target: target,
            headers: headers,
            client: "192.0.2.1",
            arrival: .now,
            body: .empty
        )
    }

    @Test(arguments: ["", "wall", "wall/0a-1", "app.css", "lib/api.js", "icon.svg", "nowhere"])
    func `every page is bound to this server and to nobody's frame`(path: String) throws {
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
        #expect(headers["Referrer-Policy"] == "same-origin")
        #expect(headers["Cache-Control"] == "no-cache")
        #expect(headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test func `nothing stands in line that the policy would forbid`() throws {
        let pages = try AppPages()
        for path in Self.documents {
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
        let bars = try Self.documents.map { path in
            guard case .bytes(let bytes) = pages.response(to: Self.request("/app/\(path)"), at: path).body
            else { return "no page \(path)" }
            let text = String(decoding: bytes, as: UTF8.self)
            let start = try #require(text.firstRange(of: "<header class=\"bar\">")).lowerBound
            let end = try #require(text.firstRange(of: "</header>")).lowerBound
            return String(text[start..<end]).replacing(#/ aria-current="(page|true)"/#, with: "")
        }
        #expect(Set(bars).count == 1)
    }

    @Test func `a page is the current one in its own links, and no other page is`() throws {
        let pages = try AppPages()
        let wall = try Self.text(pages, "wall")
        #expect(wall.contains("<a href=\"/app/wall\" aria-current=\"page\">"))
        #expect(wall.matches(of: #/aria-current/#).count == 1)
        #expect(try Self.text(pages, "app").contains("<a href=\"/app/search\" aria-current=\"true\">"))
        #expect(try !Self.text(pages, "404").contains("aria-current"))
        #expect(pages.response(to: Self.request("/app/navigation"), at: "navigation").status == 404)
    }

    @Test(arguments: documents)
    func `every page has the dock at its end, but the timeline shows all of it itself`(
        document: String
    ) throws {
        let pages = try AppPages()
        guard case .bytes(let bytes) = pages.response(to: Self.request("/app/\(document)"), at: document).body
        else {
            Issue.record("no page \(document)")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let isTimeline = document == "timeline"
        #expect(text.matches(of: #/<aside class="dock"/#).count == (isTimeline ? 0 : 1))
        #expect(text.contains("/dock.js\"") != isTimeline)
        #expect(!text.contains("<!-- "))
        #expect(pages.response(to: Self.request("/app/dock"), at: "dock").status == 404)
    }

    @Test func `the lab shows the Swift of each way`() throws {
        let pages = try AppPages()
        let functions = try Self.text(pages, "lab/ways.js").matches(of: #/code: "(?<name>\w+)"/#)
        #expect(functions.count == LabWay.allCases.count)
        let source = try Self.text(pages, "lab/ways.swift")
        for function in functions {
            #expect(source.contains("    func \(function.output.name)() async throws {"))
        }
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

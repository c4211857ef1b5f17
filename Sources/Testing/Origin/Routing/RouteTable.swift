import CalotypeCodec
import CalotypeCore
import CalotypeHTTPMessages

/// The table of the origin's content and faults.
///
/// The help, the index page and the router use it.
enum RouteTable {
    static let routes = contents + bodyTakers + services + receivers + misbehaviours + [spoiltReceivers]

    /// Returns the route for `path` and its values, or `nil` if no route matches.
    static func match(_ path: String) -> RouteMatch? {
        for route in routes {
            if let values = route.match(path) { return RouteMatch(route: route, values: values) }
        }
        return nil
    }

    /// The routes without faults.
    static let contents: [OriginRoute] = [
        OriginRoute("/", "This list.", response: { .html(IndexPage.html(for: $0.site)) }),
        OriginRoute("/list.txt", "URLs of all images, one per line: a list for calotype fetch.") {
            .text(PictureLists.plain($0.site))
        },
        OriginRoute("/demo.txt", "The same list, mixed with some URLs that fail or are odd.") {
            .text(PictureLists.demo($0.site))
        },
        OriginRoute("/icons.txt", "URLs of all app icons, one per line.") {
            .text(PictureLists.icons($0.site))
        },
        OriginRoute("/robots.txt", "The text of --robots; status 404 without it.") {
            guard let text = $0.site.robots else { return .text("There is none.", status: 404) }
            return .text(text)
        },
        OriginRoute("/stats", "Counts since the start, as JSON.", response: stats),
        OriginRoute(
            "/pictures/NAME",
            """
            An image, with ETag, Last-Modified, conditional requests and ranges, and the faults of --faults.
            """,
            content: { try await $0.picture() }
        ),
        OriginRoute(
            "/small/NAME",
            "The image at most 150 pixels wide and high.",
            content: { try await $0.smallPicture() }
        ),
    ]

    /// The faults, each under a prefix of its own.
    static let misbehaviours: [OriginRoute] = answers + bodies + endings + extremes + [spoiltServices]

    /// Wrong or indirect responses.
    private static let answers: [OriginRoute] = [
        OriginRoute(
            "/status/CODE",
            "This status, 200 to 599; ?retry-after=SECONDS adds Retry-After.",
            response: status
        ),
        OriginRoute(
            "/flaky/N/NAME",
            "Status 503 for the first N requests for each image, then the image.",
            response: flaky
        ),
        OriginRoute(
            "/limited/N/NAME",
            """
            The image for N requests of this kind a second, then status 429; ?retry-after=SECONDS adds \
            Retry-After to those.
            """,
            response: limited
        ),
        OriginRoute(
            "/failing/N/NAME",
            "The image for the first N requests, then status 503.",
            response: failing
        ),
        OriginRoute(
            "/changing/N/NAME",
            "The image for the first N requests, then the next image in the list.",
            response: changing
        ),
        OriginRoute("/redirect/N/NAME", "N redirects, then the image.", response: redirect),
        OriginRoute("/redirect-to", "A redirect to ?url=URL, whatever the URL is.", response: redirectTo),
        OriginRoute("/loop", "A redirect to itself.") { _ in .redirect(to: "/loop") },
        OriginRoute("/latency/MS/NAME", "The image after MS milliseconds.", script: latency),
        OriginRoute("/html/NAME", "Status 200 and a page that apologises, instead of the image.") { _ in
            .html("<!doctype html><title>Sorry</title><p>We cannot show this picture.")
        },
        OriginRoute("/wrong-type/NAME", "The image, labelled text/plain.", response: wrongType),
        OriginRoute("/empty", "Status 200 and no body.") { _ in
            Response(fields: [("Content-Type", "image/jpeg")])
        },
    ]

    /// Bodies that arrive in unusual ways.
    private static let bodies: [OriginRoute] = [
        OriginRoute(
            "/no-length/NAME",
            "The image without Content-Length; it ends when the connection closes."
        ) {
            var response = try await $0.wholePicture()
            response.framing = .untilClose
            return response
        },
        OriginRoute("/chunked/NAME", "The image in chunks.") {
            var response = try await $0.wholePicture()
            response.framing = .chunked
            return response
        },
        OriginRoute("/wrong-length/NAME", "The image with a Content-Length that is 100 bytes too short.") {
            var response = try await $0.wholePicture()
            response.framing = .claimed(max(0, response.body.count - 100))
            return response
        },
        OriginRoute(
            "/half/NAME",
            "The first half of the file, with the length of that half: only a decoder notices."
        ) {
            var response = try await $0.wholePicture()
            response.body.removeLast(response.body.count - response.body.count / 2)
            return response
        },
        OriginRoute(
            "/slow/BYTES_PER_S/NAME",
            "The image at this rate, at least 1 (slow loris).",
            script: slow
        ),
    ]

    /// Responses that do not reach their end.
    private static let endings: [OriginRoute] = [
        OriginRoute(
            "/cut/PERCENT/NAME",
            "Closes after PERCENT of the body; Content-Length is that of all of it."
        ) {
            try await partly($0, then: [], .close)
        },
        OriginRoute(
            "/cut-first/N/BYTES/NAME",
            """
            Closes after BYTES of the body for the first N requests; clients can request the rest as a \
            range.
            """,
            script: cutFirst
        ),
        OriginRoute("/stall/PERCENT/NAME", "PERCENT of the body, then silence; the connection stays open.") {
            try await partly($0, then: [.silence], .close)
        },
        OriginRoute("/reset/NAME", "The response head, then RST.") {
            ResponseScript(status: 200, steps: [.send(try await $0.wholePicture().head())], ending: .reset)
        },
        OriginRoute("/hang", "Accepts the request and never responds.") { _ in
            ResponseScript(steps: [.silence], ending: .close)
        },
        OriginRoute("/hang-headers", "Half of a response head, then silence.") { _ in
            ResponseScript(
                steps: [.send(Array("HTTP/1.1 200 OK\r\nContent-Ty".utf8)), .silence],
                ending: .close
            )
        },
    ]

    /// Too much of something, or data that is not HTTP.
    private static let extremes: [OriginRoute] = [
        OriginRoute("/endless", "A body that never ends.") { _ in
            let response = Response(fields: [("Content-Type", "image/jpeg")], framing: .untilClose)
            let noise = [UInt8](repeating: 0xff, count: 64 << 10)
            return ResponseScript(
                status: 200,
                steps: [.send(response.head()), .repeated(noise, pause: .zero)],
                ending: .close
            )
        },
        OriginRoute("/endless-headers", "Header fields that never end.") { _ in
            let open = Array(Response(framing: .untilClose).openHead().utf8)
            let field = Array("X-Padding: \(String(repeating: "x", count: 1000))\r\n".utf8)
            return ResponseScript(steps: [.send(open), .repeated(field, pause: .zero)], ending: .close)
        },
        OriginRoute("/garbage", "Bytes that are not HTTP.") { _ in
            ResponseScript(steps: [.send(Array("\u{1}\u{2}\u{3} this is no HTTP\n\n".utf8))], ending: .close)
        },
        OriginRoute("/gzip-bomb", "0.5 MB of gzip that decompress to 256 MiB.") { call in
            let bomb = try await call.site.bomb("image/jpeg") { try CompressedZeros.gzip(blocks: 4096) }
            return Response(
                fields: [("Content-Type", bomb.mediaType), ("Content-Encoding", "gzip")],
                body: bomb.bytes
            )
        },
        OriginRoute("/bomb.png", "A PNG of a few kilobytes that claims 65,000 x 65,000 pixels.") { call in
            let size = PixelSize(width: 65_000, height: 65_000)
            let bomb = try await call.site.bomb("image/png") { try CompressedZeros.png(size, rows: 15) }
            return Response(fields: [("Content-Type", bomb.mediaType)], body: bomb.bytes)
        },
    ]
}

extension RouteTable {
    private static let stats: @Sendable (Call) -> Response = { call in
        Response(
            fields: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: Array((call.site.tally.statistics.json + "\n").utf8)
        )
    }

    private static let limited: @Sendable (Call) async throws -> Response = { call in
        let count = try call.number("N", in: 1...1_000_000)
        if call.site.admitsPicture(limit: count) {
            return try PictureResponse.make(try await call.picture(), for: call)
        }
        var response = Response.text("Too many in this second.", status: 429)
        if let seconds = call.request.query("retry-after").flatMap({ Int($0) }), seconds >= 0 {
            response.fields.append(("Retry-After", "\(seconds)"))
        }
        return response
    }

    private static let status: @Sendable (Call) throws -> Response = { call in
        let status = try call.number("CODE", in: 200...599)
        var response = Response.text("Status \(status), as requested.", status: status)
        response.fields += try call.pictureParameters().fields
        guard let text = call.request.query("retry-after") else { return response }
        guard let seconds = Int(text), seconds >= 0 else {
            throw OriginError.refusal(status: 400, message: "retry-after must be a number of seconds.")
        }
        response.fields.append(("Retry-After", "\(seconds)"))
        return response
    }

    private static let flaky: @Sendable (Call) async throws -> Response = { call in
        let count = try call.number("N", in: 0...1000)
        if call.site.isAmongFirst(count, for: call.request.path) {
            return .text("Not yet; try again.", status: 503)
        }
        return try PictureResponse.make(try await call.picture(), for: call)
    }

    private static let redirect: @Sendable (Call) throws -> Response = { call in
        let left = try call.number("N", in: 0...1000)
        return .redirect(to: call.path(left > 1 ? "/redirect/\(left - 1)" : "/pictures"))
    }

    private static let redirectTo: @Sendable (Call) throws -> Response = { call in
        guard let url = call.request.query("url"), url.utf8.allSatisfy({ $0 > 31 && $0 != 127 }) else {
            throw OriginError.refusal(status: 400, message: "?url= is missing or not valid.")
        }
        return .redirect(to: url)
    }

    private static let latency: @Sendable (Call) async throws -> ResponseScript = { call in
        let milliseconds = try call.number("MS", in: 0...3_600_000)
        var script = try PictureResponse.make(try await call.picture(), for: call).script()
        script.steps.insert(.pause(.milliseconds(milliseconds)), at: 0)
        return script
    }

    private static let wrongType: @Sendable (Call) async throws -> Response = { call in
        Response(fields: [("Content-Type", "text/plain")], body: try await call.picture().bytes)
    }

    private static let slow: @Sendable (Call) async throws -> ResponseScript = { call in
        let rate = try call.number("BYTES_PER_S", in: 1...1_000_000_000)
        let response = try await call.wholePicture()
        return ResponseScript(
            status: response.status,
            steps: [.send(response.head()), .trickle(response.body, bytesPerSecond: rate)]
        )
    }

    private static func partly(
        _ call: Call,
        then steps: [ResponseScript.Step],
        _ ending: ResponseScript.Ending
    ) async throws -> ResponseScript {
        let percent = try call.number("PERCENT", in: 0...100)
        let response = try await call.wholePicture()
        let part = Array(response.body[..<(response.body.count * percent / 100)])
        return ResponseScript(
            status: response.status,
            steps: [.send(response.head()), .send(part)] + steps,
            ending: ending
        )
    }

    private static let cutFirst: @Sendable (Call) async throws -> ResponseScript = { call in
        let count = try call.number("N", in: 0...1000)
        let most = try call.number("BYTES", in: 0...1_000_000_000)
        let response = try PictureResponse.make(try await call.picture(), for: call)
        guard response.body.count > most, call.site.isAmongFirst(count, for: call.request.target) else {
            return response.script()
        }
        return ResponseScript(
            status: response.status,
            steps: [.send(response.head()), .send(Array(response.body[..<most]))],
            ending: .close
        )
    }

    private static let changing: @Sendable (Call) async throws -> Response = { call in
        let count = try call.number("N", in: 0...1000)
        let isOld = call.site.isAmongFirst(count, for: call.request.target)
        let picture = try await isOld ? call.picture() : call.nextPicture()
        return try PictureResponse.make(picture, for: call)
    }

    private static let failing: @Sendable (Call) async throws -> Response = { call in
        let count = try call.number("N", in: 0...1000)
        guard call.site.isAmongFirst(count, for: call.request.target) else {
            return .text("Not any more.", status: 503)
        }
        return try PictureResponse.make(try await call.picture(), for: call)
    }
}

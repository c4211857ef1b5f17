import CAppPages
import CalotypeHTTP
import Digests
import HTTPListener

/// The files of the app, which are part of the binary.
struct AppPages: Sendable {
    private struct Page: Sendable {
        let bytes: [UInt8]
        let headers: HTTPHeaders
    }

    private let pages: [String: Page]

    init() throws(DigestError) {
        var pages: [String: Page] = [:]
        for index in 0..<capp_page_count() {
            guard let page = unsafe capp_page_at(index) else { continue }
            let bytes = unsafe Array(
                UnsafeBufferPointer(start: page.pointee.bytes, count: page.pointee.count)
            )
            let type = unsafe String(cString: page.pointee.media_type)
            let tag = try Digest(.sha256, of: bytes).hexadecimal.prefix(32)
            let own = [
                HTTPHeaders.Field(unchecked: "Content-Type", type),
                .init(unchecked: "ETag", "\"\(tag)\""),
            ]
            pages[unsafe String(cString: page.pointee.path)] = Page(
                bytes: bytes,
                headers: HTTPHeaders(own + Self.fields)
            )
        }
        self.pages = pages
    }

    /// The page at `path`, or the one that says that there is none.
    func response(to request: IncomingRequest, at path: String) -> OutgoingResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return OutgoingResponse(405, HTTPHeaders([.init(unchecked: "Allow", "GET, HEAD")]))
        }
        if let page = pages[path] { return OutgoingResponse(200, page.headers, .bytes(page.bytes)) }
        guard let page = pages["404"] else { return OutgoingResponse(404, HTTPHeaders(Self.fields)) }
        var headers = page.headers
        // It is that of another path.
        headers.removeAll("ETag")
        return OutgoingResponse(404, headers, .bytes(page.bytes))
    }

    /// The icon that browsers ask for by themselves.
    func icon(_ request: IncomingRequest) -> OutgoingResponse {
        pages["icon.svg"] == nil ? OutgoingResponse(204) : response(to: request, at: "icon.svg")
    }

    /// The way to the first page, with the query that was given.
    func redirect(_ request: IncomingRequest) -> OutgoingResponse {
        let query = request.target.drop { $0 != "?" }
        return OutgoingResponse(
            308,
            HTTPHeaders([.init(unchecked: "Location", "/app/\(query)")] + Self.fields)
        )
    }

    /// What every page is told beside its type: nothing from elsewhere, nothing in line, nobody's frame.
    private static let fields = [
        HTTPHeaders.Field(unchecked: "Cache-Control", "no-cache"),
        .init(
            unchecked: "Content-Security-Policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; \
            connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'
            """
        ),
        .init(unchecked: "X-Content-Type-Options", "nosniff"),
        .init(unchecked: "Referrer-Policy", "no-referrer"),
    ]
}

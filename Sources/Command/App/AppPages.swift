import CalotypeCAppPages
import CalotypeDigests
import CalotypeHTTP
import CalotypeHTTPListener

/// The files of the app, which are part of the binary.
///
/// A browser asks for a document each time. What documents name has the version of all files in its path, so that a browser need
/// not ask for it again until the program is another.
struct AppPages: Sendable {
    private struct Page: Sendable {
        let bytes: [UInt8]
        let headers: HTTPHeaders
    }

    private let pages: [String: Page]

    init() throws(DigestError) {
        let files = Self.files
        let version = try Self.version(of: files)
        let marks = AssetMarks(version, for: files.filter { !$0.isDocument }.map(\.path))
        var pages: [String: Page] = [:]
        for file in files {
            let bytes = file.namesOthers ? marks.marked(file.bytes) : file.bytes
            pages[file.path] = try Self.page(bytes, file.type, "no-cache")
            guard !file.isDocument else { continue }
            pages["\(version)/\(file.path)"] = try Self.page(
                bytes,
                file.type,
                "public, max-age=31536000, immutable"
            )
        }
        self.pages = pages
    }

    private static var files: [AppFile] {
        (0..<capp_page_count()).compactMap { index in
            guard let page = unsafe capp_page_at(index) else { return nil }
            return unsafe AppFile(
                path: String(cString: page.pointee.path),
                type: String(cString: page.pointee.media_type),
                bytes: Array(UnsafeBufferPointer(start: page.pointee.bytes, count: page.pointee.count))
            )
        }
    }

    /// Another text where any file is another.
    private static func version(of files: [AppFile]) throws(DigestError) -> String {
        var stream = try DigestStream(.sha256)
        for file in files {
            try stream.update(Array("\(file.path) \(file.bytes.count)\n".utf8))
            try stream.update(file.bytes)
        }
        return String(try stream.finish().hexadecimal.prefix(12))
    }

    private static func page(_ bytes: [UInt8], _ type: String, _ caching: String) throws(DigestError) -> Page
    {
        let tag = try Digest(.sha256, of: bytes).hexadecimal.prefix(32)
        let own = [
            HTTPHeaders.Field(unchecked: "Content-Type", type),
            .init(unchecked: "ETag", "\"\(tag)\""),
            .init(unchecked: "Cache-Control", caching),
        ]
        return Page(bytes: bytes, headers: HTTPHeaders(own + fields))
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
            HTTPHeaders(
                [
                    .init(unchecked: "Location", "/app/\(query)"),
                    .init(unchecked: "Cache-Control", "no-cache"),
                ] + Self.fields
            )
        )
    }

    /// What every page is told beside its type: nothing from elsewhere, nothing in line, nobody's frame.
    private static let fields = [
        HTTPHeaders.Field(
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

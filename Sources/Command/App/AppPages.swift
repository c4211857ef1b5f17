import CalotypeCAppPages
import CalotypeDigests
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeHTTPMessages

/// The files of the app, which are part of the binary.
///
/// A browser requests a document each time. The paths in a document contain the version of all files, so that
/// a browser can cache these files until the program changes.
struct AppPages: Sendable {
    private struct Page: Sendable {
        let plain: OutgoingResponse
        /// The response for clients that accept gzip; `nil` if it would not be much shorter.
        let compressed: OutgoingResponse?

        func response(to request: IncomingRequest) -> OutgoingResponse {
            guard let compressed, request.headers.acceptGzip else { return plain }
            return compressed
        }
    }

    private let pages: [String: Page]

    init() throws(DigestError) {
        let files = SharedParts.inserted(into: Self.files)
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

    /// Returns a text that differs if any file differs.
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
        var headers = HTTPHeaders(
            [HeaderField("Content-Type", type), .init("Cache-Control", caching)] + fields
        )
        guard let short = gzipped(bytes) else {
            headers.append(HeaderField("ETag", "\"\(tag)\""))
            return Page(plain: OutgoingResponse(200, headers, .bytes(bytes)), compressed: nil)
        }
        headers.append(HeaderField("Vary", "Accept-Encoding"))
        var compressed = headers
        headers.append(HeaderField("ETag", "\"\(tag)\""))
        compressed.append(HeaderField("ETag", "\"\(tag)-gzip\""))
        compressed.append(HeaderField("Content-Encoding", "gzip"))
        return Page(
            plain: OutgoingResponse(200, headers, .bytes(bytes)),
            compressed: OutgoingResponse(200, compressed, .bytes(short))
        )
    }

    /// Returns the compressed file; `nil` if it is not at least a tenth shorter.
    private static func gzipped(_ bytes: [UInt8]) -> [UInt8]? {
        let most = bytes.count * 9 / 10
        let short = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = unsafe capp_gzip(bytes, bytes.count, buffer.baseAddress, most)
        }
        return short.isEmpty ? nil : short
    }

    /// Returns the page at `path`, or the page for an unknown path.
    func response(to request: IncomingRequest, at path: String) -> OutgoingResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return OutgoingResponse(405, HTTPHeaders([.init("Allow", "GET, HEAD")]))
        }
        if let page = pages[path] ?? wallPage(at: path) { return page.response(to: request) }
        guard var response = pages["404"]?.response(to: request) else {
            return OutgoingResponse(404, HTTPHeaders(Self.fields))
        }
        response.status = 404
        // The entity tag of this page belongs to its own path.
        response.headers.removeAll("ETag")
        return response
    }

    /// Returns the page of walls for the path of any wall.
    private func wallPage(at path: String) -> Page? {
        path.wholeMatch(of: /wall\/[0-9a-z-]+/) == nil ? nil : pages["wall"]
    }

    /// Returns the icon that browsers request automatically.
    func icon(_ request: IncomingRequest) -> OutgoingResponse {
        pages["icon.svg"] == nil ? OutgoingResponse(204) : response(to: request, at: "icon.svg")
    }

    /// Returns a redirect to the first page, with the query.
    func redirect(_ request: IncomingRequest) -> OutgoingResponse {
        let query = request.target.drop { $0 != "?" }
        return OutgoingResponse(
            308,
            HTTPHeaders(
                [
                    .init("Location", "/app/\(query)"),
                    .init("Cache-Control", "no-cache"),
                ] + Self.fields
            )
        )
    }

    /// Header fields for every page: no content from elsewhere, no inline content, no frames.
    private static let fields = [
        HeaderField(
            "Content-Security-Policy",
            """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; \
            connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'
            """
        ),
        .init("X-Content-Type-Options", "nosniff"),
        // The app's own requests say which page they come from; other sites learn nothing.
        .init("Referrer-Policy", "same-origin"),
    ]
}

extension HTTPHeaders {
    /// Whether a response may be compressed with gzip (RFC 9110, section 12.5.3).
    fileprivate var acceptGzip: Bool {
        values(of: "Accept-Encoding").joined(separator: ",").split(separator: ",").contains { member in
            let parts = member.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
            guard parts.first == "gzip" || parts.first == "x-gzip" else { return false }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            return weight.flatMap { Double($0.dropFirst(2)) } != 0
        }
    }
}

/// A file of the app.
struct AppFile: Sendable {
    /// The path below `/app/`.
    let path: String
    /// The media type.
    let type: String
    let bytes: [UInt8]

    /// Whether people or programs use the file's address directly.
    ///
    /// Documents and scripts name all other files.
    var isDocument: Bool { type.hasPrefix("text/html") || type == "application/json" }

    /// Whether the file contains the paths of others.
    var namesOthers: Bool { type.hasPrefix("text/html") || type.hasPrefix("text/javascript") }
}

/// Inserts the version of the app's files into the paths between them.
struct AssetMarks: Sendable {
    private static let root = Array("/app/".utf8)

    private let version: [UInt8]
    private let assets: Set<[UInt8]>

    /// Creates marks.
    ///
    /// - Parameters:
    ///   - version: The text between `/app/` and the rest of the path.
    ///   - assets: The paths below `/app/` that get it.
    init(_ version: String, for assets: [String]) {
        self.version = Array("\(version)/".utf8)
        self.assets = Set(assets.map { Array($0.utf8) })
    }

    /// Returns the file with the version in each absolute path; relative paths between scripts need none.
    func marked(_ file: [UInt8]) -> [UInt8] {
        var marked: [UInt8] = []
        marked.reserveCapacity(file.count + 32 * version.count)
        var rest = file[...]
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            marked += rest[...slash]
            let hasRoot = rest[slash...].starts(with: Self.root)
            rest = rest[(slash + 1)...]
            guard hasRoot else { continue }
            marked += rest.prefix(Self.root.count - 1)
            rest = rest.dropFirst(Self.root.count - 1)
            if assets.contains(Array(rest.prefix(while: Self.isInPath))) { marked += version }
        }
        return marked + rest
    }

    private static func isInPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Parts that documents have in common: each is one file, which is inserted into the documents.
///
/// A document has a mark `<!-- navigation: PATH -->` with its own path, or the path of the page that it belongs
/// to and the word `within`; `<!-- navigation -->` if it is none of the pages. The mark `<!-- dock -->` stands for
/// the dock.
enum SharedParts {
    private static let paths = ["navigation", "dock"]

    /// Returns the files without the parts, and with the parts in each document.
    static func inserted(into files: [AppFile]) -> [AppFile] {
        let parts = files.filter { paths.contains($0.path) }
        return files.filter { !paths.contains($0.path) }.map { file in
            guard file.type.hasPrefix("text/html") else { return file }
            let document = parts.reduce(String(decoding: file.bytes, as: UTF8.self)) { document, part in
                inserted(String(decoding: part.bytes, as: UTF8.self), named: part.path, into: document)
            }
            return AppFile(path: file.path, type: file.type, bytes: Array(document.utf8))
        }
    }

    private static func inserted(_ part: String, named name: String, into document: String) -> String {
        guard let start = document.firstRange(of: "<!-- \(name)"),
            let end = document[start.upperBound...].firstRange(of: " -->")
        else { return document }
        let words = document[start.upperBound..<end.lowerBound].split(separator: " ").dropFirst()
        let link = " href=\"\(words.first ?? "")\""
        let current = words.count > 1 ? "true" : "page"
        let marked = part.replacing(link, with: "\(link) aria-current=\"\(current)\"")
        return document[..<start.lowerBound] + (words.isEmpty ? part : marked) + document[end.upperBound...]
    }
}

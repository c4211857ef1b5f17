import CAppPages
import CalotypeHTTP
import HTTPListener

/// The files of the app, which are part of the binary.
struct AppPages: Sendable {
    private struct Page: Sendable {
        let mediaType: String
        let bytes: [UInt8]
    }

    private let pages: [String: Page]

    init() {
        var pages: [String: Page] = [:]
        for index in 0..<capp_page_count() {
            guard let page = unsafe capp_page_at(index) else { continue }
            let bytes = unsafe Array(
                UnsafeBufferPointer(start: page.pointee.bytes, count: page.pointee.count)
            )
            unsafe pages[String(cString: page.pointee.path)] = Page(
                mediaType: String(cString: page.pointee.media_type),
                bytes: bytes
            )
        }
        self.pages = pages
    }

    func response(to request: IncomingRequest, at path: String) -> OutgoingResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            return OutgoingResponse(405, HTTPHeaders([.init(unchecked: "Allow", "GET, HEAD")]))
        }
        guard let page = pages[path] else { return OutgoingResponse(404) }
        let headers = HTTPHeaders([
            .init(unchecked: "Content-Type", page.mediaType), .init(unchecked: "Cache-Control", "no-cache"),
        ])
        return OutgoingResponse(200, headers, .bytes(page.bytes))
    }
}

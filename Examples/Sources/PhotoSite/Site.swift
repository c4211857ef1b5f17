import CalotypeHTTPListener
import CalotypeHTTPMessages
import CalotypeServer

/// A site with a page of its own and, below `/thumbnails/`, thumbnails of photos elsewhere.
struct Site: HTTPResponding {
    let thumbnails: ThumbnailServer
    /// The signed path of each thumbnail.
    let paths: [String]

    /// Creates a site that shows `photos`.
    init(_ thumbnails: ThumbnailServer, photos: [String]) throws {
        self.thumbnails = thumbnails
        paths = try photos.map { photo in
            try thumbnails.path(to: photo, options: ["rs:fill:96:96"], format: "webp")
        }
    }

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        guard request.target == "/" else { return thumbnails.firstAnswer(to: request) }
        let images = paths.map { "<img src=\"\($0)\" alt=\"\">\n" }
        var page = OutgoingResponse(200)
        page.headers.append(.init("Content-Type", "text/html; charset=utf-8"))
        page.body = .bytes(Array(("<!doctype html>\n<title>Photos</title>\n" + images.joined()).utf8))
        return .now(page)
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        await thumbnails.response(to: request)
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        thumbnails.exchangeEnded(exchange)
    }
}

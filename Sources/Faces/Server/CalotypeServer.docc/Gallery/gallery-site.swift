import CalotypeServer

/// A page with all photos, and their thumbnails.
struct Site: HTTPResponding {
    private let thumbnails: ThumbnailServer
    private let page: String

    init(_ thumbnails: ThumbnailServer, _ photos: [Photo]) throws {
        self.thumbnails = thumbnails
        let figures = try photos.map { photo in
            let path = try thumbnails.path(to: photo.url, options: ["rs:fill:240:240"], format: "webp")
            return """
                <figure><img src="\(path)" width="240" height="240" alt=""><figcaption>\(photo.size)</figcaption></figure>

                """
        }
        page = "<!doctype html>\n<title>Gallery</title>\n" + figures.joined()
    }

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        guard request.target == "/" else { return thumbnails.firstAnswer(to: request) }
        var response = OutgoingResponse(200)
        response.headers.append(HeaderField("Content-Type", "text/html; charset=utf-8"))
        response.body = .bytes(Array(page.utf8))
        return .now(response)
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        await thumbnails.response(to: request)
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        thumbnails.exchangeEnded(exchange)
    }
}

import Calotype

/// A request and a response of the shape that Hummingbird 2 and Vapor 5 have: the body arrives in chunks.
///
/// There it is `request.body.map(\.readableBytesView)`, and the handler stays as it is.
struct Request: Sendable {
    var contentLength: Int?
    let body: AsyncStream<[UInt8]>
}

struct Response: Sendable {
    let status: Int
    let body: String
}

/// Receives photos: checks them as they arrive, and stores each in three sizes.
struct PhotoHandler: Sendable {
    let pipeline: ImagePipeline
    let shelf: PhotoShelf

    private static let specs = [128, 512, 1600].map { RenditionSpec(.fit($0, $0), .jpeg(quality: 82)) }

    private static var limits: ImageLimits {
        var limits = ImageLimits()
        limits.sourceBytes = .mebibytes(8)
        return limits
    }

    func respond(to request: Request) async throws -> Response {
        do {
            let length = request.contentLength.map { ByteCount($0) }
            return try await pipeline.withUpload(request.body, length: length, limits: Self.limits) {
                upload in
                // One decode makes all three; a photo that is damaged further back fails here.
                let results = try await pipeline.load(ImageRequest(upload.source), as: Self.specs)
                let sizes = try results.map { try $0.get() }
                await shelf.add(sizes)
                let facts = upload.info.facts
                return Response(status: 201, body: "\(facts.format) of \(facts.size), \(sizes.count) sizes")
            }
        } catch let error as CalotypeError {
            return Response(status: Self.status(of: error), body: error.message)
        }
    }

    private static func status(of error: CalotypeError) -> Int {
        switch error.code {
        case .tooManyBytes: 413
        case .unsupportedFormat: 415
        case .storageFailed, .resourceShortage: 503
        default: 422
        }
    }
}

/// Where the photos go.
actor PhotoShelf {
    private(set) var photos: [[Rendition]] = []

    func add(_ sizes: [Rendition]) { photos.append(sizes) }
}

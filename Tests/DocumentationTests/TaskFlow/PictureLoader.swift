import Dispatch

/// A picture.
struct Picture: Hashable, Sendable {
    var url: String
}

/// A loader with callbacks.
struct PictureLoader: Sendable {
    struct Request: Sendable {
        func cancel() {}
    }

    func load(
        _ url: String,
        then completion: @escaping @Sendable (Result<Picture, any Error>) -> Void
    ) -> Request {
        DispatchQueue.global().async { completion(.success(Picture(url: url))) }
        return Request()
    }
}

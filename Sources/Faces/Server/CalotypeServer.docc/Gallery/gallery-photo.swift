import Calotype

/// A photo that can be loaded.
struct Photo {
    let url: String
    let size: PixelSize

    /// Returns the photos at `urls` that can be loaded, and prints why the others are left out.
    static func all(at urls: [String], _ pipeline: ImagePipeline) async -> [Photo] {
        await withConcurrentResults(of: urls, limit: 8, order: .input) { url in
            try await pipeline.info(of: .url(url)).facts.size
        } body: { results in
            var photos: [Photo] = []
            for await result in results {
                switch result.result {
                case .success(let size): photos.append(Photo(url: result.input, size: size))
                case .failure(let error): print("left out:", error)
                }
            }
            return photos
        }
    }
}

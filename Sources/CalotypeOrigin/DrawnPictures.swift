public import SamplePictures
import TaskFlow

/// Sample pictures, drawn when somebody asks for them.
public struct DrawnPictures: PictureServing {
    private let renderer: SampleRenderer

    /// Creates a source of the renderer's collection.
    public init(_ renderer: SampleRenderer) {
        self.renderer = renderer
    }

    /// The names of the collection.
    public var names: [String] { renderer.collection.specs.map(\.name) }

    /// The picture called `name`; `nil` where the collection has none of that name.
    public func picture(named name: String) async throws -> ServedPicture? {
        guard let bytes = try await renderer.bytes(named: name) else { return nil }
        // The seed and the name say what the bytes are, so that megabytes need not be hashed for each request.
        var identity = SeededRandom(seed: renderer.collection.seed, text: name)
        return ServedPicture(
            bytes: bytes,
            mediaType: ServedPicture.mediaType(ofName: name),
            entityTag: "\"\(String(identity.next(), radix: 16))-\(String(bytes.count, radix: 16))\""
        )
    }
}

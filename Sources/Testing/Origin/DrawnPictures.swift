import CalotypeCore
public import CalotypeSamplePictures
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
        return served(bytes, name, mediaType: ServedPicture.mediaType(ofName: name))
    }

    /// The picture called `name`, drawn anew at most `side` pixels wide and high; `nil` where there is none.
    public func smallPicture(named name: String, side: Int) async throws -> ServedPicture? {
        guard let bytes = try await renderer.smallBytes(named: name, side: side) else { return nil }
        return served(bytes, "\(side)/\(name)", mediaType: ImageFormat.jpeg.mediaType)
    }

    private func served(_ bytes: [UInt8], _ name: String, mediaType: String) -> ServedPicture {
        // The seed and the name say what the bytes are, so that megabytes need not be hashed for each request.
        var identity = SeededRandom(seed: renderer.collection.seed, text: name)
        return ServedPicture(
            bytes: bytes,
            mediaType: mediaType,
            entityTag: "\"\(String(identity.next(), radix: 16))-\(String(bytes.count, radix: 16))\""
        )
    }
}

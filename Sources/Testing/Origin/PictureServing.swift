/// Where an origin takes its pictures from.
public protocol PictureServing: Sendable {
    /// The names, in the order of the lists; they may contain slashes.
    var names: [String] { get }

    /// The picture called `name`; `nil` where there is none.
    func picture(named name: String) async throws -> ServedPicture?

    /// The picture called `name`, at most `side` pixels wide and high; `nil` where there is none, or where the source
    /// has no cheaper way to it than its full size, as by default.
    func smallPicture(named name: String, side: Int) async throws -> ServedPicture?
}

extension PictureServing {
    /// `nil`: there is no cheaper way than the full size.
    public func smallPicture(named name: String, side: Int) async throws -> ServedPicture? { nil }
}

/// Pictures in memory, by name.
public struct PicturesInMemory: PictureServing {
    private let pictures: [String: ServedPicture]

    /// Creates a source of the encoded pictures in `files`; the end of a name tells the media type.
    public init(_ files: [String: [UInt8]]) {
        pictures = Dictionary(
            uniqueKeysWithValues: files.map { name, bytes in
                (name, ServedPicture(bytes: bytes, mediaType: ServedPicture.mediaType(ofName: name)))
            }
        )
    }

    /// The names, sorted.
    public var names: [String] { pictures.keys.sorted() }

    /// The picture called `name`; `nil` where there is none.
    public func picture(named name: String) async throws -> ServedPicture? {
        pictures[name]
    }
}

internal import Calotype
internal import CalotypeCodec
internal import CalotypeCore
internal import CalotypeDigests
internal import TaskFlow

/// Examines a post's media before anything is sent.
///
/// It detects their types, and checks that they are intact and that the server accepts them.
struct MediaInspector: Sendable {
    /// How many media to examine at a time.
    static let width = 4

    let pipeline: ImagePipeline
    let disk: any TaskExecutor
    let limits: MediaLimits
    let needsMD5: Bool
    let keepsLocation: Bool

    /// Examines the text and all media, several at a time.
    ///
    /// - Throws: `post_refused` if the server does not accept a part of the post; `corrupt_image` and others
    ///   for an image that is not intact; `file_not_readable`.
    func plan(_ post: Post) async throws -> [PlannedMedium] {
        try checkText(of: post)
        let jobs = post.media.enumerated().map { position, medium in
            Job { try await plan(medium, at: position) }
        }
        return try await Job<[PlannedMedium]>.group(jobs, width: Self.width).run()
    }

    private func checkText(of post: Post) throws(CalotypeError) {
        guard !post.text.isEmpty || !post.media.isEmpty else {
            throw Self.refused("the post has neither text nor media")
        }
        if let most = limits.count, post.media.count > most {
            throw Self.refused(
                "the post has \(post.media.count) media; the server accepts at most \(most)"
            )
        }
        let count = limits.characterCount(of: post.text) + (post.contentWarning?.count ?? 0)
        if let most = limits.textCharacters, count > most {
            let counted = post.contentWarning == nil ? "text has" : "text and its content warning have"
            throw Self.refused("the \(counted) \(count) characters; the server accepts at most \(most)")
        }
    }

    // MARK: One medium

    private func plan(_ medium: Media, at position: Int) async throws -> PlannedMedium {
        if let most = limits.altTextCharacters, let text = medium.altText, text.count > most {
            throw Self.refused(
                "the alt text of \(Self.label(medium, position)) has \(text.count) characters; the server accepts at most \(most)"
            )
        }
        let thumbnail = try await checkThumbnail(of: medium)
        var planned = try await planSource(of: medium, at: position)
        planned.thumbnailOrigin = thumbnail
        return planned
    }

    private func planSource(of medium: Media, at position: Int) async throws -> PlannedMedium {
        switch medium.source {
        case .file(let path):
            let found = try await disk.run { try FileInspection(path, needsMD5: needsMD5) }
            return try await plan(medium, at: position, .file(found.file), found.type, found.file.sha256)
        case .bytes(let bytes):
            guard !bytes.isEmpty else { throw Self.refused("medium \(position + 1) is empty") }
            let (digest, type) = try await disk.run {
                (try Digest(.sha256, of: bytes), MediaSniffer.type(of: bytes))
            }
            return try await plan(medium, at: position, .bytes(bytes), type, digest.hexadecimal)
        case .rendition(let request):
            return try await planRendition(medium, at: position, request)
        }
    }

    private func plan(
        _ medium: Media,
        at position: Int,
        _ making: PlannedMedium.Making,
        _ type: MediaType,
        _ origin: String
    ) async throws -> PlannedMedium {
        var (making, type, change) = (making, type, String?.none)
        let size = making.size
        var losesLocation = false
        if let format = type.imageFormat {
            // This finds truncated files; their pixels are checked during the upload.
            let pixels = try await pipeline.info(of: making.source).facts.size
            if let smaller = try smaller(making, format, pixels) {
                (making, type, change) = (.rendition(smaller.request), smaller.type, smaller.reason)
            } else if !keepsLocation, let placeless = try await placeless(making) {
                (making, change, losesLocation) = (placeless, "without its GPS position", true)
            }
        } else {
            try checkFile(type, size, Self.label(medium, position))
        }
        return PlannedMedium(
            position: position,
            name: name(of: medium, at: position, type),
            type: type,
            sourceSize: size,
            change: change,
            losesLocation: losesLocation,
            origin: origin,
            making: making,
            medium: medium
        )
    }

    private func planRendition(
        _ medium: Media,
        at position: Int,
        _ request: ImageRequest
    ) async throws -> PlannedMedium {
        let type = request.output.mediaType ?? MediaType("image/jpeg")
        return PlannedMedium(
            position: position,
            name: name(of: medium, at: position, type),
            type: type,
            sourceSize: nil,
            origin: try await origin(of: request),
            making: .rendition(request),
            medium: medium
        )
    }

    /// Returns a value that identifies a source: the digest of its bytes, or of what creates them.
    private func origin(of source: Media.Source) async throws -> String {
        switch source {
        case .file(let path): try await disk.run { try FileInspection(path) }.file.sha256
        case .bytes(let bytes): try await disk.run { try Digest(.sha256, of: bytes).hexadecimal }
        case .rendition(let request): try await origin(of: request)
        }
    }

    private func origin(of request: ImageRequest) async throws -> String {
        let source =
            switch request.source {
            case .url(let text): text
            case .file(let path): try await origin(of: Media.Source.file(path: path))
            case .bytes(let bytes): try await origin(of: Media.Source.bytes(bytes))
            case .provided(let provider): "\(provider)"
            }
        return try Digest(.sha256, of: "\(source) \(request.transform) \(request.output)").hexadecimal
    }

    private func checkFile(_ type: MediaType, _ size: ByteCount?, _ label: String) throws(CalotypeError) {
        if let types = limits.types, !types.contains(type.name) {
            throw Self.refused("\(label) is \(type), which the server does not accept")
        }
        let most = type.kind == .image ? limits.imageBytes ?? limits.fileBytes : limits.fileBytes
        if let most, let size, size > most {
            throw Self.refused("\(label) has \(size); the server accepts at most \(most)")
        }
    }

    /// Returns a replacement for a photo that contains its GPS position; `nil` for any other.
    private func placeless(_ making: PlannedMedium.Making) async throws -> PlannedMedium.Making? {
        switch making {
        case .file(let file):
            // The copy is created when the upload begins: all copies of a post's photos may not fit in
            // memory.
            let tells = try await disk.run { try LocationWiping.wiped(.file(path: file.path)) != nil }
            return tells ? .placeless(file) : nil
        case .bytes(let bytes):
            return try await disk.run { try LocationWiping.wiped(.bytes(bytes)) }.map { .bytes($0) }
        case .placeless, .rendition: return nil
        }
    }

    /// Decodes the medium's thumbnail, if it already exists, and returns the value that identifies it.
    private func checkThumbnail(of medium: Media) async throws -> String? {
        guard let thumbnail = medium.thumbnail else { return nil }
        let origin = try await origin(of: thumbnail)
        let source: ImageSource
        switch thumbnail {
        case .rendition: return origin
        case .bytes(let bytes): source = .bytes(bytes)
        case .file(let path): source = .file(path: path)
        }
        try await pipeline.checkPixels(of: source)
        return origin
    }

    /// Returns a replacement for an image that is too large for the server, or has another format.
    ///
    /// The result is `nil` if the image can be sent unchanged.
    private func smaller(
        _ making: PlannedMedium.Making,
        _ format: ImageFormat,
        _ size: PixelSize
    ) throws(CalotypeError) -> (request: ImageRequest, type: MediaType, reason: String)? {
        let isTaken = limits.types.map { $0.contains(format.mediaType) } ?? true
        let shrink = PictureShrink(limits)
        guard !isTaken || !shrink.allows(making.size, size) else { return nil }
        let wanted = isTaken ? format : .jpeg
        guard limits.types.map({ $0.contains(wanted.mediaType) }) ?? true else {
            throw Self.refused("the server accepts neither \(format.mediaType) nor \(wanted.mediaType)")
        }
        let output = PictureShrink.output(for: wanted)
        let box = shrink.box(for: size)
        let request = ImageRequest(making.source, .fit(box.width, box.height), output)
        let reason =
            isTaken
            ? "made smaller: the server accepts \(shrink.told)"
            : "the server does not accept \(format.rawValue)"
        return (request, output.mediaType ?? MediaType(wanted.mediaType), reason)
    }

    private func name(of medium: Media, at position: Int, _ type: MediaType) -> String {
        if let name = medium.name { return MediaName.cleaned(name, type: type) }
        if case .file(let path) = medium.source { return MediaName.cleaned(path, type: type) }
        return MediaName.cleaned("media-\(position + 1)", type: type)
    }

    /// Returns the name that messages use for a medium.
    private static func label(_ medium: Media, _ position: Int) -> String {
        if let name = medium.name { return name }
        if case .file(let path) = medium.source { return path }
        return "medium \(position + 1)"
    }

    static func refused(_ message: String) -> CalotypeError {
        CalotypeError(.postRefused, message, stage: .request)
    }
}

extension ImagePipeline {
    /// Decodes a medium that is sent unchanged, if it is an image.
    ///
    /// - Throws: `corrupt_image` and others if the image is not intact; `source_changed` if a file changed since
    ///   it was examined, whatever it contains now.
    func checkPixels(of plan: PlannedMedium) async throws {
        guard plan.type.imageFormat != nil else { return }
        switch plan.making {
        case .bytes: try await checkPixels(of: plan.making.source)
        case .rendition: break
        case .file(let file), .placeless(let file):
            do {
                try await checkPixels(of: plan.making.source)
            } catch {
                // Another version may be damaged where this one is not.
                try await disk.run { try file.checkUnchanged() }
                throw error
            }
            try await disk.run { try file.checkUnchanged() }
        }
    }

    /// Decodes an image at a small size, which reads all of it.
    ///
    /// An image with too many pixels to decode passes.
    fileprivate func checkPixels(of source: ImageSource) async throws {
        var request = ImageRequest(source, .fit(32, 32))
        request.cachePolicy = .noStore
        do {
            _ = try await bitmap(for: request)
        } catch let error as CalotypeError where error.code == .tooManyPixels {}
    }
}

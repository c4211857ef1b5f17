internal import Calotype
internal import CalotypeCore
internal import Digests
internal import TaskFlow

/// Looks at the media of a post before anything is sent: what they are, whether they are sound, whether the server takes them.
struct MediaInspector: Sendable {
    let pipeline: ImagePipeline
    let disk: any TaskExecutor
    let limits: MediaLimits
    let needsMD5: Bool

    /// Looks at all media, a few at a time, and at the text.
    ///
    /// - Throws: `post_refused` for what the server does not take; `corrupt_image` and others for a picture that is not
    ///   sound; `file_not_readable`.
    func plan(_ post: Post) async throws -> [PlannedMedium] {
        try checkText(of: post)
        let jobs = post.media.enumerated().map { position, medium in
            Job { try await plan(medium, at: position) }
        }
        return try await Job<[PlannedMedium]>.group(jobs, width: 4).run()
    }

    private func checkText(of post: Post) throws(CalotypeError) {
        guard !post.text.isEmpty || !post.media.isEmpty else {
            throw Self.refused("the post has neither a text nor a medium")
        }
        if let most = limits.count, post.media.count > most {
            throw Self.refused(
                "the server takes \(most) media in one post, and this one has \(post.media.count)"
            )
        }
        let count = limits.characterCount(of: post.text)
        if let most = limits.textCharacters, count > most {
            throw Self.refused("the text has \(count) characters, and the server takes \(most)")
        }
    }

    // MARK: One medium

    private func plan(_ medium: Media, at position: Int) async throws -> PlannedMedium {
        if let most = limits.altTextCharacters, let text = medium.altText, text.count > most {
            throw Self.refused(
                "the alt text of \(Self.label(medium, position)) has \(text.count) characters, and the server takes \(most)"
            )
        }
        try await checkThumbnail(of: medium)
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
            return try planRendition(medium, at: position, request)
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
        if let format = type.imageFormat {
            let pixels = try await checkPicture(making)
            if let smaller = try smaller(making, format, pixels) {
                (making, type, change) = (.rendition(smaller.request), smaller.type, smaller.reason)
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
            origin: origin,
            making: making,
            medium: medium
        )
    }

    private func planRendition(
        _ medium: Media,
        at position: Int,
        _ request: ImageRequest
    ) throws -> PlannedMedium {
        let type = request.output.mediaType ?? MediaType("image/jpeg")
        let description = "\(request.source.label) \(request.transform) \(request.output)"
        return PlannedMedium(
            position: position,
            name: name(of: medium, at: position, type),
            type: type,
            sourceSize: nil,
            origin: try Digest(.sha256, of: description).hexadecimal,
            making: .rendition(request),
            medium: medium
        )
    }

    private func checkFile(_ type: MediaType, _ size: ByteCount?, _ label: String) throws(CalotypeError) {
        if let types = limits.types, !types.contains(type.name) {
            throw Self.refused("the server does not take \(type), which \(label) is")
        }
        let most = type.kind == .image ? limits.imageBytes ?? limits.fileBytes : limits.fileBytes
        if let most, let size, size > most {
            throw Self.refused("\(label) has \(size), and the server takes at most \(most)")
        }
    }

    /// Decodes the picture small, which reads all of it, and tells its size.
    ///
    /// One that is too large to be decoded whole is only looked at.
    private func checkPicture(_ making: PlannedMedium.Making) async throws -> PixelSize {
        let source = making.source
        var request = ImageRequest(source, .fit(32, 32))
        request.cachePolicy = .noStore
        let info = try await pipeline.info(of: source)
        do {
            _ = try await pipeline.bitmap(for: request)
        } catch let error as CalotypeError where error.code == .tooManyPixels {
            return info.facts.size
        }
        return info.facts.size
    }

    /// Decodes the picture that stands for the medium, where there is one already.
    private func checkThumbnail(of medium: Media) async throws {
        let source: ImageSource
        switch medium.thumbnail {
        case nil, .rendition: return
        case .bytes(let bytes): source = .bytes(bytes)
        case .file(let path):
            source = .file(path: path)
            _ = try await disk.run { try FileInspection(path) }
        }
        var request = ImageRequest(source, .fit(32, 32))
        request.cachePolicy = .noStore
        _ = try await pipeline.bitmap(for: request)
    }

    /// What is sent in place of a picture that is larger than the server takes, or of another format; `nil` where it is sent as it is.
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
            throw Self.refused("the server takes neither \(format.mediaType) nor \(wanted.mediaType)")
        }
        let output = PictureShrink.output(for: wanted)
        let box = shrink.box(for: size)
        let request = ImageRequest(making.source, .fit(box.width, box.height), output)
        let reason =
            isTaken
            ? "made smaller: the server takes \(shrink.told)" : "the server takes no \(format.rawValue)"
        return (request, output.mediaType ?? MediaType(wanted.mediaType), reason)
    }

    private func name(of medium: Media, at position: Int, _ type: MediaType) -> String {
        if let name = medium.name { return MediaName.cleaned(name, type: type) }
        if case .file(let path) = medium.source { return MediaName.cleaned(path, type: type) }
        return MediaName.cleaned("media-\(position + 1)", type: type)
    }

    /// What people know a medium by.
    private static func label(_ medium: Media, _ position: Int) -> String {
        if let name = medium.name { return name }
        if case .file(let path) = medium.source { return path }
        return "medium \(position + 1)"
    }

    static func refused(_ message: String) -> CalotypeError {
        CalotypeError(.postRefused, message, stage: .request)
    }
}

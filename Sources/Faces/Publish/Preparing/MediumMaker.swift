internal import Calotype
internal import CalotypeCodec
internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// Creates the file to send, if the source cannot be sent unchanged.
struct MediumMaker: Sendable {
    let pipeline: ImagePipeline
    let disk: any TaskExecutor
    let limits: MediaLimits
    let needsMD5: Bool
    let keepsLocation: Bool
    /// The folder for the files that are created.
    let folder: String

    /// Returns the file to send for `plan`, with its type and name.
    ///
    /// - Throws: What the pipeline throws; `post_refused` if an image cannot be reduced enough;
    ///   `storage_failed`.
    func file(for plan: PlannedMedium) async throws -> (file: SourceFile, type: MediaType, name: String) {
        switch plan.making {
        case .file(let file): return (file, plan.type, plan.name)
        case .placeless(let file):
            let bytes = try await disk.run {
                try file.checkUnchanged()
                return try LocationWiping.wiped(.file(path: file.path))
            }
            guard let bytes else { throw FileInspection.changed(file.path) }
            return (try await write(bytes, named: "\(plan.position)"), plan.type, plan.name)
        case .bytes(let bytes):
            return (try await write(bytes, named: "\(plan.position)"), plan.type, plan.name)
        case .rendition(let request):
            let rendition = try await smallEnough(request)
            let type = MediaType(rendition.format.mediaType)
            let file = try await write(rendition.bytes, named: "\(plan.position)")
            return (file, type, MediaName.cleaned(plan.name, type: type))
        }
    }

    /// Returns the file of the medium's thumbnail, if it has one.
    func thumbnail(for plan: PlannedMedium) async throws -> SourceFile? {
        switch plan.medium.thumbnail {
        case nil: return nil
        case .file(let path):
            let file = try await disk.run { try FileInspection(path) }.file
            guard let placeless = try await placeless(.file(path: path)) else { return file }
            return try await write(placeless, named: "\(plan.position)-thumbnail")
        case .bytes(let bytes):
            let placeless = try await placeless(.bytes(bytes))
            return try await write(placeless ?? bytes, named: "\(plan.position)-thumbnail")
        case .rendition(let request):
            return try await write(
                pipeline.rendition(for: request).bytes,
                named: "\(plan.position)-thumbnail"
            )
        }
    }

    /// Returns the image without its GPS position.
    ///
    /// The result is `nil` if the image has none, or is to keep it.
    private func placeless(_ input: CodecInput) async throws -> [UInt8]? {
        guard !keepsLocation else { return nil }
        return try await disk.run { try LocationWiping.wiped(input) }
    }

    private func smallEnough(_ request: ImageRequest) async throws -> Rendition {
        var request = request
        let shrink = PictureShrink(limits)
        for _ in 0..<8 {
            let rendition = try await pipeline.rendition(for: request)
            let length = ByteCount(rendition.bytes.count)
            guard !shrink.allows(length, rendition.size) else { return rendition }
            let box = shrink.box(after: length, rendition.size)
            request.transform = .fit(box.width, box.height)
        }
        throw MediaInspector.refused(
            "the image cannot be made small enough: the server accepts \(shrink.told)"
        )
    }

    private func write(_ bytes: [UInt8], named name: String) async throws -> SourceFile {
        let path = "\(folder)/\(name)"
        return try await disk.run {
            do {
                try JournalFolder.create(folder)
                try AtomicFile.write(bytes, to: path)
            } catch {
                throw CalotypeError(.storageFailed, "\(path): \(error)", stage: .store, cause: error)
            }
            return try FileInspection(path, needsMD5: needsMD5).file
        }
    }
}

/// The size limits that a server sets for images.
struct PictureShrink: Sendable {
    private let bytes: ByteCount?
    private let pixels: Int?

    init(_ limits: MediaLimits) {
        bytes = limits.imageBytes ?? limits.fileBytes
        pixels = limits.imagePixels
    }

    /// The limits, for people.
    var told: String {
        [bytes.map { "\($0)" }, pixels.map { "\($0) pixels" }].compactMap(\.self).joined(separator: " and ")
    }

    /// Whether an image is within the limits.
    func allows(_ length: ByteCount?, _ size: PixelSize) -> Bool {
        if let bytes, let length, length > bytes { return false }
        if let pixels, size.width * size.height > pixels { return false }
        return true
    }

    /// Returns the largest box of the same proportions that has no more pixels than allowed.
    func box(for size: PixelSize) -> PixelSize {
        guard let pixels, size.width * size.height > pixels else { return size }
        return scaled(size, by: sqrt(Double(pixels) / Double(size.width * size.height)))
    }

    /// Returns a box for the next try, after an image of `size` had `length`.
    func box(after length: ByteCount, _ size: PixelSize) -> PixelSize {
        guard let bytes, length > bytes else { return box(for: size) }
        return scaled(size, by: 0.95 * sqrt(Double(bytes.bytes) / Double(length.bytes)))
    }

    private func scaled(_ size: PixelSize, by factor: Double) -> PixelSize {
        PixelSize(
            width: max(Int(Double(size.width) * factor), 1),
            height: max(Int(Double(size.height) * factor), 1)
        )
    }

    /// Returns an output of the same format if the pipeline can write it, and otherwise JPEG.
    static func output(for format: ImageFormat) -> OutputFormat {
        switch format {
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        default: .jpeg(quality: 90)
        }
    }
}

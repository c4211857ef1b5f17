public import CalotypeCore
import CalotypePlatform
public import CalotypeSamplePictures
import FoundationEssentials
import TaskFlow

/// The picture files of a folder and its sub-folders, as listed at the start.
///
/// Serves only the names in the list, so that no request can reach a file elsewhere. Reads files on a thread
/// of its own.
public struct FolderPictures: PictureServing {
    /// The maximum number of files listed.
    public static let largestCount = 100_000
    /// The size of the largest file served.
    public static let largestFile = ByteCount.mebibytes(256)

    /// The names, relative to the folder, sorted.
    public let names: [String]
    private let known: Set<String>
    private let folder: String
    private let executor: any TaskExecutor

    /// Lists the picture files below `folder`.
    ///
    /// Blocks the calling thread.
    ///
    /// - Throws: `file_not_readable` if the folder cannot be listed.
    init(folder: String, executor: any TaskExecutor) throws(CalotypeError) {
        self.folder = folder
        self.executor = executor
        do {
            let all = try FileManager.default.subpathsOfDirectory(atPath: folder)
            let pictures = all.filter { ServedPicture.mediaType(ofName: $0).hasPrefix("image/") }
            names = Array(pictures.sorted().prefix(Self.largestCount))
            known = Set(names)
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "the folder \(folder) cannot be listed",
                stage: .request,
                cause: error
            )
        }
    }

    /// Returns the file called `name`, or `nil` if it was not listed, is gone or is too large.
    public func picture(named name: String) async throws -> ServedPicture? {
        guard known.contains(name) else { return nil }
        let path = "\(folder)/\(name)"
        return await withTaskExecutorPreference(executor) { await Self.read(path) }
    }

    @concurrent
    private static func read(_ path: String) async -> ServedPicture? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, facts.st_size <= largestFile.bytes else { return nil }
        // For the client, a file that cannot be read does not exist. The origin has no log to say more in.
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return ServedPicture(
            bytes: Array(bytes),
            mediaType: ServedPicture.mediaType(ofName: path),
            lastModified: facts.modifiedTime.tv_sec
        )
    }
}

/// Runs `body` with the pictures of `folder`.
///
/// Returns when the thread that reads them has ended.
///
/// - Throws: `file_not_readable` if the folder cannot be listed; what `body` throws; `thread_not_started`.
public func withFolderPictures<Output>(
    _ folder: String,
    _ body: (FolderPictures) async throws -> Output
) async throws -> Output {
    try await withThreadExecutor(name: "reading", threads: 2) { executor in
        try await body(FolderPictures(folder: folder, executor: executor))
    }
}

/// Sample pictures, drawn on request.
public struct DrawnPictures: PictureServing {
    private let renderer: SampleRenderer

    /// Creates a source of the renderer's collection.
    public init(_ renderer: SampleRenderer) {
        self.renderer = renderer
    }

    /// The names of the collection.
    public var names: [String] { renderer.collection.specs.map(\.name) }

    /// Returns the picture called `name`, or `nil` if the collection has none.
    public func picture(named name: String) async throws -> ServedPicture? {
        guard let bytes = try await renderer.bytes(named: name) else { return nil }
        return served(bytes, name, mediaType: ServedPicture.mediaType(ofName: name))
    }

    /// Draws the picture called `name` again, at most `side` pixels wide and high.
    ///
    /// `nil` if there is none.
    public func smallPicture(named name: String, side: Int) async throws -> ServedPicture? {
        guard let bytes = try await renderer.smallBytes(named: name, side: side) else { return nil }
        return served(bytes, "\(side)/\(name)", mediaType: ImageFormat.jpeg.mediaType)
    }

    private func served(_ bytes: [UInt8], _ name: String, mediaType: String) -> ServedPicture {
        // The seed and the name determine the bytes, so there is no need to hash megabytes for each request.
        var identity = SeededRandom(seed: renderer.collection.seed, text: name)
        return ServedPicture(
            bytes: bytes,
            mediaType: mediaType,
            entityTag: "\"\(String(identity.next(), radix: 16))-\(String(bytes.count, radix: 16))\""
        )
    }
}

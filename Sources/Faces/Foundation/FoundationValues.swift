public import Calotype
public import CalotypeCore
public import FoundationEssentials
public import TaskFlow

extension ImageRequest {
    /// Creates a request for the picture at `url`, which is a web address or a file's.
    ///
    /// Its priority is that of the current task by default.
    public init(
        _ url: URL,
        _ transform: Transform = .none,
        _ output: OutputFormat = .jpeg,
        priority: WorkPriority? = nil
    ) {
        self.init(.url(url), transform, output, priority: priority)
    }
}

extension ImageSource {
    /// The picture at `url`, which is a web address or a file's.
    public static func url(_ url: URL) -> ImageSource {
        url.isFileURL ? .file(path: url.path) : .url(url.absoluteString)
    }

    /// Encoded bytes.
    public static func data(_ data: Data) -> ImageSource { .bytes([UInt8](data)) }
}

extension Rendition {
    /// A copy of the encoded bytes.
    public var data: Data { Data(bytes) }
}

extension SourceData {
    /// A copy of the bytes.
    public var data: Data { Data(bytes) }
}

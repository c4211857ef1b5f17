package import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// The source of a run's URLs.
public enum ListSource: Hashable, Sendable {
    /// A text file with one URL per line.
    case file(path: String)
    /// Standard input with one URL per line.
    case standardInput
    /// A list of URLs.
    case urls([String])
    /// Several sources, one after the other.
    case several([ListSource])

    /// Creates a source from a command's operands: URLs, paths of lists, and `-` for standard input, in any
    /// order.
    ///
    /// - Throws: ``BulkError`` if there are none, or standard input is named twice.
    public init(operands: [String]) throws(BulkError) {
        var (sources, urls) = ([ListSource](), [String]())
        for operand in operands {
            if operand.contains("://") {
                urls.append(operand)
                continue
            }
            if !urls.isEmpty { sources.append(.urls(urls)) }
            urls = []
            sources.append(operand == "-" ? .standardInput : .file(path: operand))
        }
        if !urls.isEmpty { sources.append(.urls(urls)) }
        guard let first = sources.first else { throw BulkError("enter a list or URLs") }
        guard sources.count(where: { $0 == .standardInput }) < 2 else {
            throw BulkError("standard input (-) can be read only once; name it once")
        }
        self = sources.count == 1 ? first : .several(sources)
    }

    /// The sources in order: those of ``several(_:)``, or the source itself.
    var parts: [ListSource] {
        if case .several(let sources) = self { sources.flatMap(\.parts) } else { [self] }
    }

    /// The source's name in messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .urls: "the arguments"
        case .several(let sources): sources.map(\.name).joined(separator: ", ")
        }
    }
}

extension ListSource {
    /// Reads the first `limit` entries of the list into memory.
    ///
    /// - Returns: The entries in order, at least one.
    /// - Throws: ``BulkError`` if the list has no entries or cannot be read; `CancellationError`.
    package func entries(limit: Int) async throws -> [ListItem] {
        try await withThreadExecutor(name: "list", threads: 1) { executor in
            let reader = try await executor.run { try URLListReader(self, executor: executor) }
            try await reader.checkFirst()
            var entries: [ListItem] = []
            while entries.count < limit, let item = try await reader.next() { entries.append(item) }
            return entries
        }
    }

    /// Reads a file, a named pipe or standard input to its end, on a thread, so that waiting can be cancelled.
    ///
    /// - Returns: The bytes, which are not parsed; `nil` if there are more than `limit`.
    /// - Throws: `SystemError`; `CancellationError`.
    package func bytes(atMost limit: ByteCount) async throws -> [UInt8]? {
        try await withThreadExecutor(name: "calotype-input", threads: 1) { executor in
            let input = try await executor.run {
                try InputFile(try URLListReader.file(self), executor: executor)
            }
            var bytes: [UInt8] = []
            while bytes.count <= limit.bytes {
                let chunk = try await input.read()
                if chunk.isEmpty { return bytes }
                bytes += chunk
            }
            return nil
        }
    }
}

/// Counts a list ahead of the run, for the remaining time in the progress.
enum ListCount {
    /// Maximum size of a list to count; for a larger list the total would arrive too late.
    private static let limit = 256 << 20

    /// Returns the number of entries, or `nil` if it cannot be known early: a pipe, a huge file, a read
    /// error.
    ///
    /// Reads the whole file and checks for cancellation every 64 KiB; call it on a thread that may block.
    @concurrent
    static func count(_ source: ListSource) async -> Int? {
        switch source {
        case .urls(let urls): return urls.count
        case .several(let sources):
            var sum = 0
            for source in sources {
                guard let count = await count(source) else { return nil }
                sum += count
            }
            return sum
        case .standardInput: return nil
        // A failed count only omits the total; the reader reports the error.
        case .file(let path): return try? countLines(path)
        }
    }

    private static func countLines(_ path: String) throws -> Int? {
        let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
        let status = try file.status()
        guard status.isKind(S_IFREG), status.st_size <= limit else { return nil }
        var splitter = LineSplitter()
        var count = 0
        var chunk = try file.read(64 << 10)
        if chunk.starts(with: ListLine.byteOrderMark) { chunk.removeFirst(3) }
        while !chunk.isEmpty {
            count += splitter.split(chunk).count { ListLine.isEntry($0.bytes) }
            try Task.checkCancellation()
            chunk = try file.read(64 << 10)
        }
        return count + (ListLine.isEntry(splitter.finish().bytes) ? 1 : 0)
    }
}

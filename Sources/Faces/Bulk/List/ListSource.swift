internal import CalotypeCore
import CalotypeFiles
internal import Glibc
internal import TaskFlow

/// The source of a run's URLs.
public enum ListSource: Hashable, Sendable {
    /// A text file with one URL per line.
    case file(path: String)
    /// Standard input with one URL per line.
    case standardInput
    /// A list of URLs.
    case urls([String])

    /// Creates a source from a command's operands: `-`, the path of one list, or any number of URLs.
    ///
    /// - Throws: ``BulkError`` for a mixture.
    public init(operands: [String]) throws(BulkError) {
        guard let first = operands.first else { throw BulkError("give a list or URLs") }
        if first.contains("://") {
            self = .urls(operands)
        } else if operands.count > 1 {
            throw BulkError("give one list or several URLs, not both ('\(first)')")
        } else {
            self = first == "-" ? .standardInput : .file(path: first)
        }
    }

    /// The source's name in messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .urls: "the arguments"
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

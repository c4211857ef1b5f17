internal import CalotypeCore
import CalotypeFiles
internal import Glibc
internal import TaskFlow

/// Where the URLs of a run come from.
public enum ListSource: Hashable, Sendable {
    /// A text file with one URL per line.
    case file(path: String)
    /// The same from standard input.
    case standardInput
    /// URLs given one by one.
    case urls([String])

    /// Reads a command's operands: `-`, the path of one list, or any number of URLs.
    ///
    /// - Throws: ``FetchSetupError`` for a mixture.
    public init(operands: [String]) throws(FetchSetupError) {
        guard let first = operands.first else { throw FetchSetupError("no list and no URL is given") }
        if first.contains("://") {
            self = .urls(operands)
        } else if operands.count > 1 {
            throw FetchSetupError("give one list or URLs, not '\(first)' and others")
        } else {
            self = first == "-" ? .standardInput : .file(path: first)
        }
    }

    /// The source as messages name it.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .urls: "the arguments"
        }
    }
}

extension ListSource {
    /// Reads the whole list into memory, for those who show it; what comes after `limit` entries is left out.
    ///
    /// - Returns: The entries in order, at least one.
    /// - Throws: ``FetchSetupError`` when the list has no entries or cannot be read; `CancellationError`.
    package func entries(limit: Int) async throws -> [ListItem] {
        try await withThreadExecutor(name: "list", threads: 1) { executor in
            let reader = try URLListReader(self, executor: executor)
            try await reader.checkFirst()
            var entries: [ListItem] = []
            while entries.count < limit, let item = try await reader.next() { entries.append(item) }
            return entries
        }
    }
}

/// Counts a list ahead of the run, so that progress can say how much is left.
enum ListCount {
    /// Lists beyond this many bytes are not counted: the total would come too late to be of use.
    private static let limit = 256 << 20

    /// The number of entries, or `nil` where it is not known before the end: a pipe, a huge file, a read error.
    ///
    /// Reads the whole file and checks for cancellation every 64 KiB; for a thread that may block.
    @concurrent
    static func count(_ source: ListSource) async -> Int? {
        switch source {
        case .urls(let urls): return urls.count
        case .standardInput: return nil
        // A total that cannot be counted is only left out; the reader reports what is wrong with the file.
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

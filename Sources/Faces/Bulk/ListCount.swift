internal import CalotypeCore
internal import Glibc

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

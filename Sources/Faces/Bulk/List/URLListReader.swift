internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// The entries of a URL list, streamed in order, for one consumer.
///
/// The list has one URL per line. Blank lines and lines that begin with `#` are skipped and have no index. A
/// byte order mark, CRLF line ends and spaces around the URL are removed; commas and quotes are part of the
/// URL. A line of more than 64 KiB is an entry with a problem. The whole list is never in memory.
actor URLListReader: AsyncSequence, ListReading {
    typealias Element = ListItem

    struct Iterator: AsyncIteratorProtocol {
        let reader: URLListReader

        mutating func next() async throws -> ListItem? {
            try await reader.next()
        }
    }

    private enum Part {
        case urls([String])
        case file(InputFile)
    }

    /// The parts of the list that have not been read to their end.
    private var parts: ArraySlice<Part>
    private var splitter = LineSplitter()
    private var isAtStart = true
    private var ready = EntriesAhead()

    /// Opens the list without reading from it.
    init(_ source: ListSource, executor: ThreadExecutor) throws(BulkError) {
        var parts: [Part] = []
        for source in source.parts {
            do throws(SystemError) {
                parts.append(try Self.open(source, executor))
            } catch {
                throw BulkError("the list \(source.name) cannot be read: \(error)")
            }
        }
        self.parts = parts[...]
    }

    nonisolated func makeAsyncIterator() -> Iterator {
        Iterator(reader: self)
    }

    /// Waits for the first entry, which ``next()`` then still returns.
    ///
    /// - Throws: ``BulkError`` if the list has no entries or cannot be read; `CancellationError`.
    func checkFirst() async throws {
        try await fill()
        if let problem = ready.firstProblem { throw problem }
    }

    /// Returns the next entry, or `nil` at the end.
    func next() async throws -> ListItem? {
        try await fill()
        return ready.next()
    }

    /// Reads until an entry is ready or the list has ended.
    private func fill() async throws {
        while ready.isEmpty, let part = parts.first {
            switch part {
            case .urls(let urls):
                for url in urls { ready.append(url: url) }
                endPart()
            case .file(let input):
                do {
                    accept(try await input.read())
                } catch let error as SystemError {
                    breakOff("the rest of the list cannot be read: \(error)")
                }
            }
        }
    }

    private func accept(_ chunk: [UInt8]) {
        if isAtStart, chunk.starts(with: [0xFF, 0xFE]) || chunk.starts(with: [0xFE, 0xFF]) {
            return breakOff("the list is UTF-16; save it as UTF-8")
        }
        // Does not wait for a byte order mark that a slow writer sends in pieces.
        let hasMark = isAtStart && chunk.starts(with: ListLine.byteOrderMark)
        isAtStart = false
        var lines = splitter.split(hasMark ? Array(chunk.dropFirst(3)) : chunk)
        if chunk.isEmpty {
            lines.append(splitter.finish())
            endPart()
        }
        for line in lines { append(line) }
    }

    private func append(_ line: LineSplitter.Line) {
        guard let item = ListItem(line, index: ready.nextIndex) else { return }
        ready.append(url: item.url, invalidReason: item.invalidReason)
    }

    /// Ends this part of the list with an entry that contains the error.
    private func breakOff(_ message: String) {
        ready.appendEnd(message)
        endPart()
    }

    private func endPart() {
        parts.removeFirst()
        (splitter, isAtStart) = (LineSplitter(), true)
    }

    private static func open(
        _ source: ListSource,
        _ executor: ThreadExecutor
    ) throws(SystemError) -> Part {
        if case .urls(let urls) = source { return .urls(urls) }
        return .file(try InputFile(try file(source), executor: executor))
    }

    /// Opens a source that is a file or standard input.
    static func file(_ source: ListSource) throws(SystemError) -> OpenFile {
        switch source {
        case .urls, .several: preconditionFailure("\(source) is no file")
        case .standardInput: return OpenFile(descriptor: STDIN_FILENO, isOwned: false)
        case .file(let path):
            // Opening a named pipe without a writer would block; in non-blocking mode, the first read waits
            // for a writer.
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            if try file.status().isKind(S_IFDIR) { throw SystemError("read a folder", code: EISDIR) }
            return file
        }
    }
}

/// Bytes that arrive over time, for one consumer.
protocol ByteReading: Sendable {
    /// Returns the next bytes, or none at the end.
    func read() async throws -> [UInt8]
}

/// A file or pipe that a separate thread reads, so that waiting can be cancelled and blocks nobody.
final class InputFile: ByteReading {
    let file: OpenFile
    private let executor: ThreadExecutor
    private let wakeReader: OpenFile
    private let wakeWriter: OpenFile

    init(_ file: OpenFile, executor: ThreadExecutor) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeReader = OpenFile(descriptor: ends[0])
        wakeWriter = OpenFile(descriptor: ends[1])
        self.file = file
        self.executor = executor
    }

    /// Returns the next bytes, or none at the end.
    ///
    /// - Throws: `CancellationError` immediately if the task is cancelled; the file cannot be used
    ///   afterwards.
    func read() async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(executor) { try await waitAndRead() }
        } onCancel: {
            // One byte always fits; a read that never starts does not need it.
            try? wakeWriter.write([1])
        }
    }

    @concurrent
    private func waitAndRead() async throws -> [UInt8] {
        try Task.checkCancellation()
        var entries = [file, wakeReader].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        while unsafe poll(&entries, 2, -1) < 0 {
            guard errno == EINTR else { throw SystemError("wait for the list") }
        }
        try Task.checkCancellation()
        return try file.read(64 << 10)
    }
}

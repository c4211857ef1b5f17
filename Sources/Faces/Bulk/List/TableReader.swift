internal import CalotypeArchives
import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// The entries of a list in any format, with the columns that are wanted, streamed in order for one consumer.
///
/// A list may consist of several files, each of which is recognised on its own. What cannot be an entry is one
/// with a problem; what makes all further entries doubtful is an entry with the code `file_not_readable`, the
/// last one.
actor TableReader: ListReading {
    private let paths: [String]
    private let format: ListFormat?
    private let columns: ListColumns
    /// Drops entries with a URL that an earlier one has; `nil` to keep all.
    private let seen: Guarded<SeenURLs>?
    private let executor: ThreadExecutor
    private var nextPath = 0
    /// The name of the file that is read, in messages.
    private var name = "the list"
    private var bytes: (any ByteReading)?
    /// The file that is being read, which may be compressed.
    private var file: OpenFile?
    /// The size of all files, and of those before ``file``; `nil` if it is not known.
    private var size: (all: Int, before: Int)?
    private var rows: ListRows?
    private var ready = EntriesAhead()
    private var isAtEnd = false

    init(
        _ paths: [String],
        format: ListFormat?,
        _ columns: ListColumns,
        unique seen: SeenURLs? = nil,
        executor: ThreadExecutor
    ) {
        self.paths = paths
        self.format = format
        self.columns = columns
        self.seen = seen.map { Guarded($0) }
        self.executor = executor
    }

    /// Waits for the first entry, which ``next()`` then still returns.
    ///
    /// - Throws: ``BulkError`` if the list has no entries or cannot be read; `CancellationError`.
    func checkFirst() async throws {
        try await fill()
        if let problem = ready.firstProblem { throw problem }
    }

    func next() async throws -> ListItem? {
        try await fill()
        return ready.next()
    }

    /// Returns the number of entries: by those that were read, and the share of the bytes that they took.
    // Asynchronous, because a synchronous method would not replace the protocol's default.
    func extent() async -> ListExtent? {
        if isAtEnd { return ListExtent(count: ready.nextIndex, isEstimated: false) }
        guard let size, let file, ready.nextIndex > 0 else { return nil }
        let read = size.before + max(0, Int(lseek(file.descriptor, 0, SEEK_CUR)))
        guard read > 0, read <= size.all else { return nil }
        let count = Double(ready.nextIndex) * Double(size.all) / Double(read)
        return ListExtent(count: Int(clamping: count), isEstimated: true)
    }

    /// Reads until an entry is ready or the list has ended.
    private func fill() async throws {
        while ready.isEmpty, !isAtEnd {
            do {
                try await readMore()
            } catch let error as BulkError {
                breakOff(error.description)
            } catch let error as CancellationError {
                throw error
            } catch {
                breakOff("the rest of \(name) cannot be read: \(error)")
            }
        }
    }

    private func readMore() async throws {
        guard let bytes else {
            guard nextPath < paths.count else { return isAtEnd = true }
            defer { nextPath += 1 }
            if nextPath == 0 {
                size = try await executor.run { [paths] in Self.size(of: paths) }.map { ($0, 0) }
            } else {
                size?.before += try file.map { try Int($0.status().st_size) } ?? 0
            }
            return try await open(paths[nextPath])
        }
        try await accept(try await bytes.read())
    }

    /// Returns the size of all files; `nil` if one of them is a pipe.
    private static func size(of paths: [String]) -> Int? {
        var sum = 0
        for path in paths {
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.isKind(S_IFREG) else { return nil }
            sum += Int(status.st_size)
        }
        return sum
    }

    /// Opens a file and recognises its format, by its first line or its first 64 KiB.
    private func open(_ path: String) async throws {
        let name = path == "-" ? "standard input" : path
        self.name = name
        let source: ListSource = path == "-" ? .standardInput : .file(path: path)
        let file = try await executor.run {
            do throws(SystemError) {
                return try InputFile(try URLListReader.file(source), executor: self.executor)
            } catch {
                throw BulkError("the list \(name) cannot be read: \(error)")
            }
        }
        self.file = file.file
        var reader: any ByteReading = file
        var beginning = try await reader.read()
        while !beginning.isEmpty, beginning.count < 4 {
            let more = try await reader.read()
            if more.isEmpty { break }
            beginning += more
        }
        if Inflation.isCompressed(beginning) {
            reader = try InflatedFile(beginning, of: file.file, executor: executor)
            beginning = try await reader.read()
        }
        while !beginning.isEmpty, beginning.count < 64 << 10, !beginning.contains(UInt8(ascii: "\n")) {
            let more = try await reader.read()
            if more.isEmpty { break }
            beginning += more
        }
        let mark = ListLine.byteOrderMark
        if beginning.starts(with: mark) { beginning.removeFirst(mark.count) }
        let format = try ListFormat.recognise(beginning[...], wanted: format, columns, name: name)
        rows = ListRows(format, columns, name: name)
        bytes = reader
        try await accept(beginning)
    }

    private func accept(_ chunk: [UInt8]) async throws {
        var found: [ListRows.Row] = []
        if chunk.isEmpty {
            bytes = nil
            if let last = try rows?.finish() { found = [last] }
        } else {
            found = try rows?.split(chunk) ?? []
        }
        for row in try await fresh(found) { append(row) }
    }

    /// Returns the rows that are kept.
    private func fresh(_ rows: [ListRows.Row]) async throws -> [ListRows.Row] {
        guard let seen else { return rows }
        return try await executor.run {
            // Only this call takes the lock, so nobody waits for it.
            try seen.withLock { seen in
                try rows.filter { row in try row.invalidReason != nil || seen.insert(row.url) }
            }
        }
    }

    private func append(_ row: ListRows.Row) {
        ready.append(url: row.url, invalidReason: row.invalidReason, fields: row.fields)
    }

    /// Ends the list with an entry that contains the error.
    private func breakOff(_ message: String) {
        isAtEnd = true
        bytes = nil
        ready.appendEnd(message)
    }
}

/// Splits the bytes of a list into rows, in one of the formats.
struct ListRows {
    /// An entry without its position.
    struct Row {
        var url = ""
        var fields: [ListField] = []
        var invalidReason: ListItem.InvalidReason?
    }

    private enum Splitter {
        case lines(LineSplitter)
        case cells(DelimitedRows)
        case objects(JSONArrayItems)
    }

    private let columns: ListColumns
    private let name: String
    private let isText: Bool
    private var splitter: Splitter
    /// The number of lines so far.
    private var line = 0
    /// The number of cells of the header, and where the kept columns and the URLs' are in it.
    private var header: (count: Int, places: [Int])?

    init(_ format: ListFormat, _ columns: ListColumns, name: String) {
        self.columns = columns
        self.name = name
        isText = format == .txt
        splitter =
            switch format {
            case .txt: .lines(LineSplitter())
            case .jsonl: .lines(LineSplitter(limit: DelimitedRows.limit))
            case .csv, .tsv: .cells(DelimitedRows(separator: format.separator))
            case .json: .objects(JSONArrayItems())
            }
    }

    /// Returns the rows that end in `chunk`.
    mutating func split(_ chunk: [UInt8]) throws(BulkError) -> [Row] {
        switch splitter {
        case .lines(var lines):
            let ended = lines.split(chunk)
            splitter = .lines(lines)
            return ended.compactMap { row(of: $0) }
        case .cells(var cells):
            let ended = try located { () throws(BulkError) in try cells.split(chunk) }
            splitter = .cells(cells)
            var rows: [Row] = []
            for row in ended {
                if let row = try self.row(of: row) { rows.append(row) }
            }
            return rows
        case .objects(var objects):
            let ended = try located { () throws(BulkError) in try objects.split(chunk) }
            splitter = .objects(objects)
            return ended.map { row(ofObject: $0.bytes, line: $0.line) }
        }
    }

    /// Returns the row after the last line end; call it at the end of the file.
    mutating func finish() throws(BulkError) -> Row? {
        switch splitter {
        case .lines(var lines): return row(of: lines.finish())
        case .cells(var cells):
            let last = try located { () throws(BulkError) in try cells.finish() }
            guard let last else { return nil }
            return try row(of: last)
        case .objects(let objects):
            try located { () throws(BulkError) in try objects.finish() }
            return nil
        }
    }

    private func located<Output>(
        _ body: () throws(BulkError) -> Output
    ) throws(BulkError) -> Output {
        do throws(BulkError) {
            return try body()
        } catch {
            throw BulkError("\(name): \(error.description)")
        }
    }

    private mutating func row(of line: LineSplitter.Line) -> Row? {
        self.line += 1
        if isText {
            guard let item = ListItem(line, index: 0) else { return nil }
            return Row(url: item.url, invalidReason: item.invalidReason)
        }
        guard line.bytes.contains(where: { $0 > 0x20 }) else { return nil }
        if line.isTooLong { return bad("line \(self.line) is longer than 1 MiB") }
        return row(ofObject: line.bytes, line: self.line)
    }

    private func row(ofObject bytes: [UInt8], line: Int) -> Row {
        do throws(BulkError) {
            var fields = try JSONRow.fields(columns.kept + [columns.urlName], in: bytes)
            return row(url: fields.removeLast().text, fields, line)
        } catch {
            return bad("line \(line): \(error)")
        }
    }

    private mutating func row(of row: DelimitedRows.Row) throws(BulkError) -> Row? {
        guard let header else {
            self.header = (row.cells.count, try places(in: row.cells))
            return nil
        }
        guard row.cells.count == header.count else {
            return bad(row.mismatch(header.count))
        }
        var fields = header.places.map { ListField.text(row.cells[$0]) }
        return self.row(url: fields.removeLast().text, fields, row.line)
    }

    private func row(url: String?, _ fields: [ListField], _ line: Int) -> Row {
        guard let url, let trimmed = ListLine.url(in: Array(url.utf8)) else {
            return bad("line \(line) has no URL", fields)
        }
        return Row(url: trimmed, fields: fields)
    }

    private func bad(_ message: String, _ fields: [ListField]? = nil) -> Row {
        Row(
            fields: fields ?? columns.kept.map { _ in .null },
            invalidReason: ListItem.InvalidReason(code: .invalidURL, message: message)
        )
    }

    private func places(in cells: [String]) throws(BulkError) -> [Int] {
        var places: [Int] = []
        for column in columns.kept + [columns.urlName] {
            guard let place = cells.firstIndex(of: column) else {
                let all = cells.prefix(20).joined(separator: ", ")
                throw BulkError("\(name) has no column '\(column)'; its columns are \(all)")
            }
            places.append(place)
        }
        return places
    }
}

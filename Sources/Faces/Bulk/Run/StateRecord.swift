internal import CalotypeCore

/// The record of an entry's files: one line of the state file.
struct StateRecord: Equatable {
    /// One file.
    struct Made: Equatable {
        /// The size in the file's name, if it has one.
        var label: Int?
        /// The format, which determines the extension.
        var format: ImageFormat
        var bytes: Int
        var size: PixelSize

        func fileName(of index: Int) -> String {
            FileName.name(index: index, size: label, extension: format.fileExtension)
        }
    }

    var index: Int
    /// The hash of the URL, so that entries stay small however long URLs are.
    var url: UInt128
    /// The hash of the options that affect the pictures.
    var options: UInt128
    /// Whether all files for the options are there; if not, a later run creates all of them again.
    var isComplete = true
    /// Whether this run has made or found all files; not stored in the state file.
    var isOfThisRun = false
    /// The first file; separate, because most entries have only one.
    var first: Made
    var others: [Made] = []
    var sourceSize: PixelSize
    var sourceFormat: ImageFormat
    var sourceFrames: Int?
    var sourceBytes: Int

    var made: [Made] { [first] + others }

    var fileNames: [String] { made.map { $0.fileName(of: index) } }
}

extension StateRecord {
    /// The record as a line with a checksum at its end, which a truncated line does not match.
    ///
    /// The line of a single file has an older, shorter format; other lines have one word for each file at the
    /// end.
    var line: String {
        let key = ["\(index)", String(url, radix: 36), String(options, radix: 36)]
        let source = [sourceSize.width, sourceSize.height, sourceFrames ?? -1, sourceBytes].map(String.init)
        let isPlain = isComplete && others.isEmpty && first.label == nil
        let fields =
            isPlain
            ? [first.format.rawValue, sourceFormat.rawValue]
                + [first.bytes, first.size.width, first.size.height].map(String.init) + source
            : [isComplete ? "all" : "some", sourceFormat.rawValue] + source + made.map(\.word)
        return Self.sealed((key + fields).joined(separator: " "))
    }

    /// Returns the line that removes the record of `index`.
    static func removal(of index: Int) -> String {
        sealed("\(index) -")
    }

    /// Parses a line: the index and its record, or `nil` as the record if it was removed.
    ///
    /// - Returns: `nil` for a truncated or foreign line.
    static func parse(_ line: String) -> (index: Int, record: StateRecord?)? {
        var fields = line.split(separator: " ")
        guard let sum = fields.popLast(), sealed(fields.joined(separator: " ")).hasSuffix(" \(sum)\n"),
            let index = fields.first.flatMap({ Int($0) })
        else { return nil }
        if fields.count == 2, fields[1] == "-" { return (index, nil) }
        guard fields.count >= 10 else { return nil }
        let record = ["all", "some"].contains(fields[3]) ? several(fields, index) : plain(fields, index)
        return record.map { (index, $0) }
    }

    private static func sealed(_ text: String) -> String {
        "\(text) \(String(UInt32(truncatingIfNeeded: StableHash.hash(text)), radix: 36))\n"
    }

    private static func plain(_ fields: [Substring], _ index: Int) -> StateRecord? {
        let numbers = fields.dropFirst(5).compactMap { Int($0) }
        guard fields.count == 12, numbers.count == 7, let format = ImageFormat(rawValue: String(fields[3]))
        else {
            return nil
        }
        let size = PixelSize(width: numbers[1], height: numbers[2])
        let only = Made(format: format, bytes: numbers[0], size: size)
        return StateRecord(fields, index, [only], source: Array(numbers[3...]))
    }

    private static func several(_ fields: [Substring], _ index: Int) -> StateRecord? {
        let numbers = fields[5..<9].compactMap { Int($0) }
        let made = fields[9...].compactMap { Made(word: $0) }
        guard numbers.count == 4, made.count == fields.count - 9 else { return nil }
        var record = StateRecord(fields, index, made, source: numbers)
        record?.isComplete = fields[3] == "all"
        return record
    }

    private init?(_ fields: [Substring], _ index: Int, _ made: [Made], source: [Int]) {
        guard let first = made.first, let url = UInt128(fields[1], radix: 36),
            let options = UInt128(fields[2], radix: 36),
            let sourceFormat = ImageFormat(rawValue: String(fields[4]))
        else { return nil }
        self.init(
            index: index,
            url: url,
            options: options,
            first: first,
            others: Array(made.dropFirst()),
            sourceSize: PixelSize(width: source[0], height: source[1]),
            sourceFormat: sourceFormat,
            sourceFrames: source[2] < 0 ? nil : source[2],
            sourceBytes: source[3]
        )
    }
}

extension StateRecord.Made {
    /// The file as a word without spaces.
    fileprivate var word: String {
        "\(label.map(String.init) ?? ""):\(format.rawValue):\(bytes):\(size.width):\(size.height)"
    }

    fileprivate init?(word: Substring) {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst(2).compactMap { Int($0) }
        guard parts.count == 5, numbers.count == 3, let format = ImageFormat(rawValue: String(parts[1])),
            parts[0].isEmpty || Int(parts[0]) != nil
        else { return nil }
        self.init(
            label: Int(parts[0]),
            format: format,
            bytes: numbers[0],
            size: PixelSize(width: numbers[1], height: numbers[2])
        )
    }
}

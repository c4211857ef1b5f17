internal import CalotypeCore

/// What is known of a picture that a run has completed: one line of the state file.
struct StateRecord: Equatable {
    var index: Int
    /// The hash of the URL: entries stay small however long the URLs are.
    var url: UInt128
    /// The hash of the options that shaped the picture.
    var options: UInt128
    /// The name's end; the rest of the name is the index.
    var end: ImageFormat
    var bytes: Int
    var size: PixelSize
    var sourceSize: PixelSize
    var sourceFormat: ImageFormat
    var sourceFrames: Int?
    var sourceBytes: Int

    var fileName: String { FileName.name(index: index, extension: end.fileExtension) }

    /// The record as a line that ends with a sum over the rest, which a torn line does not match.
    var line: String {
        let numbers = [
            bytes, size.width, size.height, sourceSize.width, sourceSize.height, sourceFrames ?? -1,
            sourceBytes,
        ]
        let fields =
            [
                "\(index)", String(url, radix: 36), String(options, radix: 36), end.rawValue,
                sourceFormat.rawValue,
            ]
            + numbers.map(String.init)
        return Self.sealed(fields.joined(separator: " "))
    }

    /// The line that takes the record of `index` back.
    static func removal(of index: Int) -> String {
        sealed("\(index) -")
    }

    /// What a line says: the index and its record, `nil` for one that was taken back.
    ///
    /// - Returns: `nil` for a line that is torn or not ours.
    static func parse(_ line: String) -> (index: Int, record: StateRecord?)? {
        var fields = line.split(separator: " ")
        guard let sum = fields.popLast(), sealed(fields.joined(separator: " ")).hasSuffix(" \(sum)\n"),
            let index = fields.first.flatMap({ Int($0) })
        else { return nil }
        if fields.count == 2, fields[1] == "-" { return (index, nil) }
        return StateRecord(fields: fields, index: index).map { (index, $0) }
    }

    private static func sealed(_ text: String) -> String {
        "\(text) \(String(UInt32(truncatingIfNeeded: StableHash.hash(text)), radix: 36))\n"
    }
}

extension StateRecord {
    private init?(fields: [Substring], index: Int) {
        let numbers = fields.dropFirst(5).compactMap { Int($0) }
        guard fields.count == 12, numbers.count == 7, let url = UInt128(fields[1], radix: 36),
            let options = UInt128(fields[2], radix: 36), let end = ImageFormat(rawValue: String(fields[3])),
            let sourceFormat = ImageFormat(rawValue: String(fields[4]))
        else { return nil }
        self.init(
            index: index,
            url: url,
            options: options,
            end: end,
            bytes: numbers[0],
            size: PixelSize(width: numbers[1], height: numbers[2]),
            sourceSize: PixelSize(width: numbers[3], height: numbers[4]),
            sourceFormat: sourceFormat,
            sourceFrames: numbers[5] < 0 ? nil : numbers[5],
            sourceBytes: numbers[6]
        )
    }
}
